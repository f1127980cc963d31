// RUN: %plugin_opt --pass tlx_lower --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: error: takes a descriptor of 'f16' blocks of shape [64, 64] out of slots where make_tensor_descriptor makes none; make it with the same block_shape and dtype
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @never_made(%base: !tt.ptr<f16>, %m: i32, %stride: i64) {
    %one = arith.constant 1 : i64
    %slots = tlx.alloc_descriptors 1 : !tt.ptr<i8>
    %made = tlx.make_descriptor %slots, %base, [%m, %m], [%stride, %one] : !tt.ptr<i8>, !tt.ptr<f16> -> !tt.tensordesc<128x64xf16>
    %taken = tlx.reinterpret_descriptor %slots : !tt.ptr<i8> -> !tt.tensordesc<64x64xf16>
    tt.return
  }
}

// -----

// CHECK: error: copies the bytes of a buffer as they lie in memory, but wgmma or TMA have them swizzled; copy them through a descriptor
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @bulk_into_swizzled(%descriptor: !tt.tensordesc<64x64xf16>, %source: !tt.ptr<f16>, %size: i32) {
    %zero = arith.constant 0 : i32
    %buffers = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
    %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
    %barriers = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
    %barrier = tlx.local_view %barriers[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
    tlx.async_bulk_load %source, %buffer, %size, %barrier : !tt.ptr<f16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    tlx.async_descriptor_store %descriptor[%zero, %zero], %buffer : !tt.tensordesc<64x64xf16>, !tlx.buffer<64x64xf16>
    tt.return
  }
}
