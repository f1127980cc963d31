// RUN: %plugin_opt --pass tlx_lower --pass common.canonicalizer --split-input-file %s | %FileCheck %s

#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// An allocation that another reuses is one storage, as large as the larger.

// CHECK-LABEL: @reused
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @reused(%i: i32) -> (tensor<64xf16, #row>, tensor<64x64xf32, #blocked>) {
    // CHECK: %[[STORAGE:.*]] = ttg.local_alloc {alignment = 1024 : i32, tlx.managed} : () -> !ttg.memdesc<32x1024xi8, #{{.*}}, #smem, mutable>
    // CHECK: %[[A:.*]] = ttg.memdesc_reinterpret %[[STORAGE]] : {{.*}} -> !ttg.memdesc<3x64xf16,
    %a = tlx.local_alloc : !tlx.buffer<3x64xf16>
    // CHECK: %[[B:.*]] = ttg.memdesc_reinterpret %[[STORAGE]] : {{.*}} -> !ttg.memdesc<2x64x64xf32,
    %b = tlx.local_alloc reuse %a : !tlx.buffer<2x64x64xf32> reuse !tlx.buffer<3x64xf16>
    // CHECK: ttg.memdesc_index %[[A]][%{{.*}}]
    %0 = tlx.local_view %a[%i] : !tlx.buffer<3x64xf16> -> !tlx.buffer<64xf16>
    // CHECK: ttg.memdesc_index %[[B]][%{{.*}}]
    %1 = tlx.local_view %b[%i] : !tlx.buffer<2x64x64xf32> -> !tlx.buffer<64x64xf32>
    %v0 = tlx.local_load %0 : !tlx.buffer<64xf16> -> tensor<64xf16, #row>
    %v1 = tlx.local_load %1 : !tlx.buffer<64x64xf32> -> tensor<64x64xf32, #blocked>
    tt.return %v0, %v1 : tensor<64xf16, #row>, tensor<64x64xf32, #blocked>
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// Instance i of the group holds buffer i of s (16 KiB), and in the same bytes
// buffers 2i and 2i + 1 of p (4 KiB each) with buffer i of m (1 KiB) behind.

// CHECK-LABEL: @groups
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @groups() -> (tensor<64x64xf32, #blocked>, tensor<64x32xf16, #blocked>, tensor<256xf32, #row>) {
    // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
    // CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : i32
    // CHECK-DAG: %[[TWENTYFOUR:.*]] = arith.constant 24 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    // CHECK: %[[STORAGE:.*]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<32x1024xi8,
    %storage = tlx.storage_alias_spec {size = 32768 : i64}
    // CHECK: %[[S:.*]] = ttg.memdesc_reinterpret %[[STORAGE]] : {{.*}} -> !ttg.memdesc<2x64x64xf32,
    %s = tlx.local_alloc reuse %storage : !tlx.buffer<2x64x64xf32> reuse !tlx.storage
    // CHECK: %[[P:.*]] = ttg.memdesc_reinterpret %[[STORAGE]] : {{.*}} -> !ttg.memdesc<8x64x32xf16,
    %p = tlx.local_alloc reuse %storage : !tlx.buffer<4x64x32xf16> reuse !tlx.storage
    // CHECK: %[[M:.*]] = ttg.memdesc_reinterpret %[[STORAGE]] : {{.*}} -> !ttg.memdesc<32x256xf32,
    %m = tlx.local_alloc reuse %storage : !tlx.buffer<2x256xf32> reuse !tlx.storage
    tlx.set_buffer_overlap %storage, %s, %p, %m {groups = {kind = "shared", size = 1 : i64, members = [0,
      {kind = "distinct", size = 1 : i64, members = [{kind = "shared", size = 2 : i64, members = [1]}, 2]}]}}
      : !tlx.buffer<2x64x64xf32>, !tlx.buffer<4x64x32xf16>, !tlx.buffer<2x256xf32>
    // CHECK: ttg.memdesc_index %[[S]][%[[ONE]]]
    %0 = tlx.local_view %s[%one] : !tlx.buffer<2x64x64xf32> -> !tlx.buffer<64x64xf32>
    // CHECK: ttg.memdesc_index %[[P]][%[[FIVE]]]
    %1 = tlx.local_view %p[%three] : !tlx.buffer<4x64x32xf16> -> !tlx.buffer<64x32xf16>
    // CHECK: ttg.memdesc_index %[[M]][%[[TWENTYFOUR]]]
    %2 = tlx.local_view %m[%one] : !tlx.buffer<2x256xf32> -> !tlx.buffer<256xf32>
    %v0 = tlx.local_load %0 : !tlx.buffer<64x64xf32> -> tensor<64x64xf32, #blocked>
    %v1 = tlx.local_load %1 : !tlx.buffer<64x32xf16> -> tensor<64x32xf16, #blocked>
    %v2 = tlx.local_load %2 : !tlx.buffer<256xf32> -> tensor<256xf32, #row>
    tt.return %v0, %v1, %v2 : tensor<64x64xf32, #blocked>, tensor<64x32xf16, #blocked>, tensor<256xf32, #row>
  }
}
