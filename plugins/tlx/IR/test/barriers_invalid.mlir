// RUN: %plugin_opt --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: error: 'tlx.alloc_barriers' op makes barriers for 0 arrivals; the number must be 1 to 1048575
tt.func @no_arrivals() {
  %barriers = tlx.alloc_barriers 0 : !tlx.buffer<3x1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.alloc_barriers' op makes '!tlx.buffer<3x2xi64>', but n barriers are !tlx.buffer<nx1xi64>
tt.func @no_barriers() {
  %barriers = tlx.alloc_barriers 1 : !tlx.buffer<3x2xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.alloc_barriers' op makes '!tlx.buffer<3xi64>', but n barriers are !tlx.buffer<nx1xi64>
tt.func @no_number() {
  %barriers = tlx.alloc_barriers 1 : !tlx.buffer<3xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.alloc_barriers' op makes '!tlx.buffer<3x1xi32>', but n barriers are !tlx.buffer<nx1xi64>
tt.func @narrow() {
  %barriers = tlx.alloc_barriers 1 : !tlx.buffer<3x1xi32>
  tt.return
}

// -----

// CHECK: error: 'tlx.alloc_barriers' op makes barriers for 1048576 arrivals; the number must be 1 to 1048575
tt.func @many_arrivals() {
  %barriers = tlx.alloc_barriers 1048576 : !tlx.buffer<3x1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.barrier_wait' op operand #0 must be one barrier of tlx.alloc_barriers, but got '!tlx.buffer<3x1xi64>'
tt.func @all_barriers(%phase: i32) {
  %barriers = tlx.alloc_barriers 1 : !tlx.buffer<3x1xi64>
  tlx.barrier_wait %barriers, %phase : !tlx.buffer<3x1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.barrier_arrive' op arrives 0 times; the number must be 1 to 1048575
tt.func @no_arrival(%barrier: !tlx.buffer<1xi64>) {
  tlx.barrier_arrive %barrier, 0 : !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.barrier_arrive' op arrives 1048576 times; the number must be 1 to 1048575
tt.func @arrives_too_often(%barrier: !tlx.buffer<1xi64>) {
  tlx.barrier_arrive %barrier, 1048576 : !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.barrier_expect' op expects 1048576 bytes; a barrier counts 0 to 1048575 in one phase
tt.func @many_bytes(%barrier: !tlx.buffer<1xi64>) {
  tlx.barrier_expect %barrier, 1048576 : !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.async_descriptor_load' op copies blocks of shape [128, 64], which the descriptor has, but the buffer's shape is [64, 64]
tt.func @shape(%descriptor: !tt.tensordesc<128x64xf16>, %buffer: !tlx.buffer<64x64xf16>, %barrier: !tlx.buffer<1xi64>, %i: i32) {
  tlx.async_descriptor_load %descriptor[%i, %i], %buffer, %barrier : !tt.tensordesc<128x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.async_descriptor_load' op copies blocks of shape [2, 64, 64], which the descriptor has, but the buffer's shape is [64, 64]
tt.func @leading(%descriptor: !tt.tensordesc<2x64x64xf16>, %buffer: !tlx.buffer<64x64xf16>, %barrier: !tlx.buffer<1xi64>, %i: i32) {
  tlx.async_descriptor_load %descriptor[%i, %i, %i], %buffer, %barrier : !tt.tensordesc<2x64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.async_descriptor_load' op copies elements of 'f16', which the descriptor has, but the buffer holds 'bf16'
tt.func @element(%descriptor: !tt.tensordesc<64x64xf16>, %buffer: !tlx.buffer<64x64xbf16>, %barrier: !tlx.buffer<1xi64>, %i: i32) {
  tlx.async_descriptor_load %descriptor[%i, %i], %buffer, %barrier : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xbf16>, !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.async_descriptor_load' op has 1 offsets for a descriptor of 2 dimensions
tt.func @offsets(%descriptor: !tt.tensordesc<64x64xf16>, %buffer: !tlx.buffer<64x64xf16>, %barrier: !tlx.buffer<1xi64>, %i: i32) {
  tlx.async_descriptor_load %descriptor[%i], %buffer, %barrier : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.async_descriptor_store' op copies blocks of shape [128, 64], which the descriptor has, but the buffer's shape is [64, 64]
tt.func @stored_shape(%descriptor: !tt.tensordesc<128x64xf16>, %buffer: !tlx.buffer<64x64xf16>, %i: i32) {
  tlx.async_descriptor_store %descriptor[%i, %i], %buffer : !tt.tensordesc<128x64xf16>, !tlx.buffer<64x64xf16>
  tt.return
}

// -----

// CHECK: error: 'tlx.async_descriptor_store' op cannot reduce 'f32' by or in global memory
tt.func @reduce(%descriptor: !tt.tensordesc<64x64xf32>, %buffer: !tlx.buffer<64x64xf32>, %i: i32) {
  tlx.async_descriptor_store %descriptor[%i, %i], %buffer {reduce = 7 : i32} : !tt.tensordesc<64x64xf32>, !tlx.buffer<64x64xf32>
  tt.return
}

// -----

// CHECK: error: 'tlx.async_descriptor_store_wait' op cannot leave -1 stores pending; the number must be 0 or more
tt.func @stores() {
  tlx.async_descriptor_store_wait {pendings = -1 : i32, readOnly}
  tt.return
}
