// RUN: %plugin_opt --pass sparsity24_expand_compression --split-input-file %s | %FileCheck %s

// CHECK-LABEL: @compress
tt.func @compress(%dense: tensor<16x64xf16>) -> (tensor<16x32xf16>, tensor<16x4xi16>) {
  // Elements are compared by their bits: negative zero is not zero.
  // CHECK: %[[BITS:.*]] = tt.bitcast %{{.*}} : tensor<16x64xf16> -> tensor<16x64xi16>
  // CHECK: %[[GROUPS:.*]] = tt.reshape %[[BITS]] : tensor<16x64xi16> -> tensor<16x16x2x2xi16>
  // CHECK: tt.split
  // CHECK: arith.cmpi eq
  // CHECK: %[[VALUES:.*]] = tt.bitcast %{{.*}} : tensor<16x32xi16> -> tensor<16x32xf16>
  // CHECK: tt.return %[[VALUES]], %{{.*}} : tensor<16x32xf16>, tensor<16x4xi16>
  // CHECK-NOT: sparsity24
  %values, %meta = sparsity24.compress %dense : tensor<16x64xf16> -> tensor<16x32xf16>, tensor<16x4xi16>
  tt.return %values, %meta : tensor<16x32xf16>, tensor<16x4xi16>
}

// -----

// CHECK-LABEL: @decompress
tt.func @decompress(%values: tensor<16x32xbf16>, %meta: tensor<16x4xi16>) -> tensor<16x64xbf16> {
  // CHECK: tt.split
  // CHECK: arith.shrui
  // CHECK: tt.join
  // CHECK: %[[DENSE:.*]] = tt.bitcast %{{.*}} : tensor<16x64xi16> -> tensor<16x64xbf16>
  // CHECK: tt.return %[[DENSE]]
  // CHECK-NOT: sparsity24
  %dense = sparsity24.decompress %values, %meta : tensor<16x32xbf16>, tensor<16x4xi16> -> tensor<16x64xbf16>
  tt.return %dense : tensor<16x64xbf16>
}
