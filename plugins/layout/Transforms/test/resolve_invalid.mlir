// RUN: %plugin_opt --pass layout_resolve --split-input-file --expect-failure %s | %FileCheck %s

#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#eight = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
// CHECK: the layout does not fit a tensor of shape [64, 64]: #ttg.blocked
// CHECK-NEXT: Layout has 8 warps per CTA, but the context requires 4 warps
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @warps(%x: tensor<64x64xf16, #default>) {
    %0 = layout.pin %x {layout = #eight} : tensor<64x64xf16, #default> -> tensor<64x64xf16, #default>
    tt.return
  }
}

// -----

#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
// CHECK: the layout does not fit a tensor of shape [64, 64]: #ttg.amd_mfma
// CHECK-NEXT: Layout has 64 threads per warp, but the module specifies 32 threads
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @threads(%x: tensor<64x64xf16, #default>) {
    %0 = layout.pin %x {layout = #mfma} : tensor<64x64xf16, #default> -> tensor<64x64xf16, #default>
    tt.return
  }
}
