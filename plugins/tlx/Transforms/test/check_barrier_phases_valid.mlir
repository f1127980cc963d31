// RUN: %plugin_opt --pass tlx_check_barrier_phases %s | %FileCheck %s

// What is loaded once may be waited for in every turn.
// CHECK-LABEL: @armed_once
tt.func @armed_once(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_expect %bar, 128 : !tlx.buffer<1xi64>
  scf.for %i = %zero to %n step %one : i32 {
    // CHECK: tlx.barrier_wait
    tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  }
  tt.return
}

// All turns of the loop together end one phase.
// CHECK-LABEL: @one_phase
tt.func @one_phase(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %eight = arith.constant 8 : i32
  %bars = tlx.alloc_barriers 8 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  scf.for %i = %zero to %eight step %one : i32 {
    tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  }
  scf.for %i = %zero to %n step %one : i32 {
    // CHECK: tlx.barrier_wait
    tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  }
  tt.return
}

// Each turn of the loop has both phases.
// CHECK-LABEL: @two_phases_a_turn
tt.func @two_phases_a_turn(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  scf.for %i = %zero to %n step %one : i32 {
    tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
    // CHECK: tlx.barrier_wait
    tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
    tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
    tlx.barrier_wait %bar, %one : !tlx.buffer<1xi64>
  }
  tt.return
}

// Each barrier is used once, whatever the loop.
// CHECK-LABEL: @one_turn_each
tt.func @one_turn_each() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<4x1xi64>
  scf.for %i = %zero to %four step %one : i32 {
    %bar = tlx.local_view %bars[%i] : !tlx.buffer<4x1xi64> -> !tlx.buffer<1xi64>
    tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
    // CHECK: tlx.barrier_wait
    tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  }
  tt.return
}

// As many phases as turns.
// CHECK-LABEL: @two_turns
tt.func @two_turns() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  scf.for %i = %zero to %two step %one iter_args(%phase = %one) -> (i32) : i32 {
    // CHECK: tlx.barrier_wait
    tlx.barrier_wait %bar, %phase : !tlx.buffer<1xi64>
    %next = arith.xori %phase, %one : i32
    scf.yield %next : i32
  }
  tt.return
}

// The phase turns in some turns, by another number, or not at all.
// CHECK-LABEL: @phase_stays
tt.func @phase_stays(%n: i32, %flip: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  scf.for %i = %zero to %n step %one iter_args(%phase = %zero) -> (i32) : i32 {
    // CHECK: tlx.barrier_wait
    tlx.barrier_wait %bar, %phase : !tlx.buffer<1xi64>
    %next = arith.xori %phase, %flip : i32
    scf.yield %next : i32
  }
  scf.for %i = %zero to %n step %one iter_args(%phase = %zero) -> (i32) : i32 {
    tlx.barrier_wait %bar, %phase : !tlx.buffer<1xi64>
    %next = arith.subi %zero, %phase : i32
    scf.yield %next : i32
  }
  scf.for %i = %zero to %n step %one iter_args(%phase = %zero) -> (i32) : i32 {
    tlx.barrier_wait %bar, %phase : !tlx.buffer<1xi64>
    %next = arith.xori %one, %one : i32
    scf.yield %next : i32
  }
  scf.for %i = %zero to %n step %one iter_args(%phase = %zero) -> (i32) : i32 {
    scf.for %j = %zero to %n step %one : i32 {
      tlx.barrier_wait %bar, %phase : !tlx.buffer<1xi64>
    }
    %next = arith.xori %phase, %flip : i32
    scf.yield %next : i32
  }
  tt.return
}

// What the loop waits for each time is not what another loop ends each time:
// it waits once, under a condition, or for another barrier.
// CHECK-LABEL: @other_loops
tt.func @other_loops(%n: i32, %where: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<3x1xi64>
  %first = tlx.local_view %bars[%zero] : !tlx.buffer<3x1xi64> -> !tlx.buffer<1xi64>
  %second = tlx.local_view %bars[%one] : !tlx.buffer<3x1xi64> -> !tlx.buffer<1xi64>
  %third = tlx.local_view %bars[%two] : !tlx.buffer<3x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_arrive %third, 1 : !tlx.buffer<1xi64>
  scf.for %i = %zero to %n step %one : i32 {
    tlx.barrier_arrive %first, 1 : !tlx.buffer<1xi64>
    tlx.barrier_arrive %second, 1 : !tlx.buffer<1xi64>
  }
  scf.for %i = %zero to %one step %one : i32 {
    // CHECK: tlx.barrier_wait
    tlx.barrier_wait %first, %zero : !tlx.buffer<1xi64>
  }
  scf.for %i = %zero to %n step %one : i32 {
    tlx.barrier_wait %second, %zero if %where : !tlx.buffer<1xi64>
    tlx.barrier_wait %third, %zero : !tlx.buffer<1xi64>
  }
  tt.return
}

// Nobody knows how many phases the arrivals of a long loop end.
// CHECK-LABEL: @two_arrivals
tt.func @two_arrivals(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 2 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  scf.for %i = %zero to %n step %one iter_args(%phase = %zero) -> (i32) : i32 {
    tlx.barrier_arrive %bar, 2 : !tlx.buffer<1xi64>
    // CHECK: tlx.barrier_wait
    tlx.barrier_wait %bar, %phase : !tlx.buffer<1xi64>
    %next = arith.xori %phase, %one : i32
    scf.yield %next : i32
  }
  tt.return
}

// Blocks of a cluster may arrive, too.
// CHECK-LABEL: @other_blocks
tt.func @other_blocks(%n: i32, %rank: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  scf.for %i = %zero to %n step %one iter_args(%phase = %zero) -> (i32) : i32 {
    tlx.remote_arrive %bar at %rank, 1 : !tlx.buffer<1xi64>
    // CHECK: tlx.barrier_wait
    tlx.barrier_wait %bar, %phase : !tlx.buffer<1xi64>
    %next = arith.xori %phase, %one : i32
    scf.yield %next : i32
  }
  tt.return
}
