// RUN: %plugin_opt --pass tlx_lower --split-input-file --expect-failure %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK: uses the result of an async_dot that may still run; put async_dot_wait(0, result) before it
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @no_wait(%a: !tlx.buffer<64x64xf16>, %b: !tlx.buffer<64x128xf16>, %c: tensor<64x128xf32, #blocked>) -> tensor<64x128xf32, #blocked> {
    %dot = tlx.async_dot %a, %b, %c : !tlx.buffer<64x64xf16> * !tlx.buffer<64x128xf16> -> tensor<64x128xf32, #blocked>
    tt.return %dot : tensor<64x128xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// One product may stay pending, and there is but one.
// CHECK: uses the result of an async_dot that may still run
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @wait_for_another(%a: !tlx.buffer<64x64xf16>, %b: !tlx.buffer<64x128xf16>, %c: tensor<64x128xf32, #blocked>) -> tensor<64x128xf32, #blocked> {
    %dot = tlx.async_dot %a, %b, %c : !tlx.buffer<64x64xf16> * !tlx.buffer<64x128xf16> -> tensor<64x128xf32, #blocked>
    %wait = tlx.async_dot_wait %dot {pendings = 1 : i32} : tensor<64x128xf32, #blocked>
    tt.return %wait : tensor<64x128xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK: needs another order of the buffer's dimensions in memory than tlx.async_dot of the same buffer
// CHECK-SAME: wgmma reads elements of other than 16 bits with K contiguous only
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @square(%c: tensor<64x64xf32, #blocked>) {
    %zero = arith.constant 0 : i32
    %as = tlx.local_alloc : !tlx.buffer<1x64x64xf8E4M3FN>
    %a = tlx.local_view %as[%zero] : !tlx.buffer<1x64x64xf8E4M3FN> -> !tlx.buffer<64x64xf8E4M3FN>
    %dot = tlx.async_dot %a, %a, %c : !tlx.buffer<64x64xf8E4M3FN> * !tlx.buffer<64x64xf8E4M3FN> -> tensor<64x64xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// One branch starts no product, so the wait may leave that of the accumulator.

// CHECK: uses the result of an async_dot that may still run
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @one_branch(%c: i1, %p: tensor<64x64xf16, #blocked>) -> tensor<64x64xf32, #blocked> {
    %zero = arith.constant 0 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32, #blocked>
    %bufs = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
    %b = tlx.local_view %bufs[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
    %first = tlx.async_dot %p, %b, %zeros : tensor<64x64xf16, #blocked> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32, #blocked>
    %other = scf.if %c -> tensor<64x64xf32, #blocked> {
      %product = tlx.async_dot %p, %b, %zeros : tensor<64x64xf16, #blocked> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32, #blocked>
      scf.yield %product : tensor<64x64xf32, #blocked>
    } else {
      scf.yield %zeros : tensor<64x64xf32, #blocked>
    }
    %waited = tlx.async_dot_wait %first {pendings = 1 : i32} : tensor<64x64xf32, #blocked>
    tt.return %waited : tensor<64x64xf32, #blocked>
  }
}

// -----

// CHECK: arrives in a task of 4 warps at a barrier for tasks of 1; each warp arrives, so tlx.alloc_warp_barrier must know: num_warps=4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @other_warps(%i: i32) {
    %barriers = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
    %barrier = tlx.local_view %barriers[%i] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
    tlx.barrier_arrive %barrier, 1 {warps = 1 : i32} : !tlx.buffer<1xi64>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK: accumulates what a product of another element type or shape made; wait and start a new accumulator between them
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @two_types(%a: !tlx.buffer<64x64xf16>, %b: !tlx.buffer<64x64xf8E4M3FN>, %c: tensor<64x64xf32, #blocked>) {
    %first = tlx.async_dot %a, %a, %c : !tlx.buffer<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32, #blocked>
    %second = tlx.async_dot %b, %b, %first : !tlx.buffer<64x64xf8E4M3FN> * !tlx.buffer<64x64xf8E4M3FN> -> tensor<64x64xf32, #blocked>
    %done = tlx.async_dot_wait %second {pendings = 0 : i32} : tensor<64x64xf32, #blocked>
    tt.return
  }
}

// -----

// CHECK: allocates barriers inside of a loop, a branch or a task, where they would be made anew while others still use them; move it to the top of the kernel
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @barriers_in_a_loop(%n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %i = %zero to %n step %one : i32 {
      %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
    }
    tt.return
  }
}
