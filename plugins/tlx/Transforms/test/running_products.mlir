// RUN: %plugin_opt --pass tlx_lower --split-input-file %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// The accumulator runs on into the next iteration. The product started there
// before the wait is what the wait leaves running.

// CHECK-LABEL: @across_iterations
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @across_iterations(%n: i32, %p: tensor<64x64xf16, #blocked>) -> tensor<64x64xf32, #blocked> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32, #blocked>
    %bufs = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
    %b = tlx.local_view %bufs[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
    // CHECK: ttng.warp_group_dot
    %first = tlx.async_dot %p, %b, %zeros : tensor<64x64xf16, #blocked> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32, #blocked>
    // CHECK: scf.for
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %first) -> (tensor<64x64xf32, #blocked>) : i32 {
      %other = tlx.async_dot %p, %b, %zeros : tensor<64x64xf16, #blocked> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32, #blocked>
      // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32
      %waited = tlx.async_dot_wait %acc {pendings = 1 : i32} : tensor<64x64xf32, #blocked>
      %scaled = arith.mulf %waited, %zeros : tensor<64x64xf32, #blocked>
      %next = tlx.async_dot %p, %b, %scaled : tensor<64x64xf16, #blocked> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32, #blocked>
      scf.yield %next : tensor<64x64xf32, #blocked>
    }
    %last = tlx.async_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #blocked>
    tt.return %last : tensor<64x64xf32, #blocked>
  }
}
