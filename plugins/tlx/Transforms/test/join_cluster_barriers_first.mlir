// RUN: %plugin_opt --pass tlx_join_cluster_barriers --split-input-file %s | %FileCheck %s

// Warps are allocated here, where a barrier needs to know how many there are.

// CHECK: "ttg.total-num-warps" = 8
// CHECK-LABEL: @barrier
// CHECK: ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4>}
// CHECK-NEXT: default {
// CHECK-NEXT: tlx.cluster_barrier
// CHECK: partition0() num_warps(4) {
// CHECK-NEXT: tlx.cluster_barrier
module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @barrier() {
    tlx.cluster_barrier
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

// CHECK-NOT: "ttg.total-num-warps"
// CHECK: @no_barrier
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @no_barrier() {
    tt.return
  }
}
