// RUN: %plugin_opt --pass tlx_check_releases %s | %FileCheck %s

// A buffer is released one step after its product was started, when the wait
// has left only the latest running.
// CHECK-LABEL: @one_step_later
tt.func @one_step_later(%desc: !tt.tensordesc<64x64xf16>, %n: i32, %zeros: tensor<64x64xf32>, %a: tensor<64x64xf16>) {
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
        tlx.async_descriptor_load %desc[%zero, %zero], %buf, %full_i : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
      }
    }
    tlx.async_task num_warps(4) {
      %last:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %before = %zero) -> (tensor<64x64xf32>, i32) : i32 {
        %slot = arith.remsi %i, %two : i32
        %buf = tlx.local_view %bufs[%slot] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
        %dot = tlx.async_dot %a, %buf, %acc : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
        %wait = tlx.async_dot_wait %dot {pendings = 1 : i32} : tensor<64x64xf32>
        %later = arith.cmpi sgt, %i, %zero : i32
        scf.if %later {
          %free_i = tlx.local_view %free[%before] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
          // CHECK: tlx.barrier_arrive
          tlx.barrier_arrive %free_i, 1 : !tlx.buffer<1xi64>
        }
        scf.yield %wait, %slot : tensor<64x64xf32>, i32
      }
      %wait = tlx.async_dot_wait %last#0 {pendings = 0 : i32} : tensor<64x64xf32>
      %free_i = tlx.local_view %free[%last#1] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
      tlx.barrier_arrive %free_i, 1 : !tlx.buffer<1xi64>
    }
  }
  tt.return
}

