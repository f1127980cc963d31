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
