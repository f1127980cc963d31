// RUN: %plugin_opt --pass tlx_check_barrier_waits --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: waits for ever: the barrier's phase ends after 1 arrivals, and the kernel makes none; arrive at it (barrier_arrive, barrier_expect_bytes) or lower arrive_count
// CHECK: note: the barrier is made here
tt.func @nobody_arrives() {
  %zero = arith.constant 0 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}

// -----

// Loops of known length add up.
// CHECK: the barrier's phase ends after 5 arrivals, and the kernel makes at most 4
tt.func @too_few() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %bars = tlx.alloc_barriers 5 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      scf.for %i = %zero to %two step %one : i32 {
        tlx.barrier_arrive %bar, 2 : !tlx.buffer<1xi64>
      }
    }
  }
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}

// -----

// Arrivals at another barrier of the allocation do not count.
// CHECK: the kernel makes none
tt.func @another_barrier() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %first = tlx.local_view %bars[%zero] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  %second = tlx.local_view %bars[%one] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_arrive %first, 1 : !tlx.buffer<1xi64>
  tlx.barrier_wait %second, %zero : !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: waits for ever: what would end phase 0 of the barrier comes only behind this wait, or behind others that last for ever; where the first round has nothing to wait for, start with phase 1
// CHECK: note: an arrival is here
// CHECK-NOT: this wait lasts for ever
tt.func @before_the_arrival() {
  %zero = arith.constant 0 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  tt.return
}

// -----

// The producer's first round waits for a release that needs the first fill.
// CHECK: what would end phase 0 of the barrier comes only behind this wait
// CHECK: note: an arrival is here
// CHECK: note: this wait lasts for ever, too
tt.func @ring(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %full = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %free = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      scf.for %i = %zero to %n step %one : i32 {
        %buf = arith.remsi %i, %two : i32
        %round = arith.divsi %i, %two : i32
        %phase = arith.andi %round, %one : i32
        %free_i = tlx.local_view %free[%buf] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        %full_i = tlx.local_view %full[%buf] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        tlx.barrier_wait %free_i, %phase : !tlx.buffer<1xi64>
        tlx.barrier_arrive %full_i, 1 : !tlx.buffer<1xi64>
      }
    }
    tlx.async_task num_warps(4) {
      scf.for %i = %zero to %n step %one iter_args(%phase = %zero) -> (i32) : i32 {
        %buf = arith.remsi %i, %two : i32
        %free_i = tlx.local_view %free[%buf] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        %full_i = tlx.local_view %full[%buf] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        tlx.barrier_wait %full_i, %phase : !tlx.buffer<1xi64>
        tlx.barrier_arrive %free_i, 1 : !tlx.buffer<1xi64>
        %next = arith.xori %phase, %buf : i32
        scf.yield %next : i32
      }
    }
  }
  tt.return
}
