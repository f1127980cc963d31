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

// -----

// CHECK: transposes several buffers; take one of them with tlx.local_view first
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @several() {
    %bufs = tlx.local_alloc : !tlx.buffer<2x64x32xf16>
    %transposed = tlx.local_trans %bufs {order = array<i32: 0, 2, 1>} : !tlx.buffer<2x64x32xf16> -> !tlx.buffer<2x32x64xf16>
    tt.return
  }
}

// -----

// CHECK: copies the bytes of a buffer as they lie in memory, but wgmma or TMA have them swizzled; copy them through a descriptor
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @swizzled_bytes(%pointer: !tt.ptr<f16>, %desc: !tt.tensordesc<64x64xf16>) {
    %zero = arith.constant 0 : i32
    %bytes = arith.constant 8192 : i32
    %bufs = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
    %view = tlx.local_view %bufs[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
    tlx.async_descriptor_store %desc[%zero, %zero], %view : !tt.tensordesc<64x64xf16>, !tlx.buffer<64x64xf16>
    tlx.async_store %pointer, %view, %bytes : !tt.ptr<f16>, !tlx.buffer<64x64xf16>
    tt.return
  }
}

// -----

// CHECK: has another layout than an allocation whose buffers become the same values
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @two_layouts(%c: i1) {
    %zero = arith.constant 0 : i32
    %a = tlx.local_alloc {layout = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>} : !tlx.buffer<1x64x64xf16>
    %b = tlx.local_alloc {layout = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>} : !tlx.buffer<1x64x64xf16>
    %first = tlx.local_view %a[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
    %second = tlx.local_view %b[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
    %either = scf.if %c -> !tlx.buffer<64x64xf16> {
      scf.yield %first : !tlx.buffer<64x64xf16>
    } else {
      scf.yield %second : !tlx.buffer<64x64xf16>
    }
    tt.return
  }
}

// -----

// Rows of the slice are those of the wider buffer, swizzled over 128 bytes.
// CHECK: copies a buffer of layout
// CHECK-SAME: through a descriptor that is used with
// CHECK-SAME: elsewhere; use one descriptor for each layout
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @two_descriptors(%desc: !tt.tensordesc<64x32xf16>) {
    %zero = arith.constant 0 : i32
    %narrow = tlx.local_alloc : !tlx.buffer<1x64x32xf16>
    %wide = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
    %one = tlx.local_view %narrow[%zero] : !tlx.buffer<1x64x32xf16> -> !tlx.buffer<64x32xf16>
    %other = tlx.local_view %wide[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
    %part = tlx.local_slice %other [0, 0] : !tlx.buffer<64x64xf16> -> !tlx.buffer<64x32xf16>
    tlx.async_descriptor_store %desc[%zero, %zero], %one : !tt.tensordesc<64x32xf16>, !tlx.buffer<64x32xf16>
    tlx.async_descriptor_store %desc[%zero, %zero], %part : !tt.tensordesc<64x32xf16>, !tlx.buffer<64x32xf16>
    tt.return
  }
}
