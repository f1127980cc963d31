// RUN: %plugin_opt --pass tlx_check_expected_bytes --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: the barrier is to expect 16384 bytes, but the copies that signal it bring 8192, so its phase never ends
// CHECK: note: a copy of 8192 bytes is here
tt.func @too_many(%desc: !tt.tensordesc<64x64xf16>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %first = tlx.local_view %bufs[%zero] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %first_full = tlx.local_view %bars[%zero] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_expect %first_full, 8192 : !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %first, %first_full : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  scf.for %i = %one to %n step %one : i32 {
    %buf = tlx.local_view %bufs[%i] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
    %bar = tlx.local_view %bars[%i] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
    tlx.barrier_expect %bar, 16384 : !tlx.buffer<1xi64>
    tlx.async_descriptor_load %desc[%zero, %zero], %buf, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  }
  tt.return
}

// -----

// CHECK: the barrier is to expect 8192 bytes, but the copies that signal it bring 16384, so its phase may end before all have come
// CHECK-COUNT-2: note: a copy of 8192 bytes is here
tt.func @too_few(%desc: !tt.tensordesc<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %a = tlx.local_view %bufs[%zero] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %b = tlx.local_view %bufs[%one] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_expect %bar, 8192 : !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %a, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %b, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: announces bytes to a barrier that no copy signals, so its phase never ends; give the barrier to a copy, or use barrier_arrive
tt.func @no_copy() {
  %zero = arith.constant 0 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_expect %bar, 8192 : !tlx.buffer<1xi64>
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: signals a barrier to which nobody announces bytes, so its phase does not end with the copy; call barrier_expect_bytes before it
tt.func @no_expect(%desc: !tt.tensordesc<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %buf = tlx.local_view %bufs[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %buf, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: the barrier is to expect 512 bytes, but the copies that signal it bring 256, so its phase never ends
// CHECK: note: a copy of 256 bytes is here
tt.func @bulk(%source: !tt.ptr<f16>) {
  %zero = arith.constant 0 : i32
  %size = arith.constant 256 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<1x256xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %buf = tlx.local_view %bufs[%zero] : !tlx.buffer<1x256xf16> -> !tlx.buffer<256xf16>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_expect %bar, 512 : !tlx.buffer<1xi64>
  tlx.async_bulk_load %source, %buf, %size, %bar : !tt.ptr<f16> -> !tlx.buffer<256xf16>, !tlx.buffer<1xi64>
  tt.return
}

// -----

// Two barriers do not make up for each other.
// CHECK: the barrier is to expect 16384 bytes, but the copies that signal it bring 8192
tt.func @swapped(%desc: !tt.tensordesc<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %a = tlx.local_view %bufs[%zero] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %b = tlx.local_view %bufs[%one] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %first = tlx.local_view %bars[%zero] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  %second = tlx.local_view %bars[%one] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_expect %first, 8192 : !tlx.buffer<1xi64>
  tlx.barrier_expect %second, 16384 : !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %a, %first : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %b, %first : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tlx.async_descriptor_load %desc[%zero, %zero], %b, %second : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tt.return
}
