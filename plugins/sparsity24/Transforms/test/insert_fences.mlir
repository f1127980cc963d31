// RUN: %plugin_opt --pass sparsity24_insert_fences --split-input-file %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#meta = #ttg.linear<{register = [[8, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @from_registers
  tt.func @from_registers(%x: tensor<64x32xf16, #blocked>, %meta: tensor<64x4xi16, #meta>, %b: !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>, %acc: tensor<64x64xf32, #mma>) {
    %values = ttg.local_alloc %x : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
    // CHECK: ttng.fence_async_shared {bCluster = false}
    // CHECK-NEXT: sparsity24.async_sparse_dot
    %product = sparsity24.async_sparse_dot %values, %meta, %b, %acc : !ttg.memdesc<64x32xf16, #shared, #smem>, tensor<64x4xi16, #meta>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.return
  }

  // CHECK-LABEL: @from_tma
  // CHECK-NOT: fence
  tt.func @from_tma(%desc: !tt.tensordesc<64x64xf16, #shared1>, %meta: tensor<64x4xi16, #meta>, %barrier: !ttg.memdesc<1xi64, #shared2, #smem, mutable>, %acc: tensor<64x64xf32, #mma>) {
    %zero = arith.constant 0 : i32
    %true = arith.constant true
    %values = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
    %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable>
    %b = ttg.memdesc_index %buffers[%zero] : !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    ttng.async_tma_copy_global_to_local %desc[%zero, %zero] %b, %barrier, %true : !tt.tensordesc<64x64xf16, #shared1>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    %product = sparsity24.async_sparse_dot %values, %meta, %b, %acc : !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<64x4xi16, #meta>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.return
  }

  // CHECK-LABEL: @from_copies
  tt.func @from_copies(%pointers: tensor<64x64x!tt.ptr<f16>, #blocked>, %meta: tensor<64x4xi16, #meta>, %acc: tensor<64x64xf32, #mma>) {
    %zero = arith.constant 0 : i32
    %values = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
    %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable>
    %b = ttg.memdesc_index %buffers[%zero] : !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    %copy = ttg.async_copy_global_to_local %pointers, %b : tensor<64x64x!tt.ptr<f16>, #blocked> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    // CHECK: ttng.fence_async_shared {bCluster = false}
    // CHECK-NEXT: sparsity24.async_sparse_dot
    %product = sparsity24.async_sparse_dot %values, %meta, %b, %acc : !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<64x4xi16, #meta>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.return
  }
}
