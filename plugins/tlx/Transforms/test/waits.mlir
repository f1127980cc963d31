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

  // What stock Triton has pipelined.
  // DRAIN-LABEL: @drained_by_stock
  // DRAIN-NOT: tlx.async_wait
  tt.func @drained_by_stock(%pointers: tensor<64x64x!tt.ptr<f16>, #blocked>) {
    %zero = arith.constant 0 : i32
    %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %view = ttg.memdesc_index %buffers[%zero] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %copy = ttg.async_copy_global_to_local %pointers, %view : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    %group = ttg.async_commit_group
    %copied = ttg.async_wait {num = 0 : i32}
    ttg.local_dealloc %buffers : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    tt.return
  }

  // LOWER-LABEL: @own_waits_only
  tt.func @own_waits_only(%steps: i32, %a: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %zeros: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32, #mma>) : i32 {
      // LOWER: %[[FIRST:.*]] = ttng.warp_group_dot
      // LOWER-NEXT: %[[SECOND:.*]] = ttng.warp_group_dot
      // LOWER-NEXT: ttng.warp_group_dot_wait %[[FIRST]] {pendings = 1 : i32, tlx.explicit}
      // LOWER-NEXT: ttng.warp_group_dot_wait %[[SECOND]] {pendings = 0 : i32, tlx.explicit}
      %first = ttng.warp_group_dot %a, %a, %zeros {isAsync = true, tlx.explicit} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
      %added:2 = ttng.warp_group_dot_wait %first, %a {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %second = ttng.warp_group_dot %a, %a, %acc {isAsync = true, tlx.explicit} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
      %done = ttng.warp_group_dot_wait %added#0 {pendings = 1 : i32, tlx.explicit} : tensor<64x64xf32, #mma>
      %rest = ttng.warp_group_dot_wait %second {pendings = 0 : i32, tlx.explicit} : tensor<64x64xf32, #mma>
      %next = arith.addf %done, %rest : tensor<64x64xf32, #mma>
      scf.yield %next : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }

  // LOWER-LABEL: @beside_dots_of_stock_triton
  tt.func @beside_dots_of_stock_triton(%a: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %zeros: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    // LOWER: ttng.warp_group_dot_wait
    %own = ttng.warp_group_dot %a, %a, %zeros {isAsync = true, tlx.explicit} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %stock = ttng.warp_group_dot %a, %a, %own {isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done = ttng.warp_group_dot_wait %stock {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    tt.return %done : tensor<64x64xf32, #mma>
  }

  // The warps that copy wait, not those of the default region.
  // DRAIN-LABEL: @in_partition
  tt.func @in_partition(%p: !tt.ptr<f16>) {
    %buffers = ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    ttg.warp_specialize(%buffers, %p)
    default {
      ttg.warp_yield
    }
    partition0(%captured: !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>, %q: !tt.ptr<f16>) num_warps(4) {
      %zero = arith.constant 0 : i32
      %pointers = tt.splat %q : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
      %view = ttg.memdesc_index %captured[%zero] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      // DRAIN: ttg.async_copy_global_to_local
      // DRAIN-NEXT: tlx.async_wait {pendings = 0 : i32}
      // DRAIN-NEXT: ttg.warp_return
      %copy = ttg.async_copy_global_to_local %pointers, %view : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
      ttg.warp_return
    } : (!ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>, !tt.ptr<f16>) -> ()
    // DRAIN-NEXT: }
    // DRAIN-NEXT: tt.return
    tt.return
  }
}
