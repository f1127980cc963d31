// RUN: %plugin_opt %s | %plugin_opt - | %FileCheck %s

// CHECK-LABEL: @dot
tt.func @dot(%values: tensor<128x32xf16>, %meta: tensor<128x4xi16>, %b: tensor<64x256xf16>, %acc: tensor<128x256xf32>) -> tensor<128x256xf32> {
  // CHECK: sparsity24.sparse_dot %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x32xf16>, tensor<128x4xi16>, tensor<64x256xf16> -> tensor<128x256xf32>
  %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<128x32xf16>, tensor<128x4xi16>, tensor<64x256xf16> -> tensor<128x256xf32>
  tt.return %result : tensor<128x256xf32>
}

// CHECK-LABEL: @dot_accumulates_in_half
tt.func @dot_accumulates_in_half(%values: tensor<64x16xf16>, %meta: tensor<64x2xi16>, %b: tensor<32x64xf16>, %acc: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // CHECK: sparsity24.sparse_dot
  %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x16xf16>, tensor<64x2xi16>, tensor<32x64xf16> -> tensor<64x64xf16>
  tt.return %result : tensor<64x64xf16>
}

// CHECK-LABEL: @compression
tt.func @compression(%dense: tensor<16x64xbf16>) -> tensor<16x64xbf16> {
  // CHECK: %[[VALUES:.*]], %[[META:.*]] = sparsity24.compress %{{.*}} : tensor<16x64xbf16> -> tensor<16x32xbf16>, tensor<16x4xi16>
  %values, %meta = sparsity24.compress %dense : tensor<16x64xbf16> -> tensor<16x32xbf16>, tensor<16x4xi16>
  // CHECK: sparsity24.decompress %[[VALUES]], %[[META]] : tensor<16x32xbf16>, tensor<16x4xi16> -> tensor<16x64xbf16>
  %again = sparsity24.decompress %values, %meta : tensor<16x32xbf16>, tensor<16x4xi16> -> tensor<16x64xbf16>
  tt.return %again : tensor<16x64xbf16>
}
