// RUN: %plugin_opt --pass tlx_check_barrier_progress --split-input-file --expect-failure %s | %FileCheck %s

// Two arrivals release a buffer, and there is one consumer. Programs share the
// work.
// CHECK: waits for ever when loops take many turns (with 1000 for each integer argument of the kernel): phase 0 of the barrier has 1 of 2 arrivals
// CHECK: note: this task waits for ever, too: phase 1 of the barrier has 0 of 1 arrivals
tt.func @one_consumer(%m: i32, %k: i32) {
  %n = arith.muli %m, %k : i32
  %program = tt.get_program_id x : i32
  %programs = tt.get_num_programs x : i32
  %thread = tt.elementwise_inline_asm "mov.u32 $0, %tid.x;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %full = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %free = tlx.alloc_barriers 2 : !tlx.buffer<2x1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      scf.for %i = %program to %n step %programs : i32 {
        %slot = arith.remsi %i, %two : i32
        %round = arith.divsi %i, %two : i32
        %parity = arith.andi %round, %one : i32
        %other = arith.xori %parity, %one : i32
        %free_i = tlx.local_view %free[%slot] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        %full_i = tlx.local_view %full[%slot] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        tlx.barrier_wait %free_i, %other : !tlx.buffer<1xi64>
        tlx.barrier_arrive %full_i, 1 : !tlx.buffer<1xi64>
      }
    }
    tlx.async_task num_warps(4) {
      %last:2 = scf.for %i = %program to %n step %programs iter_args(%slot = %zero, %phase = %zero) -> (i32, i32) : i32 {
        %free_i = tlx.local_view %free[%slot] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        %full_i = tlx.local_view %full[%slot] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        tlx.barrier_wait %full_i, %phase : !tlx.buffer<1xi64>
        tlx.barrier_arrive %free_i, 1 : !tlx.buffer<1xi64>
        %is_last = arith.cmpi eq, %slot, %one : i32
        %next = arith.addi %slot, %one : i32
        %turned = arith.xori %phase, %one : i32
        %next_slot = arith.select %is_last, %zero, %next : i32
        %next_phase = arith.select %is_last, %turned, %phase : i32
        scf.yield %next_slot, %next_phase : i32, i32
      }
    }
  }
  tt.return
}

// -----

// The phase stands still after the first turn.
// CHECK: of the kernel): phase 1 of the barrier has 0 of 1 arrivals
tt.func @stands_still(%n: i64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %count = arith.trunci %n : i64 to i32
  scf.for %i = %zero to %count step %one : i32 {
    %first = arith.cmpi eq, %i, %zero : i32
    scf.if %first {
      tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
      tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
    } else {
      tlx.barrier_wait %bar, %one : !tlx.buffer<1xi64>
    }
  }
  tt.return
}

// -----

// CHECK: phase 0 of the barrier has 1 of 1 arrivals and lacks 8192 bytes
tt.func @missing_bytes(%desc: !tt.tensordesc<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_expect %bar, 24576 : !tlx.buffer<1xi64>
  scf.for %i = %zero to %two step %one : i32 {
    %buf = tlx.local_view %bufs[%i] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
    tlx.async_descriptor_load %desc[%zero, %zero], %buf, %bar : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  }
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: phase 0 of the barrier has 1 of 1 arrivals and 8192 bytes more than it expects
tt.func @more_bytes(%desc: !tt.tensordesc<64x64xf16>, %where: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %true = arith.constant true
  %false = arith.constant false
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %buf = tlx.local_view %bufs[%one] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  tlx.async_descriptor_load %desc[%zero, %zero], %buf, %bar if %true : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
  tlx.barrier_expect %bar, 8192 if %false : !tlx.buffer<1xi64>
  tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}

// -----

// The first task ends one turn too early; no argument changes that.
// CHECK: phase 1000 of the barrier has 0 of 1 arrivals
tt.func @one_turn_more(%n: i32, %unused: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      scf.for %i = %zero to %n step %one : i32 {
        tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
      }
    }
    tlx.async_task num_warps(4) {
      %more = arith.addi %n, %one : i32
      scf.for %i = %zero to %more step %one : i32 {
        %parity = arith.andi %i, %one : i32
        tlx.barrier_wait %bar, %parity : !tlx.buffer<1xi64>
      }
    }
  }
  tt.return
}

// -----

// The copy of a task picks the barrier.
// CHECK: phase 0 of the barrier has 0 of 1 arrivals
tt.func @copies_of_a_task() {
  %zero = arith.constant 0 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %first = tlx.local_view %bars[%zero] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      tlx.barrier_arrive %first, 1 : !tlx.buffer<1xi64>
    }
    tlx.async_task num_warps(4) {
      %replica = tlx.task_replica
      %own = tlx.local_view %bars[%replica] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
      tlx.barrier_wait %own, %zero : !tlx.buffer<1xi64>
    } {replica = 1 : i32}
  }
  tt.return
}

// -----

// Behind the tasks, and behind a loop that says which phase is next.
// CHECK: phase 1000 of the barrier has 0 of 1 arrivals
tt.func @behind_a_loop(%m: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %turns = arith.maxsi %m, %n : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      scf.for %i = %zero to %turns step %one : i32 {
        tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
      }
    }
  }
  %next = scf.for %i = %zero to %turns step %one iter_args(%phase = %zero) -> (i32) : i32 {
    %turned = arith.xori %phase, %one : i32
    scf.yield %turned : i32
  }
  tlx.barrier_wait %bar, %next : !tlx.buffer<1xi64>
  tt.return
}
