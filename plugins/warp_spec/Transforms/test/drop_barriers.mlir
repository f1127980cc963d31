// RUN: %plugin_opt --pass warp_spec_drop_barriers %s | %FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @marked
  tt.func @marked(%acc: tensor<128x128xf32, #mma>) {
    // CHECK-NOT: warp_spec.independent
    ttg.warp_specialize() attributes {warp_spec.independent, requestedRegisters = array<i32: 40>}
    default {
      // CHECK: warp_group_dot_wait {{.*}} {pendings = 1 : i32, warpGroupLocal}
      %0 = ttng.warp_group_dot_wait %acc {pendings = 1 : i32, warp_spec.independent} : tensor<128x128xf32, #mma>
      // CHECK: warp_group_dot_wait {{.*}} {pendings = 0 : i32} :
      %1 = ttng.warp_group_dot_wait %0 {pendings = 0 : i32} : tensor<128x128xf32, #mma>
      // CHECK: ttg.barrier local
      ttg.barrier local
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      // CHECK: partition0
      // CHECK-NOT: ttg.barrier
      ttg.barrier local
      ttg.warp_return
    } : () -> ()
    // CHECK: ttg.warp_specialize
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 40>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      // CHECK: ttg.barrier local
      ttg.barrier local
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}
