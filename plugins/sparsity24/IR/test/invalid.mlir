// RUN: %plugin_opt --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: has values of shape [64, 32] and meta of shape [64, 2]; these values need meta of shape [64, 4]
tt.func @meta_shape(%values: tensor<64x32xf16>, %meta: tensor<64x2xi16>, %b: tensor<64x64xf16>, %acc: tensor<64x64xf32>) {
  %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x32xf16>, tensor<64x2xi16>, tensor<64x64xf16> -> tensor<64x64xf32>
  tt.return
}

// -----

// CHECK: needs matrices, but values have 3
tt.func @rank(%values: tensor<1x64x32xf16>, %meta: tensor<64x4xi16>) {
  %dense = sparsity24.decompress %values, %meta : tensor<1x64x32xf16>, tensor<64x4xi16> -> tensor<64x64xf16>
  tt.return
}

// -----

// CHECK: has values of shape [64, 4], which stand for 8 columns
tt.func @columns(%values: tensor<64x4xf16>, %meta: tensor<64x1xi16>) {
  %dense = sparsity24.decompress %values, %meta : tensor<64x4xf16>, tensor<64x1xi16> -> tensor<64x8xf16>
  tt.return
}

// -----

// CHECK: multiplies values of 'f16' by b of 'bf16'; both must have the same type
tt.func @types(%values: tensor<64x32xf16>, %meta: tensor<64x4xi16>, %b: tensor<64x64xbf16>, %acc: tensor<64x64xf32>) {
  %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x32xf16>, tensor<64x4xi16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tt.return
}

// -----

// CHECK: accumulates products of bf16 in f16; f32 is needed
tt.func @accumulator(%values: tensor<64x32xbf16>, %meta: tensor<64x4xi16>, %b: tensor<64x64xbf16>, %acc: tensor<64x64xf16>) {
  %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x32xbf16>, tensor<64x4xi16>, tensor<64x64xbf16> -> tensor<64x64xf16>
  tt.return
}

// -----

// CHECK: must be ranked tensor of 16-bit float or bfloat16 type values
tt.func @integers(%values: tensor<64x32xi8>, %meta: tensor<64x4xi16>, %b: tensor<64x64xi8>, %acc: tensor<64x64xf32>) {
  %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x32xi8>, tensor<64x4xi16>, tensor<64x64xi8> -> tensor<64x64xf32>
  tt.return
}

// -----

// CHECK: expected the last dimension of the first operand
tt.func @inner_dimension(%values: tensor<64x32xf16>, %meta: tensor<64x4xi16>, %b: tensor<32x64xf16>, %acc: tensor<64x64xf32>) {
  %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x32xf16>, tensor<64x4xi16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tt.return
}

// -----

// CHECK: has a dense matrix of 'f16' with shape [64, 32]; the values need 'f16' with shape [64, 64]
tt.func @dense(%values: tensor<64x32xf16>, %meta: tensor<64x4xi16>) {
  %dense = sparsity24.decompress %values, %meta : tensor<64x32xf16>, tensor<64x4xi16> -> tensor<64x32xf16>
  tt.return
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
// CHECK: multiplies elements of 'f32'; float16 or bfloat16 is needed
tt.func @element(%values: !ttg.memdesc<64x32xf32, #shared, #smem>, %meta: tensor<64x4xi16>, %b: !ttg.memdesc<64x64xf32, #shared, #smem>, %acc: tensor<64x64xf32>) {
  %result = sparsity24.async_sparse_dot %values, %meta, %b, %acc : <64x32xf32, #shared, #smem>, tensor<64x4xi16>, <64x64xf32, #shared, #smem> -> tensor<64x64xf32>
  tt.return
}

// -----

#meta = #ttg.linear<{register = [[8, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#registers = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: has metadata in registers of type 'tensor<128x2xi32, {{.*}}; this metadata needs 'tensor<128x1xi32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @held(%meta: tensor<64x4xi16, #meta>, %previous: tensor<128x2xi32, #registers>) {
    %held = sparsity24.hold_meta %meta, %previous : tensor<64x4xi16, #meta>, tensor<128x2xi32, #registers>
    tt.return
  }
}

// -----

// CHECK: needs metadata with the layout that sparsity24-accelerate-dot gives it
tt.func @held_without_layout(%meta: tensor<64x4xi16>, %previous: tensor<128x1xi32>) {
  %held = sparsity24.hold_meta %meta, %previous : tensor<64x4xi16>, tensor<128x1xi32>
  tt.return
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#registers = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK: has metadata in registers of shape [128, 2]; this product needs [128, 1]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @registers(%values: !ttg.memdesc<64x32xf16, #shared, #smem>, %meta: tensor<128x2xi32, #registers>, %b: !ttg.memdesc<64x64xf16, #shared1, #smem>, %acc: tensor<64x64xf32, #mma>) {
    %result = sparsity24.async_sparse_dot %values, %meta, %b, %acc : !ttg.memdesc<64x32xf16, #shared, #smem>, tensor<128x2xi32, #registers>, !ttg.memdesc<64x64xf16, #shared1, #smem> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// CHECK: takes metadata in registers, but its result has no layout of an instruction
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @registers_too_early(%values: !ttg.memdesc<64x32xf16, #shared, #smem>, %meta: tensor<128x1xi32>, %b: !ttg.memdesc<64x64xf16, #shared1, #smem>, %acc: tensor<64x64xf32>) {
    %result = sparsity24.async_sparse_dot %values, %meta, %b, %acc : !ttg.memdesc<64x32xf16, #shared, #smem>, tensor<128x1xi32>, !ttg.memdesc<64x64xf16, #shared1, #smem> -> tensor<64x64xf32>
    tt.return
  }
}
