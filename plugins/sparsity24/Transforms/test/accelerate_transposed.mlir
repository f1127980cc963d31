// RUN: %plugin_opt --pass sparsity24_accelerate_dot %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>

// A transposed operand is stored as it was before, and read through a view.

// CHECK: #[[$SHARED:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK: #[[$TRANSPOSED:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-LABEL: @transposed
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @transposed(%values: tensor<64x64xf16, #blocked>, %meta: tensor<64x8xi16, #blocked>, %x: tensor<64x128xf16, #blocked>, %acc: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %trans = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x128xf16, #blocked> -> tensor<128x64xf16, #blocked1>
    %b = ttg.convert_layout %trans : tensor<128x64xf16, #blocked1> -> tensor<128x64xf16, #blocked>
    // CHECK: %[[X:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x128xf16, #{{.*}}>) -> !ttg.memdesc<64x128xf16, #[[$SHARED]], #smem>
    // CHECK: %[[B:.*]] = ttg.memdesc_trans %[[X]] {order = array<i32: 1, 0>} : !ttg.memdesc<64x128xf16, #[[$SHARED]], #smem> -> !ttg.memdesc<128x64xf16, #[[$TRANSPOSED]], #smem>
    // CHECK: sparsity24.async_sparse_dot %{{.*}}, %{{.*}}, %[[B]]
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x64xf16, #blocked>, tensor<64x8xi16, #blocked>, tensor<128x64xf16, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %result : tensor<64x64xf32, #blocked>
  }
}
