// RUN: %plugin_opt --pass tlx_lower --pass common.canonicalizer %s | %FileCheck %s

// CHECK-DAG: #[[$BUFFER:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[$BLOCK:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 4}>
// CHECK-DAG: #[[$BARRIER:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // A descriptor's block may have leading dimensions of one element more than
  // the buffer, and so has its layout.
  // CHECK-LABEL: @rows_of_one_head
  // CHECK-SAME: !tt.tensordesc<1x1x128x64xf16, #[[$BLOCK]]>
  tt.func @rows_of_one_head(%descriptor: !tt.tensordesc<1x1x128x64xf16>, %i: i32) {
    %zero = arith.constant 0 : i32
    %buffers = tlx.local_alloc : !tlx.buffer<1x128x64xf16>
    %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<1x128x64xf16> -> !tlx.buffer<128x64xf16>
    // CHECK: ttng.async_tma_copy_local_to_global {{.*}} : !tt.tensordesc<1x1x128x64xf16, #[[$BLOCK]]>, !ttg.memdesc<128x64xf16, #[[$BUFFER]]
    tlx.async_descriptor_store %descriptor[%i, %i, %i, %zero], %buffer : !tt.tensordesc<1x1x128x64xf16>, !tlx.buffer<128x64xf16>
    tt.return
  }

  // The descriptor gets the layout of the buffers, and the barriers live until
  // the kernel returns.
  // CHECK-LABEL: @copies
  // CHECK-SAME: %[[DESCRIPTOR:.*]]: !tt.tensordesc<128x64xf16, #[[$BUFFER]]>
  tt.func @copies(%descriptor: !tt.tensordesc<128x64xf16>, %steps: i32, %predicate: i1) {
    // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
    // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %buffers = tlx.local_alloc : !tlx.buffer<2x128x64xf16>
    // CHECK: %[[BARRIERS:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #[[$BARRIER]], #smem, mutable>
    // CHECK: %[[FIRST:.*]] = ttg.memdesc_index %[[BARRIERS]][%[[ZERO]]]
    // CHECK: ttng.init_barrier %[[FIRST]], 3
    // CHECK: %[[SECOND:.*]] = ttg.memdesc_index %[[BARRIERS]][%[[ONE]]]
    // CHECK: ttng.init_barrier %[[SECOND]], 3
    %barriers = tlx.alloc_barriers 3 : !tlx.buffer<2x1xi64>
    // CHECK: scf.for
    scf.for %i = %zero to %steps step %one : i32 {
      // CHECK: %[[BUFFER:.*]] = ttg.memdesc_index %{{.*}}[%{{.*}}] : !ttg.memdesc<2x128x64xf16, #[[$BUFFER]]
      %buffer = tlx.local_view %buffers[%i] : !tlx.buffer<2x128x64xf16> -> !tlx.buffer<128x64xf16>
      // CHECK: %[[BARRIER:.*]] = ttg.memdesc_index %[[BARRIERS]]
      %barrier = tlx.local_view %barriers[%i] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
      // CHECK: ttng.barrier_expect %[[BARRIER]], 16384, %{{.*}}
      tlx.barrier_expect %barrier, 16384 if %predicate : !tlx.buffer<1xi64>
      // CHECK: ttng.async_tma_copy_global_to_local %[[DESCRIPTOR]][%{{.*}}, %{{.*}}] %[[BUFFER]], %[[BARRIER]], %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>}
      tlx.async_descriptor_load %descriptor[%i, %zero], %buffer, %barrier if %predicate {evict = 2 : i32} : !tt.tensordesc<128x64xf16> -> !tlx.buffer<128x64xf16>, !tlx.buffer<1xi64>
      // CHECK: ttng.wait_barrier %[[BARRIER]], %{{.*}}
      tlx.barrier_wait %barrier, %i : !tlx.buffer<1xi64>
      // CHECK: ttng.arrive_barrier %[[BARRIER]], 2
      tlx.barrier_arrive %barrier, 2 : !tlx.buffer<1xi64>
      // CHECK: ttng.fence_async_shared {bCluster = false}
      tlx.fence_async_shared
      // CHECK: ttng.async_tma_copy_local_to_global %[[DESCRIPTOR]][%{{.*}}, %{{.*}}] %[[BUFFER]]
      tlx.async_descriptor_store %descriptor[%i, %zero], %buffer : !tt.tensordesc<128x64xf16>, !tlx.buffer<128x64xf16>
      // CHECK: ttng.async_tma_reduce min, %[[DESCRIPTOR]]
      tlx.async_descriptor_store %descriptor[%i, %zero], %buffer {reduce = 2 : i32} : !tt.tensordesc<128x64xf16>, !tlx.buffer<128x64xf16>
      // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
      tlx.async_descriptor_store_wait {pendings = 0 : i32, readOnly}
    }
    // CHECK: ttg.local_dealloc %[[BARRIERS]]
    // CHECK-NEXT: tt.return
    tt.return
  }

  // Each warp arrives by itself, and the pass that puts barriers between
  // accesses of shared memory does not see it.
  // CHECK-LABEL: @arrivals_of_warps
  // CHECK-SAME: %[[I:.*]]: i32
  tt.func @arrivals_of_warps(%i: i32) {
    %barriers = tlx.alloc_barriers 4 : !tlx.buffer<2x1xi64>
    %barrier = tlx.local_view %barriers[%i] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
    // CHECK: %[[BARRIER:.*]] = ttg.memdesc_index %{{.*}}[%[[I]]]
    // CHECK: ttg.inline_asm "{{.*}}bar.warp.sync{{.*}}elect.sync{{.*}}mbarrier.arrive{{.*}}, 1;{{.*}}" {constraints = "r,~{memory}", pure = false} %[[BARRIER]]
    tlx.barrier_arrive %barrier, 1 {warps = 4 : i32} : !tlx.buffer<1xi64>
    tt.return
  }
}
