// RUN: %plugin_opt --pass sparsity24_enter_ttgpuir --pass ttir.convert_to_ttgpuir=cuda:90,4,32,1 --pass sparsity24_exit_ttgpuir %s | %FileCheck %s

// CHECK-LABEL: @dot
// CHECK-NOT: tt.call
tt.func @dot(%values: tensor<64x32xf16>, %meta: tensor<64x4xi16>, %b: tensor<64x64xf16>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: sparsity24.sparse_dot %{{.*}} : tensor<64x32xf16, #{{.*}}>, tensor<64x4xi16, #{{.*}}>, tensor<64x64xf16, #{{.*}}> -> tensor<64x64xf32, #{{.*}}>
  %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x32xf16>, tensor<64x4xi16>, tensor<64x64xf16> -> tensor<64x64xf32>
  tt.return %result : tensor<64x64xf32>
}
