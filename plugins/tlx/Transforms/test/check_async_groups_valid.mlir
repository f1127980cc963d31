// RUN: %plugin_opt --pass tlx_check_async_groups %s | %FileCheck %s

// Waits that can wait.

// CHECK-LABEL: @pipelined
// CHECK-COUNT-2: tlx.async_commit
tt.func @pipelined(%steps: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = tlx.async_commit
  %second = tlx.async_commit
  scf.for %i = %zero to %steps step %one : i32 {
    // CHECK: tlx.async_wait {pendings = 1 : i32}
    %done = tlx.async_wait {pendings = 1 : i32}
    %group = tlx.async_commit
  }
  // CHECK: tlx.async_wait {pendings = 0 : i32}
  %all = tlx.async_wait {pendings = 0 : i32}
  tt.return
}

// Any number of groups may have been committed by a loop of unknown length.
// CHECK-LABEL: @unknown_trip_count
tt.func @unknown_trip_count(%steps: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %steps step %one : i32 {
    %done = tlx.async_wait {pendings = 7 : i32}
    %group = tlx.async_commit
  }
  tt.return
}

// CHECK-LABEL: @known_trip_count
tt.func @known_trip_count() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %first = tlx.async_commit
  scf.for %i = %zero to %two step %one : i32 {
    %group = tlx.async_commit
    %done = tlx.async_wait {pendings = 2 : i32}
  }
  tt.return
}

// The default task runs on the kernel's warps.
tt.func @default_task() {
  %group = tlx.async_commit
  tlx.async_tasks {
    tlx.async_task default {
      %more = tlx.async_commit
      %wait = tlx.async_wait {pendings = 1 : i32}
    }
  }
  %wait = tlx.async_wait {pendings = 1 : i32}
  tt.return
}
