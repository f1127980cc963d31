// RUN: %plugin_opt --pass tlx_check_barrier_progress %s | %FileCheck %s

// CHECK-LABEL: @ring
tt.func @ring(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %full = tlx.alloc_barriers 2 : !tlx.buffer<3x1xi64>
  %free = tlx.alloc_barriers 1 : !tlx.buffer<3x1xi64>
  %items = tt.get_num_programs x : i32
  tlx.async_tasks {
    tlx.async_task default {
      scf.for %i = %zero to %n step %one : i32 {
        %slot = arith.remsi %i, %three : i32
        %round = arith.divsi %i, %three : i32
        %parity = arith.andi %round, %one : i32
        %other = arith.xori %parity, %one : i32
        %free_i = tlx.local_view %free[%slot] : !tlx.buffer<3x1xi64> -> !tlx.buffer<1xi64>
        %full_i = tlx.local_view %full[%slot] : !tlx.buffer<3x1xi64> -> !tlx.buffer<1xi64>
        // CHECK: tlx.barrier_wait
        tlx.barrier_wait %free_i, %other : !tlx.buffer<1xi64>
        tlx.barrier_arrive %full_i, 2 : !tlx.buffer<1xi64>
      }
    }
    tlx.async_task num_warps(4) {
      scf.for %i = %zero to %n step %one : i32 {
        %slot = arith.remui %i, %three : i32
        %round = arith.divui %i, %three : i32
        %parity = arith.andi %round, %one : i32
        %free_i = tlx.local_view %free[%slot] : !tlx.buffer<3x1xi64> -> !tlx.buffer<1xi64>
        %full_i = tlx.local_view %full[%slot] : !tlx.buffer<3x1xi64> -> !tlx.buffer<1xi64>
        tlx.barrier_wait %full_i, %parity : !tlx.buffer<1xi64>
        tlx.barrier_arrive %free_i, 1 : !tlx.buffer<1xi64>
      }
    }
  }
  tt.return
}

// What depends on data is not followed.
// CHECK-LABEL: @data
tt.func @data(%pointer: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %loaded = tt.load %pointer : !tt.ptr<i32>
  %where = arith.cmpi eq, %loaded, %zero : i32
  scf.if %where {
    tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  }
  // CHECK: tlx.barrier_wait
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}

// Only one of the numbers makes it hang.
// CHECK-LABEL: @one_number
tt.func @one_number(%n: i32) {
  %zero = arith.constant 0 : i32
  %number = arith.constant 4096 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %where = arith.cmpi ne, %n, %number : i32
  scf.if %where {
    tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  }
  // CHECK: tlx.barrier_wait
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}

// Barriers of the hardware order tasks, too, and are not followed.
// CHECK-LABEL: @named_barriers
tt.func @named_barriers() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_arrive %bar, 1 : !tlx.buffer<1xi64>
  %0 = tt.elementwise_inline_asm "bar.sync $1, 64; mov.u32 $0, 0;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %one : i32 -> i32
  // CHECK: tlx.barrier_wait
  tlx.barrier_wait %bar, %one : !tlx.buffer<1xi64>
  tt.return
}

// How many bytes an argument makes a copy bring is as the kernel announces.
// CHECK-LABEL: @bulk
tt.func @bulk(%source: !tt.ptr<f16>, %size: i32) {
  %zero = arith.constant 0 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<1x256xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %buf = tlx.local_view %bufs[%zero] : !tlx.buffer<1x256xf16> -> !tlx.buffer<256xf16>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_expect %bar, 64 : !tlx.buffer<1xi64>
  tlx.async_bulk_load %source, %buf, %size, %bar : !tt.ptr<f16> -> !tlx.buffer<256xf16>, !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_wait
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}

// With arguments that fit each other, as 4096 and 64, both loops take as many
// turns.
// CHECK-LABEL: @arguments_of_one_size
tt.func @arguments_of_one_size(%size: i32, %tiles: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %tile = arith.constant 64 : i32
  %full = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %free = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %full_0 = tlx.local_view %full[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %free_0 = tlx.local_view %free[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      %turns = arith.divsi %size, %tile : i32
      scf.for %i = %zero to %turns step %one : i32 {
        %parity = arith.andi %i, %one : i32
        %other = arith.xori %parity, %one : i32
        tlx.barrier_wait %free_0, %other : !tlx.buffer<1xi64>
        tlx.barrier_arrive %full_0, 1 : !tlx.buffer<1xi64>
      }
    }
    tlx.async_task num_warps(4) {
      scf.for %i = %zero to %tiles step %one : i32 {
        %parity = arith.andi %i, %one : i32
        // CHECK: tlx.barrier_wait
        tlx.barrier_wait %full_0, %parity : !tlx.buffer<1xi64>
        tlx.barrier_arrive %free_0, 1 : !tlx.buffer<1xi64>
      }
    }
  }
  tt.return
}

// Whether, and at which barrier, is not known either.
// CHECK-LABEL: @predicate
tt.func @predicate(%pointer: !tt.ptr<i1>) {
  %zero = arith.constant 0 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %where = tt.load %pointer : !tt.ptr<i1>
  tlx.barrier_expect %bar, 0 if %where : !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_wait
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}

// CHECK-LABEL: @index
tt.func @index(%pointer: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %which = tt.load %pointer : !tt.ptr<i32>
  %some = tlx.local_view %bars[%which] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  %first = tlx.local_view %bars[%zero] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  tlx.barrier_arrive %some, 1 : !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_wait
  tlx.barrier_wait %first, %zero : !tlx.buffer<1xi64>
  tt.return
}

// Nor how often a while loop runs.
// CHECK-LABEL: @while
tt.func @while(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %end = scf.while (%i = %zero) : (i32) -> i32 {
    %again = arith.cmpi slt, %i, %one : i32
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

// CHECK-LABEL: @no_turn
tt.func @no_turn(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  scf.for %i = %n to %n step %one : i32 {
    // CHECK: tlx.barrier_wait
    tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  }
  tt.return
}

// The other block of the cluster arrives.
// CHECK-LABEL: @other_blocks
tt.func @other_blocks(%rank: i32) {
  %zero = arith.constant 0 : i32
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %bar = tlx.local_view %bars[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.remote_arrive %bar at %rank, 1 : !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_wait
  tlx.barrier_wait %bar, %zero : !tlx.buffer<1xi64>
  tt.return
}
