// RUN: %plugin_opt --pass tlx_allocate_warp_groups --split-input-file %s | %FileCheck %s

// CHECK: "ttg.total-num-warps" = 8
// CHECK-LABEL: @not_yet
// CHECK: partition0() num_warps(1)
// CHECK: partition1() num_warps(2)
// CHECK: partition2() num_warps(1)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @not_yet() {
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

// CHECK: "ttg.total-num-warps" = 5
// CHECK-LABEL: @already
// CHECK: partition0() num_warps(1)
// CHECK-NOT: partition1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, "ttg.total-num-warps" = 5 : i32} {
  tt.func public @already() {
    ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}
