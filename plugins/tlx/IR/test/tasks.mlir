// RUN: %plugin_opt %s | %plugin_opt - | %FileCheck %s

// CHECK-LABEL: tt.func @tasks
tt.func @tasks() {
  // CHECK: tlx.async_tasks {
  tlx.async_tasks {
    // CHECK: tlx.async_task default registers(40) {
    tlx.async_task default registers(40) {
      // CHECK: tlx.task_replica
      %replica = tlx.task_replica
    }
    // CHECK: tlx.async_task num_warps(4) registers(232) first_warp(8) {
    // CHECK: } {replica = 1 : i32}
    tlx.async_task num_warps(4) registers(232) first_warp(8) {
    } {replica = 1 : i32}
    // CHECK: tlx.async_task num_warps(1) {
    tlx.async_task num_warps(1) {
    }
  }
  tt.return
}
