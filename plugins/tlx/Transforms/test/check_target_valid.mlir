// RUN: %plugin_opt --pass tlx_check_target --split-input-file %s | %FileCheck %s

// CHECK: module attributes {ttg.target = "cuda:80"}
module attributes {ttg.target = "cuda:80"} {
  tt.func @ampere() {
    // CHECK: tlx.alloc_barriers
    %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
    tlx.async_tasks {
      tlx.async_task num_warps(4) {
      }
    }
    tt.return
  }
}

// -----

// CHECK: module attributes {ttg.target = "cuda:90"}
module attributes {ttg.target = "cuda:90"} {
  tt.func @hopper(%bar: !tlx.buffer<1xi64>) {
    // CHECK: tlx.barrier_expect
    tlx.barrier_expect %bar, 128 : !tlx.buffer<1xi64>
    tlx.fence_async_shared
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
