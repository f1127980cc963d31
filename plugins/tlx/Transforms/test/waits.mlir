// RUN: %plugin_opt --pass tlx_drain_copies %s | %FileCheck %s --check-prefix=DRAIN
// RUN: %plugin_opt --pass tlx_lower_waits %s | %FileCheck %s --check-prefix=LOWER

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // DRAIN-LABEL: @runs_on
  // LOWER-LABEL: @runs_on
  tt.func @runs_on(%steps: i32, %pointers: tensor<64x64x!tt.ptr<f16>, #blocked>, %c: tensor<64x64xf32, #mma>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %buffers = ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %view = ttg.memdesc_index %buffers[%zero] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      // LOWER: ttg.async_wait {num = 1 : i32}
      // LOWER-NEXT: ttng.fence_async_shared {bCluster = false}
      %copied = tlx.async_wait {pendings = 1 : i32}
      %dot = ttng.warp_group_dot %view, %view, %acc : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
      %copy = ttg.async_copy_global_to_local %pointers, %view : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
      %group = ttg.async_commit_group
      scf.yield %dot : tensor<64x64xf32, #mma>
    }
    // DRAIN: scf.yield
    // DRAIN-NEXT: }
    // DRAIN-NEXT: tlx.async_wait {pendings = 0 : i32}
    // DRAIN-NEXT: tt.return
    tt.return
  }

  // DRAIN-LABEL: @drained
  // LOWER-LABEL: @drained
  tt.func @drained(%pointers: tensor<64x64x!tt.ptr<f16>, #blocked>) -> tensor<64x64xf16, #blocked> {
    %zero = arith.constant 0 : i32
    %buffers = ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %view = ttg.memdesc_index %buffers[%zero] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %copy = ttg.async_copy_global_to_local %pointers, %view : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    %group = ttg.async_commit_group
    // No wgmma reads here, so there is no fence.
    // LOWER: ttg.async_wait {num = 0 : i32}
    // LOWER-NOT: fence
    // DRAIN: tlx.async_wait
    %copied = tlx.async_wait {pendings = 0 : i32}
    %value = ttg.local_load %view : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #blocked>
    // DRAIN-NOT: tlx.async_wait
    tt.return %value : tensor<64x64xf16, #blocked>
  }
}
