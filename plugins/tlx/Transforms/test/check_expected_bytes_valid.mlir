// RUN: %plugin_opt --pass tlx_check_expected_bytes %s | %FileCheck %s

// CHECK-LABEL: @two_barriers
tt.func @two_barriers(%desc: !tt.tensordesc<64x64xf16>, %where: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<3x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %a = tlx.local_view %bufs[%zero] : !tlx.buffer<3x64x64xf16> -> !tlx.buffer<64x64xf16>
  %b = tlx.local_view %bufs[%one] : !tlx.buffer<3x64x64xf16> -> !tlx.buffer<64x64xf16>
  %first = tlx.local_view %bars[%zero] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  %second = tlx.local_view %bars[%one] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_expect %{{.*}}, 16384
  tlx.barrier_expect %first, 16384 : !tlx.buffer<1xi64>
  tlx.barrier_expect %second, 8192 if %where : !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %a, %first : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %b, %second if %where : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %b, %first : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tt.return
}

// Copies in a loop belong to what was announced before it.
// CHECK-LABEL: @copies_in_a_loop
tt.func @copies_in_a_loop(%desc: !tt.tensordesc<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_expect
  tlx.barrier_expect %bar, 16384 : !tlx.buffer<1xi64>
  scf.for %i = %zero to %two step %one : i32 {
    %buf = tlx.local_view %bufs[%i] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
    tlx.async_descriptor_load %desc[%zero, %zero], %buf, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  }
  tt.return
}

// Each turn brings the second half of one round and the first of the next.
// CHECK-LABEL: @halves
tt.func @halves(%desc: !tt.tensordesc<64x64xf16>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %a = tlx.local_view %bufs[%zero] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %b = tlx.local_view %bufs[%one] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %start = tlx.local_view %bars[%zero] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_expect
  tlx.barrier_expect %start, 16384 : !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %a, %start : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  scf.for %i = %zero to %n step %one : i32 {
    %bar = tlx.local_view %bars[%i] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
    tlx.async_descriptor_load %desc[%zero, %zero], %b, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    %other = arith.addi %i, %one : i32
    %next = tlx.local_view %bars[%other] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
    tlx.barrier_expect %next, 16384 : !tlx.buffer<1xi64>
    tlx.async_descriptor_load %desc[%zero, %zero], %a, %next : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  }
  tt.return
}

// Only the running kernel knows how many bytes come.
// CHECK-LABEL: @bulk
tt.func @bulk(%source: !tt.ptr<f16>, %size: i32) {
  %zero = arith.constant 0 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<1x256xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %buf = tlx.local_view %bufs[%zero] : !tlx.buffer<1x256xf16> -> !tlx.buffer<256xf16>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_expect
  tlx.barrier_expect %bar, 512 : !tlx.buffer<1xi64>
  tlx.async_bulk_load %source, %buf, %size, %bar : !tt.ptr<f16> -> !tlx.buffer<256xf16>, !tlx.buffer<1xi64>
  tt.return
}

// The loop brings the rest of one round and announces another.
// CHECK-LABEL: @rest_in_a_loop
tt.func @rest_in_a_loop(%desc: !tt.tensordesc<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %a = tlx.local_view %bufs[%zero] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %b = tlx.local_view %bufs[%one] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_expect
  tlx.barrier_expect %bar, 16384 : !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %a, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  scf.for %i = %zero to %one step %one : i32 {
    tlx.async_descriptor_load %desc[%zero, %zero], %b, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
    tlx.barrier_expect %bar, 8192 : !tlx.buffer<1xi64>
    tlx.async_descriptor_load %desc[%zero, %zero], %b, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  }
  tt.return
}

// A loop carries the barrier.
// CHECK-LABEL: @carried
tt.func @carried(%desc: !tt.tensordesc<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %a = tlx.local_view %bufs[%zero] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %b = tlx.local_view %bufs[%one] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_expect
  tlx.barrier_expect %bar, 16384 : !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %a, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  %last = scf.for %i = %zero to %one step %one iter_args(%same = %bar) -> (!tlx.buffer<1xi64>) : i32 {
    tlx.async_descriptor_load %desc[%zero, %zero], %b, %same : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    scf.yield %same : !tlx.buffer<1xi64>
  }
  tt.return
}

// One of two copies is made.
// CHECK-LABEL: @either
tt.func @either(%desc: !tt.tensordesc<64x64xf16>, %where: i1, %elsewhere: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %a = tlx.local_view %bufs[%zero] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %b = tlx.local_view %bufs[%one] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_expect
  tlx.barrier_expect %bar, 8192 : !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %a, %bar if %where : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %b, %bar if %elsewhere : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tt.return
}

// CHECK-LABEL: @either_bulk
tt.func @either_bulk(%source: !tt.ptr<f16>, %where: i1, %elsewhere: i1) {
  %zero = arith.constant 0 : i32
  %size = arith.constant 512 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<1x256xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %buf = tlx.local_view %bufs[%zero] : !tlx.buffer<1x256xf16> -> !tlx.buffer<256xf16>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_expect
  tlx.barrier_expect %bar, 512 : !tlx.buffer<1xi64>
  tlx.async_bulk_load %source, %buf, %size, %bar if %where : !tt.ptr<f16> -> !tlx.buffer<256xf16>, !tlx.buffer<1xi64>
  tlx.async_bulk_load %source, %buf, %size, %bar if %elsewhere : !tt.ptr<f16> -> !tlx.buffer<256xf16>, !tlx.buffer<1xi64>
  tt.return
}

// Two indices that may be one, whose barrier all bytes belong to then.
// CHECK-LABEL: @two_indices
tt.func @two_indices(%desc: !tt.tensordesc<64x64xf16>, %i: i32, %j: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %bars = tlx.alloc_barriers 2 : !tlx.buffer<2x1xi64>
  %a = tlx.local_view %bufs[%zero] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %b = tlx.local_view %bufs[%one] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %bar = tlx.local_view %bars[%i] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  %other = tlx.local_view %bars[%j] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_expect
  tlx.barrier_expect %bar, 8192 : !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %a, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %b, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tlx.barrier_expect %other, 16384 : !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %b, %other : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tt.return
}

// The other block of the cluster brings the rest.
// CHECK-LABEL: @other_blocks
tt.func @other_blocks(%desc: !tt.tensordesc<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %a = tlx.local_view %bufs[%zero] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %b = tlx.local_view %bufs[%one] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_expect
  tlx.barrier_expect %bar, 16384 : !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %a, %bar to [%zero, %one] : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tt.return
}

// Nothing is announced: an arrival.
// CHECK-LABEL: @no_bytes
tt.func @no_bytes() {
  %zero = arith.constant 0 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_expect
  tlx.barrier_expect %bar, 0 : !tlx.buffer<1xi64>
  tt.return
}
