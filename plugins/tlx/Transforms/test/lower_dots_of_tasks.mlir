// RUN: %plugin_opt --pass tlx_lower %s | %FileCheck %s

// A partition that captures a buffer keeps it alive already.

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK-LABEL: @beside_a_partition
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @beside_a_partition() {
    %zero = arith.constant 0 : i32
    // CHECK: %[[CAPTURED:.*]] = ttg.local_alloc
    %a = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
    // CHECK: %[[OWN:.*]] = ttg.local_alloc
    %b = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
    // CHECK: ttg.warp_specialize(%[[CAPTURED]])
    ttg.warp_specialize(%a)
    default {
      %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #blocked>
      %aview = tlx.local_view %a[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
      %bview = tlx.local_view %b[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
      // CHECK: %[[DOT:.*]] = ttng.warp_group_dot
      %dot = tlx.async_dot %aview, %bview, %zeros : !tlx.buffer<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32, #blocked>
      // CHECK: ttng.warp_group_dot_wait %[[DOT]], %[[OWN]] {pendings = 0 : i32, tlx.explicit}
      %done = tlx.async_dot_wait %dot {pendings = 0 : i32} : tensor<64x64xf32, #blocked>
      ttg.warp_yield
    }
    partition0(%captured: !tlx.buffer<1x64x64xf16>) num_warps(4) {
      ttg.warp_return
    } : (!tlx.buffer<1x64x64xf16>) -> ()
    tt.return
  }
}
