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
