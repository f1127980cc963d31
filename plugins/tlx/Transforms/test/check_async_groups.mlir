// RUN: %plugin_opt --pass tlx_check_async_groups --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: leaves up to 2 groups of copies pending, but at most 1 are committed before it
tt.func @too_many() {
  %group = tlx.async_commit
  %done = tlx.async_wait {pendings = 2 : i32}
  tt.return
}

// -----

// One committed group, of which one may stay: the wait never waits.
// CHECK: leaves up to 1 groups of copies pending, but at most 1 are committed before it
tt.func @off_by_one() {
  %group = tlx.async_commit
  %done = tlx.async_wait {pendings = 1 : i32}
  tt.return
}

// -----

// The last of two iterations has three groups before its wait.
// CHECK: leaves up to 3 groups of copies pending, but at most 3 are committed before it
tt.func @known_trip_count() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %first = tlx.async_commit
  scf.for %i = %zero to %two step %one : i32 {
    %group = tlx.async_commit
    %done = tlx.async_wait {pendings = 3 : i32}
  }
  tt.return
}

// -----

// CHECK: leaves up to 2 groups of copies pending, but at most 1 are committed before it
tt.func @one_branch(%condition: i1) {
  scf.if %condition {
    %group = tlx.async_commit
  }
  %done = tlx.async_wait {pendings = 2 : i32}
  tt.return
}

// -----

// Another task's warps committed the group.
// CHECK: the wait leaves up to 1 groups of copies pending, but at most 0 are committed before it
tt.func @other_warps() {
  %group = tlx.async_commit
  tlx.async_tasks {
    tlx.async_task default {
      %more = tlx.async_commit
    }
    tlx.async_task num_warps(4) {
      %wait = tlx.async_wait {pendings = 1 : i32}
    }
  }
  tt.return
}
