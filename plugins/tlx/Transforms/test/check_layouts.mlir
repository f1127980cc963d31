// RUN: %plugin_opt --pass tlx_check_layouts %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#linear = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#linear_buffer = #ttg.shared_linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128]]}, alignment = 16>
#padded = #ttg.padded_shared<[32:+4] {order = [0], shape = [256]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Two names of one layout are the same. Another number is another check.
  // CHECK-LABEL: @same
  // CHECK-NEXT: tt.return
  tt.func @same(%a: tensor<256xf32, #pairs>, %b: tensor<256xf32, #linear>, %c: tensor<256xf32, #blocked>, %buffer: !ttg.memdesc<256xf32, #shared, #smem>, %other: !ttg.memdesc<256xf32, #linear_buffer, #smem>, %rows: !ttg.memdesc<256xf32, #padded, #smem>) {
    %0 = tlx.observe_layout %a, 0 : tensor<256xf32, #pairs>
    %1 = tlx.observe_layout %b, 0 : tensor<256xf32, #linear>
    %2 = tlx.observe_layout %a, 1 {layout = #linear} : tensor<256xf32, #pairs>
    %3 = tlx.observe_layout %c, 2 {layout = #blocked} : tensor<256xf32, #blocked>
    tlx.assert_same_layout %buffer {layout = #shared} : !ttg.memdesc<256xf32, #shared, #smem>
    tlx.assert_same_layout %buffer as %other : !ttg.memdesc<256xf32, #shared, #smem> as !ttg.memdesc<256xf32, #linear_buffer, #smem>
    tlx.assert_same_layout %rows {layout = #padded} : !ttg.memdesc<256xf32, #padded, #smem>
    tt.return
  }

  // CHECK-LABEL: @pinned
  // CHECK-SAME: %[[VALUE:[a-z0-9]*]]: tensor
  tt.func @pinned(%value: tensor<256xf32, #pairs>) -> tensor<256xf32, #pairs> {
    // CHECK-NEXT: tt.return %[[VALUE]]
    %pinned = tlx.require_layout %value {layout = #pairs, pin} : tensor<256xf32, #pairs>
    tt.return %pinned : tensor<256xf32, #pairs>
  }
}
