// RUN: %plugin_opt --pass tlx_join_cluster_barriers %s | %FileCheck %s

// The tasks' 12 warps are two powers of two.
module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, "ttg.total-num-warps" = 16 : i32} {
  // CHECK-LABEL: @with_tasks
  tt.func public @with_tasks() {
    // CHECK: ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4, 12>}
    // CHECK-NEXT: default {
    // CHECK-NEXT: tlx.cluster_barrier
    // CHECK-NEXT: ttg.warp_yield
    // CHECK: partition0() num_warps(8) {
    // CHECK-NEXT: tlx.cluster_barrier
    // CHECK-NEXT: ttg.warp_return
    // CHECK: partition1() num_warps(4) {
    // CHECK-NEXT: tlx.cluster_barrier
    // CHECK-NEXT: ttg.warp_return
    tlx.cluster_barrier
    tt.return
  }
}
