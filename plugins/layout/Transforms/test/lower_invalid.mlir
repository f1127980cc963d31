// RUN: %plugin_opt --pass layout_lower --split-input-file --expect-failure %s | %FileCheck %s

#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK: the conversion cannot go via shuffle: it moves data between warps, from #ttg.blocked<{{.*}}> to #ttg.blocked
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @across_warps(%x: tensor<64x64xf16, #row>) {
    %0 = layout.convert %x via shuffle {layout = #column} : tensor<64x64xf16, #row> -> tensor<64x64xf16, #column>
    tt.return
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tall = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: the conversion cannot go via registers: it moves data between the threads of a warp
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @across_threads(%x: tensor<16x32xf16, #row>) {
    %0 = layout.convert %x via registers {layout = #tall} : tensor<16x32xf16, #row> -> tensor<16x32xf16, #tall>
    tt.return
  }
}

// -----

#row = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#swapped = #ttg.linear<{register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
// CHECK: the conversion is not trivial: it moves data between the registers of a thread
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @not_trivial(%x: tensor<512xf16, #row>) {
    %0 = layout.assert_trivial %x {layout = #swapped} : tensor<512xf16, #row> -> tensor<512xf16, #swapped>
    tt.return
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tall = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: the kernel asks for the layout #ttg.blocked<{{.*}}>, but a pass made it #ttg.blocked
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @changed(%x: tensor<16x32xf16, #row>) {
    %0 = layout.pin %x {layout = #tall} : tensor<16x32xf16, #row> -> tensor<16x32xf16, #row>
    tt.return
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: the layout was not resolved; layout-resolve with finish must run before
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @like(%x: tensor<64x64xf16, #row>) {
    %0 = layout.pin %x like %x : tensor<64x64xf16, #row> : tensor<64x64xf16, #row> -> tensor<64x64xf16, #row>
    tt.return
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: 'layout.release' op was not resolved; layout-resolve with finish must run before
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @released(%x: tensor<64x64xf16, #row>) {
    %0 = layout.release %x : tensor<64x64xf16, #row> -> tensor<64x64xf16, #row>
    tt.return
  }
}
