// RUN: %plugin_opt --pass tlx_check_releases --split-input-file --expect-failure %s | %FileCheck %s

// The wait leaves the product running that reads the released buffer. Which
// buffer goes with a barrier is computed from the barrier's index.
// CHECK: releases a buffer that an async_dot may still read; put an async_dot_wait before it that leaves fewer products running, or release the buffer one step later
// CHECK: note: the async_dot is here
// CHECK: note: the buffer is written here, as soon as it is released
tt.func @one_product_runs_on(%desc: !tt.tensordesc<64x64xf16>, %n: i32, %zeros: tensor<64x64xf32>, %b: !tlx.buffer<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<4x64x64xf16>
  %full = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %free = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      scf.for %i = %zero to %n step %one : i32 {
        %slot = arith.remsi %i, %two : i32
        %place = arith.muli %slot, %two : i32
        %free_i = tlx.local_view %free[%slot] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        %full_i = tlx.local_view %full[%slot] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        %buf = tlx.local_view %bufs[%place] : !tlx.buffer<4x64x64xf16> -> !tlx.buffer<64x64xf16>
        tlx.barrier_wait %free_i, %one : !tlx.buffer<1xi64>
        tlx.async_descriptor_load %desc[%zero, %zero], %buf, %full_i : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
      }
    }
    tlx.async_task num_warps(4) {
      %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
        %slot = arith.remsi %i, %two : i32
        %place = arith.muli %slot, %two : i32
        %free_i = tlx.local_view %free[%slot] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        %buf = tlx.local_view %bufs[%place] : !tlx.buffer<4x64x64xf16> -> !tlx.buffer<64x64xf16>
        %other = tlx.local_trans %buf {order = array<i32: 1, 0>} : !tlx.buffer<64x64xf16> -> !tlx.buffer<64x64xf16>
        %dot = tlx.async_dot %other, %b, %acc : !tlx.buffer<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
        %wait = tlx.async_dot_wait %dot {pendings = 1 : i32} : tensor<64x64xf32>
        tlx.barrier_arrive %free_i, 1 : !tlx.buffer<1xi64>
        scf.yield %wait : tensor<64x64xf32>
      }
    }
  }
  tt.return
}

// -----

// The arrival of the next turn releases what the product of the turn before
// reads; the wait for that product comes behind it.
// CHECK: releases a buffer that an async_dot may still read
tt.func @across_turns(%desc: !tt.tensordesc<64x64xf16>, %n: i32, %zeros: tensor<64x64xf32>, %a: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %full = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %free = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      scf.for %i = %zero to %n step %one : i32 {
        %slot = arith.remsi %i, %two : i32
        %free_i = tlx.local_view %free[%slot] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        %full_i = tlx.local_view %full[%slot] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        %buf = tlx.local_view %bufs[%slot] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
        tlx.barrier_wait %free_i, %one : !tlx.buffer<1xi64>
        %later = arith.cmpi sgt, %i, %zero : i32
        scf.if %later {
          tlx.async_descriptor_load %desc[%zero, %zero], %buf, %full_i : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
        }
      }
    }
    tlx.async_task num_warps(4) {
      %last:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %before = %zero) -> (tensor<64x64xf32>, i32) : i32 {
        %slot = arith.remsi %i, %two : i32
        %free_i = tlx.local_view %free[%before] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
        tlx.barrier_arrive %free_i, 1 : !tlx.buffer<1xi64>
        %buf = tlx.local_view %bufs[%slot] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
        %wait = tlx.async_dot_wait %acc {pendings = 0 : i32} : tensor<64x64xf32>
        %dot = tlx.async_dot %a, %buf, %wait : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
        scf.yield %dot, %slot : tensor<64x64xf32>, i32
      }
    }
  }
  tt.return
}

// -----

// The last product of a loop that waits for none.
// CHECK: releases a buffer that an async_dot may still read
tt.func @behind_a_loop(%desc: !tt.tensordesc<64x64xf16>, %n: i32, %zeros: tensor<64x64xf32>, %a: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
  %free = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %full = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %free_0 = tlx.local_view %free[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %full_0 = tlx.local_view %full[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %buf = tlx.local_view %bufs[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
  tlx.async_tasks {
    tlx.async_task default {
      tlx.barrier_wait %free_0, %one : !tlx.buffer<1xi64>
      tlx.async_descriptor_load %desc[%zero, %zero], %buf, %full_0 : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    }
    tlx.async_task num_warps(4) {
      %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
        %dot = tlx.async_dot %a, %buf, %acc : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
        scf.yield %dot : tensor<64x64xf32>
      }
      tlx.barrier_arrive %free_0, 1 : !tlx.buffer<1xi64>
      %wait = tlx.async_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32>
    }
  }
  tt.return
}

// -----

// Arrivals before it, at other barriers and of other tasks do not put it off.
// CHECK: releases a buffer that an async_dot may still read
tt.func @other_arrivals(%desc: !tt.tensordesc<64x64xf16>, %which: i32, %zeros: tensor<64x64xf32>, %a: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %free = tlx.alloc_barriers 2 : !tlx.buffer<2x1xi64>
  %full = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %free_0 = tlx.local_view %free[%zero] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  %free_1 = tlx.local_view %free[%one] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  %full_0 = tlx.local_view %full[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %buf = tlx.local_view %bufs[%which] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  tlx.async_tasks {
    tlx.async_task default {
      tlx.barrier_arrive %free_0, 1 : !tlx.buffer<1xi64>
      tlx.barrier_wait %free_0, %one : !tlx.buffer<1xi64>
      tlx.async_descriptor_load %desc[%zero, %zero], %buf, %full_0 : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    }
    tlx.async_task num_warps(4) {
      tlx.barrier_arrive %free_0, 1 : !tlx.buffer<1xi64>
      %dot = tlx.async_dot %a, %buf, %zeros : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
      tlx.barrier_arrive %free_0, 1 : !tlx.buffer<1xi64>
      tlx.barrier_arrive %free_1, 1 : !tlx.buffer<1xi64>
      tlx.barrier_arrive %full_0, 1 : !tlx.buffer<1xi64>
      %wait = tlx.async_dot_wait %dot {pendings = 0 : i32} : tensor<64x64xf32>
    }
  }
  tt.return
}

// -----

// Each task has constants of its own.
// CHECK: releases a buffer that an async_dot may still read
tt.func @constants(%desc: !tt.tensordesc<64x64xf16>, %zeros: tensor<64x64xf32>, %a: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %free = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %full = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %free_0 = tlx.local_view %free[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %full_0 = tlx.local_view %full[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      %one = arith.constant 1 : i32
      %buf = tlx.local_view %bufs[%one] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
      tlx.barrier_wait %free_0, %one : !tlx.buffer<1xi64>
      tlx.async_descriptor_load %desc[%zero, %zero], %buf, %full_0 : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    }
    tlx.async_task num_warps(4) {
      %one = arith.constant 1 : i32
      %buf = tlx.local_view %bufs[%one] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
      %dot = tlx.async_dot %a, %buf, %zeros : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
      tlx.barrier_arrive %free_0, 1 : !tlx.buffer<1xi64>
      %wait = tlx.async_dot_wait %dot {pendings = 0 : i32} : tensor<64x64xf32>
    }
  }
  tt.return
}
