// RUN: %plugin_opt --pass sparsity24_lower_dots --expect-failure %s | %FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#meta = #ttg.linear<{register = [[8, 0]], lane = [[0, 1], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>

// CHECK: has an operand that was not converted to LLVM; run this pass right after the conversion
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @dot(%values: tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %meta: tensor<16x2xi16, #meta>, %b: tensor<32x8xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>, %acc: tensor<16x8xf32, #mma>) {
    %product = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, tensor<16x2xi16, #meta>, tensor<32x8xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<16x8xf32, #mma>
    tt.return
  }
}
