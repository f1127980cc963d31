// RUN: %plugin_opt %s | %plugin_opt - | %FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#meta = #ttg.linear<{register = [[8, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#smem = #ttg.shared_memory
// CHECK-LABEL: @async_dot
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @async_dot(%values: !ttg.memdesc<64x32xf16, #shared, #smem>, %meta: tensor<64x4xi16, #meta>, %b: !ttg.memdesc<64x64xf16, #shared1, #smem>, %acc: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    // CHECK: sparsity24.async_sparse_dot
    %result = sparsity24.async_sparse_dot %values, %meta, %b, %acc : !ttg.memdesc<64x32xf16, #shared, #smem>, tensor<64x4xi16, #meta>, !ttg.memdesc<64x64xf16, #shared1, #smem> -> tensor<64x64xf32, #mma>
    tt.return %result : tensor<64x64xf32, #mma>
  }
}
