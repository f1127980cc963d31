// RUN: %plugin_opt --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: error: 'tlx.alloc_descriptors' op makes 0 slots for descriptors; the number must be 1 or more
tt.func @no_slots() {
  %slots = tlx.alloc_descriptors 0 : !tt.ptr<i8>
  tt.return
}

// -----

// CHECK: error: 'tlx.make_descriptor' op makes a descriptor of 'bf16' for a pointer to 'f16'
tt.func @element(%slot: !tt.ptr<i8>, %base: !tt.ptr<f16>, %size: i32, %stride: i64) {
  %made = tlx.make_descriptor %slot, %base, [%size], [%stride] : !tt.ptr<i8>, !tt.ptr<f16> -> !tt.tensordesc<64xbf16>
  tt.return
}

// -----

// CHECK: error: 'tlx.make_descriptor' op describes a tensor of 1 dimensions by blocks of 2
tt.func @rank(%slot: !tt.ptr<i8>, %base: !tt.ptr<f16>, %size: i32, %stride: i64) {
  %made = tlx.make_descriptor %slot, %base, [%size], [%stride] : !tt.ptr<i8>, !tt.ptr<f16> -> !tt.tensordesc<8x64xf16>
  tt.return
}

// -----

// CHECK: error: 'tlx.async_descriptor_prefetch' op has 1 offsets for a descriptor of 2 dimensions
tt.func @offsets(%descriptor: !tt.tensordesc<64x64xf16>, %i: i32) {
  tlx.async_descriptor_prefetch %descriptor[%i] : !tt.tensordesc<64x64xf16>
  tt.return
}

// -----

// CHECK: error: 'tlx.async_bulk_load' op copies 24 bytes; the number must be a multiple of 16
tt.func @bulk_size(%source: !tt.ptr<f16>, %buffer: !tlx.buffer<64xf16>, %barrier: !tlx.buffer<1xi64>) {
  %size = arith.constant 24 : i32
  tlx.async_bulk_load %source, %buffer, %size, %barrier : !tt.ptr<f16> -> !tlx.buffer<64xf16>, !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.async_bulk_load' op copies -16 bytes; the number must be a multiple of 16
tt.func @negative_bulk_size(%source: !tt.ptr<f16>, %buffer: !tlx.buffer<64xf16>, %barrier: !tlx.buffer<1xi64>) {
  %size = arith.constant -16 : i32
  tlx.async_bulk_load %source, %buffer, %size, %barrier : !tt.ptr<f16> -> !tlx.buffer<64xf16>, !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.async_bulk_load' op copies 256 bytes of 128
tt.func @bulk_fits(%source: !tt.ptr<f16>, %buffer: !tlx.buffer<64xf16>, %barrier: !tlx.buffer<1xi64>) {
  %size = arith.constant 256 : i32
  tlx.async_bulk_load %source, %buffer, %size, %barrier : !tt.ptr<f16> -> !tlx.buffer<64xf16>, !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.assert_same_layout' op compares with another value or with a layout, one of the two
tt.func @nothing_to_compare(%a: tensor<64xf32>) {
  tlx.assert_same_layout %a : tensor<64xf32>
  tt.return
}

// -----

// CHECK: error: 'tlx.assert_same_layout' op compares a tensor, which is in registers, with a buffer, which is in memory
tt.func @registers_and_memory(%a: tensor<64xf32>, %b: !tlx.buffer<64xf32>) {
  tlx.assert_same_layout %a as %b : tensor<64xf32> as !tlx.buffer<64xf32>
  tt.return
}
