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
// producer waits for both barriers before it writes either buffer.
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
        tlx.barrier_wait %value_free, %one : !tlx.buffer<1xi64>
        tlx.async_descriptor_load %desc[%zero, %zero], %key, %full_0 : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
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
