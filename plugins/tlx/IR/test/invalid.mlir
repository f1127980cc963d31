// RUN: %plugin_opt --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: 'tlx.local_alloc' op needs the number of buffers and a shape, but got [3]
tt.func @no_shape() {
  %buffers = tlx.local_alloc : !tlx.buffer<3xf16>
  tt.return
}

// -----

// CHECK: allocates buffers of shape [96, 64], but every dimension must be a power of two
tt.func @no_power_of_two() {
  %buffers = tlx.local_alloc : !tlx.buffer<3x96x64xf16>
  tt.return
}

// -----

// CHECK: a buffer holds elements of whole bytes, not 'i1'
tt.func @bits() {
  %buffers = tlx.local_alloc : !tlx.buffer<3x128xi1>
  tt.return
}

// -----

// CHECK: 'tlx.local_view' op takes buffer 3 of 3
tt.func @index(%buffers: !tlx.buffer<3x128x64xf16>) {
  %three = arith.constant 3 : i32
  %view = tlx.local_view %buffers[%three] : !tlx.buffer<3x128x64xf16> -> !tlx.buffer<128x64xf16>
  tt.return
}

// -----

// CHECK: 'tlx.local_view' op makes
tt.func @view(%buffers: !tlx.buffer<3x128x64xf16>, %index: i32) {
  %view = tlx.local_view %buffers[%index] : !tlx.buffer<3x128x64xf16> -> !tlx.buffer<64x128xf16>
  tt.return
}

// -----

// CHECK: 'tlx.local_store' op moves a tensor of shape [64, 64] but the buffer's shape is [128, 64]
tt.func @store_shape(%value: tensor<64x64xf16>, %view: !tlx.buffer<128x64xf16>) {
  tlx.local_store %value, %view : tensor<64x64xf16> -> !tlx.buffer<128x64xf16>
  tt.return
}

// -----

// CHECK: 'tlx.local_load' op moves elements of 'f32' but the buffer holds 'f16'
tt.func @load_element(%view: !tlx.buffer<128x64xf16>) {
  %value = tlx.local_load %view : !tlx.buffer<128x64xf16> -> tensor<128x64xf32>
  tt.return
}

// -----

// CHECK: 'tlx.async_load' op moves elements of 'bf16' but the buffer holds 'f16'
tt.func @copy_element(%pointers: tensor<128x64x!tt.ptr<bf16>>, %view: !tlx.buffer<128x64xf16>) {
  %copy = tlx.async_load %pointers, %view : tensor<128x64x!tt.ptr<bf16>> -> !tlx.buffer<128x64xf16>
  tt.return
}

// -----

// CHECK: 'tlx.async_wait' op cannot leave -1 groups pending
tt.func @wait() {
  %done = tlx.async_wait {pendings = -1 : i32}
  tt.return
}

// -----

// CHECK: 'tlx.async_dot_wait' op cannot leave -2 products pending
tt.func @dot_wait(%value: tensor<128x256xf32>) {
  %done = tlx.async_dot_wait %value {pendings = -2 : i32} : tensor<128x256xf32>
  tt.return
}

// -----

// CHECK: has shapes that don't fit: a [128, 64] @ b [32, 256] + accumulator [128, 256]
tt.func @dot_shapes(%a: !tlx.buffer<128x64xf16>, %b: !tlx.buffer<32x256xf16>, %c: tensor<128x256xf32>) {
  %d = tlx.async_dot %a, %b, %c : !tlx.buffer<128x64xf16> * !tlx.buffer<32x256xf16> -> tensor<128x256xf32>
  tt.return
}

// -----

// CHECK: cannot multiply 'f16' by 'bf16' into 'f32'
tt.func @dot_elements(%a: !tlx.buffer<128x64xf16>, %b: !tlx.buffer<64x256xbf16>, %c: tensor<128x256xf32>) {
  %d = tlx.async_dot %a, %b, %c : !tlx.buffer<128x64xf16> * !tlx.buffer<64x256xbf16> -> tensor<128x256xf32>
  tt.return
}

// -----

// CHECK: needs M in steps of 64, N in steps of 8 and K in steps of 16 for 'f16', but M, N, K are 32, 256, 64
tt.func @dot_steps(%a: !tlx.buffer<32x64xf16>, %b: !tlx.buffer<64x256xf16>, %c: tensor<32x256xf32>) {
  %d = tlx.async_dot %a, %b, %c : !tlx.buffer<32x64xf16> * !tlx.buffer<64x256xf16> -> tensor<32x256xf32>
  tt.return
}

// -----

// CHECK: multiplies f32 as tf32 on wgmma, but the input precision is ieee
tt.func @dot_precision(%a: !tlx.buffer<64x64xf32>, %b: !tlx.buffer<64x64xf32>, %c: tensor<64x64xf32>) {
  %d = tlx.async_dot %a, %b, %c {inputPrecision = 2 : i32} : !tlx.buffer<64x64xf32> * !tlx.buffer<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

// CHECK: multiplies matrices, but the shapes are [2, 64, 64], [2, 64, 64] and [2, 64, 64]
tt.func @batches(%a: !tlx.buffer<2x64x64xf16>, %acc: tensor<2x64x64xf32>) {
  %dot = tlx.async_dot %a, %a, %acc : !tlx.buffer<2x64x64xf16> * !tlx.buffer<2x64x64xf16> -> tensor<2x64x64xf32>
  tt.return
}

// -----

// CHECK: has buffer 1 in no group
tt.func @no_group() {
  %storage = tlx.storage_alias_spec
  %a = tlx.local_alloc reuse %storage : !tlx.buffer<2x64xf16> reuse !tlx.storage
  %b = tlx.local_alloc reuse %storage : !tlx.buffer<2x64xf16> reuse !tlx.storage
  tlx.set_buffer_overlap %storage, %a, %b {groups = {kind = "shared", size = 1 : i64, members = [0]}} : !tlx.buffer<2x64xf16>, !tlx.buffer<2x64xf16>
  tt.return
}
