// RUN: %plugin_opt --pass tlx_lower --pass common.canonicalizer %s | %FileCheck %s

// CHECK-DAG: #[[$WIDE:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[$NARROW:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // What is made in one slot and taken out of another has one layout; other
  // blocks in the same slots have their own. Only who uses a descriptor takes
  // it over.
  // CHECK-LABEL: @slots
  tt.func @slots(%base: !tt.ptr<f16>, %m: i32, %k: i32, %stride: i64, %i: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %wide = tlx.local_alloc : !tlx.buffer<1x128x64xf16>
    %narrow = tlx.local_alloc : !tlx.buffer<1x32x32xf16>
    %a = tlx.local_view %wide[%zero] : !tlx.buffer<1x128x64xf16> -> !tlx.buffer<128x64xf16>
    %b = tlx.local_view %narrow[%zero] : !tlx.buffer<1x32x32xf16> -> !tlx.buffer<32x32xf16>
    // CHECK: %[[SLOTS:.*]] = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 384 : i32} : !tt.ptr<i8>
    %slots = tlx.alloc_descriptors 3 : !tt.ptr<i8>
    // CHECK: %[[OFFSET:.*]] = arith.muli %{{.*}}, %c128_i32
    // CHECK: %[[SLOT:.*]] = tt.addptr %[[SLOTS]], %[[OFFSET]]
    %slot = tlx.descriptor_slot %slots[%i] : !tt.ptr<i8>
    // CHECK: ttng.tensormap_create %[[SLOT]], %{{.*}}, [%{{.*}}, %c128_i32], [%{{.*}}, %{{.*}}], {{.*}}swizzle_mode = 3
    // CHECK-NOT: ttng.tensormap_fenceproxy_acquire
    %made = tlx.make_descriptor %slot, %base, [%m, %k], [%stride, %one] : !tt.ptr<i8>, !tt.ptr<f16> -> !tt.tensordesc<128x64xf16>
    // CHECK: ttng.tensormap_create %[[SLOTS]], %{{.*}}, [%c32_i32, %c32_i32], {{.*}}swizzle_mode = 2
    // CHECK-NEXT: ttng.tensormap_fenceproxy_acquire %[[SLOTS]]
    // CHECK-NEXT: %[[OTHER:.*]] = ttng.reinterpret_tensor_descriptor %[[SLOTS]] : !tt.ptr<i8> to !tt.tensordesc<32x32xf16, #[[$NARROW]]>
    %other = tlx.make_descriptor %slots, %base, [%m, %k], [%stride, %one] : !tt.ptr<i8>, !tt.ptr<f16> -> !tt.tensordesc<32x32xf16>
    // CHECK: ttng.async_tma_copy_local_to_global %[[OTHER]]
    tlx.async_descriptor_store %other[%i, %i], %b : !tt.tensordesc<32x32xf16>, !tlx.buffer<32x32xf16>
    // CHECK: ttng.tensormap_fenceproxy_acquire %[[SLOTS]]
    // CHECK-NEXT: %[[TAKEN:.*]] = ttng.reinterpret_tensor_descriptor %[[SLOTS]] : !tt.ptr<i8> to !tt.tensordesc<128x64xf16, #[[$WIDE]]>
    %taken = tlx.reinterpret_descriptor %slots : !tt.ptr<i8> -> !tt.tensordesc<128x64xf16>
    // CHECK: ttng.async_tma_copy_local_to_global %[[TAKEN]]
    tlx.async_descriptor_store %taken[%i, %i], %a : !tt.tensordesc<128x64xf16>, !tlx.buffer<128x64xf16>
    tt.return
  }

  // One prefetch for each box that stock Triton copies the block in.
  // CHECK-LABEL: @prefetch
  // CHECK-SAME: %[[DESCRIPTOR:[a-z0-9_]*]]: {{.*}}, %[[ROW:[a-z0-9_]*]]: i32, %[[COLUMN:[a-z0-9_]*]]: i32, %[[WANTED:[a-z0-9_]*]]: i1
  tt.func @prefetch(%descriptor: !tt.tensordesc<32x128xf16>, %row: i32, %column: i32, %wanted: i1) {
    %zero = arith.constant 0 : i32
    %buffers = tlx.local_alloc : !tlx.buffer<1x32x128xf16>
    %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<1x32x128xf16> -> !tlx.buffer<32x128xf16>
    // CHECK: %[[WARP:.*]] = ttg.warp_id
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[WARP]], %c0_i32
    // CHECK: %[[IF:.*]] = arith.andi %[[FIRST]], %[[WANTED]]
    // CHECK: tlx.async_descriptor_prefetch %[[DESCRIPTOR]][%[[ROW]], %[[COLUMN]]] if %[[IF]] {evict = 3 : i32}
    // CHECK: %[[SECOND:.*]] = arith.addi %[[COLUMN]], %c64_i32
    // CHECK: tlx.async_descriptor_prefetch %[[DESCRIPTOR]][%[[ROW]], %[[SECOND]]] if %[[IF]] {evict = 3 : i32}
    // CHECK-NOT: tlx.async_descriptor_prefetch
    tlx.async_descriptor_prefetch %descriptor[%row, %column] if %wanted {evict = 3 : i32} : !tt.tensordesc<32x128xf16>
    // CHECK: tlx.prefetch_descriptor %[[DESCRIPTOR]] if %{{.*}}
    tlx.prefetch_descriptor %descriptor : !tt.tensordesc<32x128xf16>
    tlx.async_descriptor_store %descriptor[%row, %column], %buffer : !tt.tensordesc<32x128xf16>, !tlx.buffer<32x128xf16>
    tt.return
  }

  // CHECK-LABEL: @bulk_load
  tt.func @bulk_load(%source: !tt.ptr<f16>, %size: i32) {
    %zero = arith.constant 0 : i32
    %buffers = tlx.local_alloc : !tlx.buffer<1x256xf16>
    %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<1x256xf16> -> !tlx.buffer<256xf16>
    %barriers = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
    %barrier = tlx.local_view %barriers[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
    // CHECK: %[[WARP:.*]] = ttg.warp_id
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[WARP]], %c0_i32
    // CHECK: tlx.async_bulk_load %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} if %[[FIRST]] {evict = 2 : i32} : <f16> -> !ttg.memdesc<256xf16, {{.*}}>, !ttg.memdesc<1xi64,
    tlx.async_bulk_load %source, %buffer, %size, %barrier {evict = 2 : i32} : !tt.ptr<f16> -> !tlx.buffer<256xf16>, !tlx.buffer<1xi64>
    tt.return
  }
}
