// RUN: %plugin_opt --pass tlx_check_barrier_waits %s | %FileCheck %s

// The phase before a barrier's first counts as ended.
// CHECK-LABEL: @ring
tt.func @ring(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %full = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %free = tlx.alloc_barriers 2 : !tlx.buffer<1x1xi64>
  %full_0 = tlx.local_view %full[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %free_0 = tlx.local_view %free[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      scf.for %i = %zero to %n step %one iter_args(%phase = %zero) -> (i32) : i32 {
        %other = arith.xori %phase, %one : i32
        // CHECK: tlx.barrier_wait
        tlx.barrier_wait %free_0, %other : !tlx.buffer<1xi64>
        tlx.barrier_expect %full_0, 128 : !tlx.buffer<1xi64>
        scf.yield %other : i32
      }
    }
    tlx.async_task num_warps(4) {
      scf.for %i = %zero to %n step %one iter_args(%phase = %zero) -> (i32) : i32 {
        tlx.barrier_wait %full_0, %phase : !tlx.buffer<1xi64>
        tlx.barrier_arrive %free_0, 1 : !tlx.buffer<1xi64>
        %other = arith.xori %phase, %one : i32
        scf.yield %other : i32
      }
    }
    tlx.async_task num_warps(4) {
      scf.for %i = %zero to %n step %one iter_args(%phase = %zero) -> (i32) : i32 {
        tlx.barrier_wait %full_0, %phase : !tlx.buffer<1xi64>
        tlx.barrier_arrive %free_0, 1 : !tlx.buffer<1xi64>
        %other = arith.xori %phase, %one : i32
        scf.yield %other : i32
      }
    }
  }
  tt.return
}

// What is not known is taken to be right: the first phase, a predicate, how
// often a loop runs, and what a function does that is not inlined.
// CHECK-LABEL: @unknown
tt.func @unknown(%phase: i32, %where: i1, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 7 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_wait %bar, %phase : !tlx.buffer<1xi64>
  tlx.barrier_wait %bar, %zero if %where : !tlx.buffer<1xi64>
  scf.for %i = %zero to %n step %one : i32 {
    tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  }
  // CHECK: tlx.barrier_wait
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}

// CHECK-LABEL: @while
tt.func @while(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 7 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %end = scf.while (%i = %zero) : (i32) -> i32 {
    %again = arith.cmpi slt, %i, %n : i32
    scf.condition(%again) %i : i32
  } do {
  ^bb0(%i: i32):
    tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  // CHECK: tlx.barrier_wait
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}

// CHECK-LABEL: @given_away
tt.func @given_away() {
  %zero = arith.constant 0 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tt.call @arrive(%bar) : (!tlx.buffer<1xi64>) -> ()
  // CHECK: tlx.barrier_wait
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}

tt.func private @arrive(%bar: !tlx.buffer<1xi64>) attributes {noinline = true} {
  tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  tt.return
}

// Each wait lets go on what ends the next, with as many arrivals as it needs.
// CHECK-LABEL: @chain
tt.func @chain() {
  %zero = arith.constant 0 : i32
  %a = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %b = tlx.alloc_barriers 8 : !tlx.buffer<1x1xi64>
  %c = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %a_0 = tlx.local_view %a[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %b_0 = tlx.local_view %b[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %c_0 = tlx.local_view %c[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      tlx.barrier_arrive %a_0, 1 : !tlx.buffer<1xi64>
      // CHECK: tlx.barrier_wait
      tlx.barrier_wait %c_0, %zero : !tlx.buffer<1xi64>
    }
    tlx.async_task num_warps(4) {
      tlx.barrier_wait %b_0, %zero : !tlx.buffer<1xi64>
      tlx.barrier_arrive %c_0, 1 : !tlx.buffer<1xi64>
    }
    tlx.async_task num_warps(4) {
      tlx.barrier_wait %a_0, %zero : !tlx.buffer<1xi64>
      tlx.barrier_arrive %b_0, 2 {warps = 4 : i32} : !tlx.buffer<1xi64>
    }
  }
  tt.return
}
