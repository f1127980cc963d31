// RUN: %plugin_opt --pass sparsity24_accelerate_dot --split-input-file --expect-failure %s | %FileCheck %s

// What each architecture is told that it cannot do.

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK: multiplies 64x16 by 16x64 into 'f32' with 4 warps, but cuda:90 multiplies tiles of MxNxK in multiples of 64x8x32 (4 warps), 16x8x32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @depth(%values: tensor<64x8xf16, #blocked>, %meta: tensor<64x1xi16, #blocked>, %b: tensor<16x64xf16, #blocked>, %acc: tensor<64x64xf32, #blocked>) {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x8xf16, #blocked>, tensor<64x1xi16, #blocked>, tensor<16x64xf16, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: cuda:75 has no sparse matrix instruction known here
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:75", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @turing(%values: tensor<64x16xf16, #blocked>, %meta: tensor<64x2xi16, #blocked>, %b: tensor<32x64xf16, #blocked>, %acc: tensor<64x64xf32, #blocked>) {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x16xf16, #blocked>, tensor<64x2xi16, #blocked>, tensor<32x64xf16, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: into 'f16' with 4 warps, but hip:gfx942 multiplies tiles of MxNxK in multiples of 32x32x16 with a float32 accumulator, 16x16x32 with a float32 accumulator
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @half(%values: tensor<64x16xf16, #blocked>, %meta: tensor<64x2xi16, #blocked>, %b: tensor<32x64xf16, #blocked>, %acc: tensor<64x64xf16, #blocked>) {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x16xf16, #blocked>, tensor<64x2xi16, #blocked>, tensor<32x64xf16, #blocked> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}
