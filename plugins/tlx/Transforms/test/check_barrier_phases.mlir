// RUN: %plugin_opt --pass tlx_check_barrier_phases --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: waits for phase 0 in every turn of a loop, but the barrier's phase is another in each, so it does not wait in every second one; let the phase turn between 0 and 1 (phase ^= 1)
// CHECK: note: each turn of this loop ends a phase of the barrier
tt.func @constant(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 2 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      scf.for %i = %zero to %n step %one : i32 {
        tlx.barrier_arrive %bar, 2 : !tlx.buffer<1xi64>
      }
    }
    tlx.async_task num_warps(4) {
      scf.for %i = %zero to %n step %one : i32 {
        tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
      }
    }
  }
  tt.return
}

// -----

// CHECK: waits for ever in turn 2 of the loop: it waits for a further phase of the barrier in each, and the kernel's arrivals end 1; arrive at it again for each turn, or wait before the loop
// CHECK: note: an arrival is here
tt.func @never_armed_again(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  %other = tlx.local_view %bars[%one] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_expect %bar, 128 : !tlx.buffer<1xi64>
  scf.for %i = %zero to %n step %one : i32 {
    tlx.barrier_arrive %other, 1 : !tlx.buffer<1xi64>
  }
  scf.for %i = %zero to %n step %one iter_args(%phase = %zero) -> (i32) : i32 {
    tlx.barrier_wait %bar, %phase : !tlx.buffer<1xi64>
    %next = arith.xori %phase, %one : i32
    scf.yield %next : i32
  }
  tt.return
}

// -----

// Phase 1 is over at the start, and two arrivals end phase 0.
// CHECK: waits for ever in turn 3 of the loop
tt.func @one_minus_phase() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %bars = tlx.alloc_barriers 2 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  scf.for %i = %zero to %three step %one iter_args(%phase = %one) -> (i32) : i32 {
    tlx.barrier_wait %bar, %phase : !tlx.buffer<1xi64>
    %next = arith.subi %one, %phase : i32
    scf.yield %next : i32
  }
  tt.return
}
