// RUN: %plugin_opt --pass tlx_check_target --split-input-file %s | %FileCheck %s

// CHECK: module attributes {ttg.target = "cuda:80"}
module attributes {ttg.target = "cuda:80"} {
  tt.func @ampere(%bar: !tlx.buffer<1xi64>) {
    // CHECK: tlx.alloc_barriers
    %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
    tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
    tlx.async_tasks {
      tlx.async_task num_warps(4) {
      }
    }
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK: module attributes {{.*}}ttg.target = "cuda:90"
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32} {
  tt.func @hopper(%bar: !tlx.buffer<1xi64>, %a: !tlx.buffer<64x64xf16>, %b: !tlx.buffer<64x128xf16>, %c: tensor<64x128xf32, #blocked>) {
    // CHECK: tlx.barrier_expect
    tlx.barrier_expect %bar, 128 : !tlx.buffer<1xi64>
    tlx.fence_async_shared
    tlx.cluster_barrier
    %dot = tlx.async_dot %a, %b, %c : !tlx.buffer<64x64xf16> * !tlx.buffer<64x128xf16> -> tensor<64x128xf32, #blocked>
    tlx.async_tasks {
      tlx.async_task num_warps(4) registers(120) {
      }
    }
    tt.return
  }
}

// -----

// CHECK-LABEL: @no_target
tt.func @no_target() {
  // CHECK: tlx.fence_async_shared
  tlx.fence_async_shared
  tt.return
}
