// RUN: %plugin_opt --pass tlx_lower --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: merges a buffer and a transposed one into one value; transpose after it
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @two_ways(%i: i32, %c: i1) {
    %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
    %view = tlx.local_view %bufs[%i] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
    %transposed = tlx.local_trans %view {order = array<i32: 1, 0>} : !tlx.buffer<64x64xf16> -> !tlx.buffer<64x64xf16>
    %either = scf.if %c -> !tlx.buffer<64x64xf16> {
      scf.yield %view : !tlx.buffer<64x64xf16>
    } else {
      scf.yield %transposed : !tlx.buffer<64x64xf16>
    }
    tt.return
  }
}

// -----

// CHECK: merges a buffer and a slice into one value; take the slice after it
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @two_strides(%i: i32, %c: i1) {
    %zero = arith.constant 0 : i32
    %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
    %view = tlx.local_view %bufs[%i] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
    %wide = tlx.local_alloc : !tlx.buffer<1x64x128xf16>
    %one = tlx.local_view %wide[%zero] : !tlx.buffer<1x64x128xf16> -> !tlx.buffer<64x128xf16>
    %slice = tlx.local_slice %one [0, 64] : !tlx.buffer<64x128xf16> -> !tlx.buffer<64x64xf16>
    %either = scf.if %c -> !tlx.buffer<64x64xf16> {
      scf.yield %view : !tlx.buffer<64x64xf16>
    } else {
      scf.yield %slice : !tlx.buffer<64x64xf16>
    }
    tt.return
  }
}

// -----

// CHECK: reinterprets a slice; take the slice of what the whole buffer is reinterpreted as
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @part(%i: i32) {
    %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
    %view = tlx.local_view %bufs[%i] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
    %slice = tlx.local_slice %view [0, 32] : !tlx.buffer<64x64xf16> -> !tlx.buffer<64x32xf16>
    %words = tlx.local_reinterpret %slice : !tlx.buffer<64x32xf16> -> !tlx.buffer<64x16xf32>
    tt.return
  }
}
