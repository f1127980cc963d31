// RUN: %plugin_opt --pass tlx_join_cluster_barriers %s | %FileCheck %s

module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, "ttg.total-num-warps" = 4 : i32} {
  // CHECK-LABEL: @without_tasks
  tt.func public @without_tasks() {
    // CHECK-NEXT: tlx.cluster_barrier
    // CHECK-NEXT: tt.return
    tlx.cluster_barrier
    tt.return
  }
}
