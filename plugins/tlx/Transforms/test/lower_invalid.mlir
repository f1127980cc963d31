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

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 64], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK: async_dot needs wgmma, which sm_90a has and hip:gfx942 has not
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @amd(%a: !tlx.buffer<64x64xf16>, %b: !tlx.buffer<64x128xf16>, %c: tensor<64x128xf32, #blocked>) {
    %dot = tlx.async_dot %a, %b, %c : !tlx.buffer<64x64xf16> * !tlx.buffer<64x128xf16> -> tensor<64x128xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK: reads b of 'f8E4M3FN' with K not contiguous in memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @rows_of_n(%c: tensor<64x128xf32, #blocked>) {
    %zero = arith.constant 0 : i32
    %as = tlx.local_alloc : !tlx.buffer<1x64x64xf8E4M3FN>
    %bs = tlx.local_alloc : !tlx.buffer<1x64x128xf8E4M3FN>
    %a = tlx.local_view %as[%zero] : !tlx.buffer<1x64x64xf8E4M3FN> -> !tlx.buffer<64x64xf8E4M3FN>
    %b = tlx.local_view %bs[%zero] : !tlx.buffer<1x64x128xf8E4M3FN> -> !tlx.buffer<64x128xf8E4M3FN>
    %dot = tlx.async_dot %a, %b, %c : !tlx.buffer<64x64xf8E4M3FN> * !tlx.buffer<64x128xf8E4M3FN> -> tensor<64x128xf32, #blocked>
    tt.return
  }
}
