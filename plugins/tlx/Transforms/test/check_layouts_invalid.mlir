// RUN: %plugin_opt --pass tlx_check_layouts --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: error: the layout is #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>, but must be the same as #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @another(%a: tensor<256xf32, #blocked>) {
    %0 = tlx.observe_layout %a, 0 {layout = #pairs} : tensor<256xf32, #blocked>
    tt.return
  }
}

// -----

// CHECK: error: compares layouts of shapes [256] and [128]
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @shape(%a: tensor<256xf32, #blocked>, %b: tensor<128xf32, #blocked>) {
    %0 = tlx.observe_layout %a, 0 : tensor<256xf32, #blocked>
    %1 = tlx.observe_layout %b, 0 : tensor<128xf32, #blocked>
    tt.return
  }
}

// -----

// CHECK: error: the layout is #ttg.swizzled_shared<{{.*}}>, but must be the same as #ttg.blocked
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @registers(%buffer: !ttg.memdesc<256xf32, #shared, #smem>) {
    tlx.assert_same_layout %buffer {layout = #blocked} : !ttg.memdesc<256xf32, #shared, #smem>
    tt.return
  }
}

// -----

// Other places, though the elements are in the same order.
// CHECK: error: the layout is #ttg.padded_shared<{{.*}}>, but must be the same as #ttg.swizzled_shared
#padded = #ttg.padded_shared<[32:+4] {order = [0], shape = [256]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @padded(%a: !ttg.memdesc<256xf32, #padded, #smem>, %b: !ttg.memdesc<256xf32, #shared, #smem>) {
    tlx.assert_same_layout %a as %b : !ttg.memdesc<256xf32, #padded, #smem> as !ttg.memdesc<256xf32, #shared, #smem>
    tt.return
  }
}

// -----

// A pass has given a pinned tensor another layout.
// CHECK: error: the layout is #ttg.blocked<{sizePerThread = [1],{{.*}}}>, but must be the same as #ttg.blocked<{sizePerThread = [2],
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @pinned(%a: tensor<256xf32, #blocked>) {
    %pinned = tlx.require_layout %a {layout = #pairs, pin} : tensor<256xf32, #blocked>
    tt.return
  }
}