// The second buffer is released when its own product has ended, though its
// producer has waited for the first barrier, too, before it writes it.
// CHECK-LABEL: @two_barriers
tt.func @two_barriers(%desc: !tt.tensordesc<64x64xf16>, %n: i32, %zeros: tensor<64x64xf32>, %a: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %keys = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
  %values = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
  %keys_free = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %values_free = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %full = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %key = tlx.local_view %keys[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
  %value = tlx.local_view %values[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
  %key_free = tlx.local_view %keys_free[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %value_free = tlx.local_view %values_free[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %full_0 = tlx.local_view %full[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      scf.for %i = %zero to %n step %one : i32 {
        tlx.barrier_wait %key_free, %one : !tlx.buffer<1xi64>
        tlx.async_descriptor_load %desc[%zero, %zero], %key, %full_0 : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
        tlx.barrier_wait %value_free, %one : !tlx.buffer<1xi64>
        tlx.async_descriptor_load %desc[%zero, %zero], %value, %full_0 : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
      }
    }
    tlx.async_task num_warps(4) {
      scf.for %i = %zero to %n step %one : i32 {
        %scores = tlx.async_dot %a, %key, %zeros : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
        %output = tlx.async_dot %a, %value, %zeros : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
        %done = tlx.async_dot_wait %scores {pendings = 1 : i32} : tensor<64x64xf32>
        // CHECK: tlx.barrier_arrive
        tlx.barrier_arrive %key_free, 1 : !tlx.buffer<1xi64>
        %all = tlx.async_dot_wait %output {pendings = 0 : i32} : tensor<64x64xf32>
        tlx.barrier_arrive %value_free, 1 : !tlx.buffer<1xi64>
      }
    }
  }
  tt.return
}

// Only the last arrival of a turn releases the buffer.
// CHECK-LABEL: @two_arrivals
tt.func @two_arrivals(%desc: !tt.tensordesc<64x64xf16>, %n: i32, %zeros: tensor<64x64xf32>, %a: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
  %frees = tlx.alloc_barriers 2 : !tlx.buffer<1x1xi64>
  %fulls = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %buf = tlx.local_view %bufs[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
  %free = tlx.local_view %frees[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %full = tlx.local_view %fulls[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      scf.for %i = %zero to %n step %one : i32 {
        tlx.barrier_wait %free, %one : !tlx.buffer<1xi64>
        tlx.async_descriptor_load %desc[%zero, %zero], %buf, %full : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
      }
    }
    tlx.async_task num_warps(4) {
      scf.for %i = %zero to %n step %one : i32 {
        %dot = tlx.async_dot %a, %buf, %zeros : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
        // CHECK: tlx.barrier_arrive
        tlx.barrier_arrive %free, 1 : !tlx.buffer<1xi64>
        %wait = tlx.async_dot_wait %dot {pendings = 0 : i32} : tensor<64x64xf32>
        tlx.barrier_arrive %free, 1 : !tlx.buffer<1xi64>
      }
    }
  }
  tt.return
}

// The barrier that is arrived at early is another one of the allocation.
// CHECK-LABEL: @another_barrier
tt.func @another_barrier(%desc: !tt.tensordesc<64x64xf16>, %zeros: tensor<64x64xf32>, %a: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
  %bars = tlx.alloc_barriers 1 : !tlx.buffer<3x1xi64>
  %buf = tlx.local_view %bufs[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
  %free = tlx.local_view %bars[%zero] : !tlx.buffer<3x1xi64> -> !tlx.buffer<1xi64>
  %started = tlx.local_view %bars[%one] : !tlx.buffer<3x1xi64> -> !tlx.buffer<1xi64>
  %full = tlx.local_view %bars[%two] : !tlx.buffer<3x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      tlx.barrier_wait %free, %one : !tlx.buffer<1xi64>
      tlx.async_descriptor_load %desc[%zero, %zero], %buf, %full : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    }
    tlx.async_task num_warps(4) {
      %dot = tlx.async_dot %a, %buf, %zeros : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
      // CHECK: tlx.barrier_arrive
      tlx.barrier_arrive %started, 1 : !tlx.buffer<1xi64>
      %wait = tlx.async_dot_wait %dot {pendings = 0 : i32} : tensor<64x64xf32>
      tlx.barrier_arrive %free, 1 : !tlx.buffer<1xi64>
    }
  }
  tt.return
}

// A wait before the loop is none for each turn, and of the second barrier it is
// not known whether it holds the write back.
// CHECK-LABEL: @other_waits
tt.func @other_waits(%desc: !tt.tensordesc<64x64xf16>, %n: i32, %zeros: tensor<64x64xf32>, %a: tensor<64x64xf16>, %unknown: !tlx.buffer<1xi64>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %frees = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
  %fulls = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %first = tlx.local_view %bufs[%zero] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %second = tlx.local_view %bufs[%one] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
  %first_free = tlx.local_view %frees[%zero] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  %second_free = tlx.local_view %frees[%one] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
  %full = tlx.local_view %fulls[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  tlx.async_tasks {
    tlx.async_task default {
      tlx.barrier_wait %first_free, %one : !tlx.buffer<1xi64>
      scf.for %i = %zero to %n step %one : i32 {
        tlx.async_descriptor_load %desc[%zero, %zero], %first, %full : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
      }
      scf.for %i = %zero to %n step %one : i32 {
        tlx.barrier_wait %second_free, %one : !tlx.buffer<1xi64>
        tlx.barrier_wait %unknown, %zero : !tlx.buffer<1xi64>
        tlx.async_descriptor_load %desc[%zero, %zero], %second, %full : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
      }
    }
    tlx.async_task num_warps(4) {
      %early = tlx.async_dot %a, %first, %zeros : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
      %dot = tlx.async_dot %a, %second, %early : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
      // CHECK: tlx.barrier_arrive
      tlx.barrier_arrive %first_free, 1 : !tlx.buffer<1xi64>
      tlx.barrier_arrive %second_free, 1 : !tlx.buffer<1xi64>
      %wait = tlx.async_dot_wait %dot {pendings = 0 : i32} : tensor<64x64xf32>
    }
  }
  tt.return
}

// One barrier goes with the buffers in turn: the next write is to another one.
// CHECK-LABEL: @buffers_in_turn
tt.func @buffers_in_turn(%desc: !tt.tensordesc<64x64xf16>, %n: i32, %zeros: tensor<64x64xf32>, %a: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %bufs = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %frees = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %fulls = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %free = tlx.local_view %frees[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %full = tlx.local_view %fulls[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  scf.for %i = %zero to %n step %one : i32 {
    %slot = arith.remsi %i, %two : i32
    %buf = tlx.local_view %bufs[%slot] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
    tlx.barrier_wait %free, %one : !tlx.buffer<1xi64>
    tlx.async_descriptor_load %desc[%zero, %zero], %buf, %full : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    %dot = tlx.async_dot %a, %buf, %zeros : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
    %wait = tlx.async_dot_wait %dot {pendings = 1 : i32} : tensor<64x64xf32>
    // CHECK: tlx.barrier_arrive
    tlx.barrier_arrive %free, 1 : !tlx.buffer<1xi64>
  }
  tt.return
}

// What both sides compute from a barrier's index need not be the same: the
// operations differ, or what they do, or what they give each time.
// CHECK-LABEL: @other_functions
tt.func @other_functions(%desc: !tt.tensordesc<64x64xf16>, %table: !tt.ptr<i32>, %zeros: tensor<64x64xf32>, %a: tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %frees = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %fulls = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %free = tlx.local_view %frees[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %full = tlx.local_view %fulls[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  %by_op = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %by_attribute = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %by_memory = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  %by_task = tlx.local_alloc : !tlx.buffer<2x64x64xf16>
  tlx.async_tasks {
    tlx.async_task default {
      tlx.barrier_wait %free, %one : !tlx.buffer<1xi64>
      %0 = arith.addi %zero, %one : i32
      %buf0 = tlx.local_view %by_op[%0] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
      tlx.async_descriptor_load %desc[%zero, %zero], %buf0, %full : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
      %equal = arith.cmpi eq, %zero, %one : i32
      %1 = arith.extui %equal : i1 to i32
      %buf1 = tlx.local_view %by_attribute[%1] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
      tlx.async_descriptor_load %desc[%zero, %zero], %buf1, %full : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
      %2 = tt.load %table : !tt.ptr<i32>
      %buf2 = tlx.local_view %by_memory[%2] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
      tlx.async_descriptor_load %desc[%zero, %zero], %buf2, %full : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
      %3 = tlx.task_replica
      %buf3 = tlx.local_view %by_task[%3] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
      tlx.async_descriptor_load %desc[%zero, %zero], %buf3, %full : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    }
    tlx.async_task num_warps(4) {
      %0 = arith.muli %zero, %one : i32
      %buf0 = tlx.local_view %by_op[%0] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
      %dot0 = tlx.async_dot %a, %buf0, %zeros : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
      %unequal = arith.cmpi ne, %zero, %one : i32
      %1 = arith.extui %unequal : i1 to i32
      %buf1 = tlx.local_view %by_attribute[%1] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
      %dot1 = tlx.async_dot %a, %buf1, %dot0 : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
      %2 = tt.load %table : !tt.ptr<i32>
      %buf2 = tlx.local_view %by_memory[%2] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
      %dot2 = tlx.async_dot %a, %buf2, %dot1 : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
      %3 = tlx.task_replica
      %buf3 = tlx.local_view %by_task[%3] : !tlx.buffer<2x64x64xf16> -> !tlx.buffer<64x64xf16>
      %dot3 = tlx.async_dot %a, %buf3, %dot2 : tensor<64x64xf16> * !tlx.buffer<64x64xf16> -> tensor<64x64xf32>
      // CHECK: tlx.barrier_arrive
      tlx.barrier_arrive %free, 1 : !tlx.buffer<1xi64>
      %wait = tlx.async_dot_wait %dot3 {pendings = 0 : i32} : tensor<64x64xf32>
    }
  }
  tt.return
}
