// RUN: %plugin_opt --pass tlx_check_votes --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: error: needs all warps of the task, but stands in a branch that each warp takes by itself (vote_any); move it out of the branch
// CHECK: note: the branch depends on this
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @conversion(%predicate: tensor<32x8xi1, #rows>, %x: tensor<32x8xf32, #rows>, %pointers: tensor<32x8x!tt.ptr<f32>, #columns>) {
    %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
    scf.if %any {
      %y = ttg.convert_layout %x : tensor<32x8xf32, #rows> -> tensor<32x8xf32, #columns>
      tt.store %pointers, %y : tensor<32x8x!tt.ptr<f32>, #columns>
    }
    tt.return
  }
}

// -----

// By way of another condition, and in the other branch.
// CHECK: error: needs all warps of the task, but stands in a branch that each warp takes by itself (vote_any); move it out of the branch
// CHECK: note: the branch depends on this
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @reduction(%predicate: tensor<32x8xi1, #rows>, %also: i1, %x: tensor<32x8xf32, #rows>) {
    %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
    %both = arith.andi %any, %also : i1
    scf.if %both {
    } else {
      %sums = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %sum = arith.addf %a, %b : f32
        tt.reduce.return %sum : f32
      }) : (tensor<32x8xf32, #rows>) -> tensor<8xf32, #ttg.slice<{dim = 0, parent = #rows}>>
    }
    tt.return
  }
}

// -----

// CHECK: error: needs all warps of the task, but stands in a branch that each warp takes by itself (vote_any); move it out of the branch
// CHECK: note: the branch depends on this
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @loop(%predicate: tensor<32x8xi1, #rows>) {
    scf.while : () -> () {
      %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
      scf.condition(%any)
    } do {
      ttg.barrier local
      scf.yield
    }
    tt.return
  }
}

// -----

// CHECK: error: needs all warps of the task, but stands in a branch that each warp takes by itself (vote_any); move it out of the branch
// CHECK: note: the branch depends on this
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @buffer(%predicate: tensor<32x8xi1, #rows>, %x: tensor<32x8xf32, #rows>, %buffer: !ttg.memdesc<32x8xf32, #shared, #smem, mutable>) {
    %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
    scf.if %any {
      ttg.local_store %x, %buffer : tensor<32x8xf32, #rows> -> !ttg.memdesc<32x8xf32, #shared, #smem, mutable>
    }
    tt.return
  }
}

// -----

// A loop hands the vote on to its next turn.
// CHECK: error: needs all warps of the task, but stands in a branch that each warp takes by itself (vote_any); move it out of the branch
// CHECK: note: the branch depends on this
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @until(%predicate: tensor<32x8xi1, #rows>) {
    %true = arith.constant true
    scf.while (%go = %true) : (i1) -> () {
      scf.condition(%go)
    } do {
      ttg.barrier local
      %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
      scf.yield %any : i1
    }
    tt.return
  }
}

// -----

// What a branch makes is another warp's or not, and how often a loop runs.
// CHECK: error: needs all warps of the task, but stands in a branch that each warp takes by itself (vote_any); move it out of the branch
// CHECK: note: the branch depends on this
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @turns(%predicate: tensor<32x8xi1, #rows>, %few: i32, %many: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
    %turns = scf.if %any -> i32 {
      scf.yield %many : i32
    } else {
      scf.yield %few : i32
    }
    scf.for %turn = %zero to %turns step %one : i32 {
      ttg.barrier local
    }
    tt.return
  }
}

// -----

// Through a loop's value, what a while loop passes on, and what another branch chooses.
// CHECK: error: needs all warps of the task, but stands in a branch that each warp takes by itself (vote_any); move it out of the branch
// CHECK: note: the branch depends on this
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @passed_on(%predicate: tensor<32x8xi1, #rows>, %count: i32, %go: i1) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
    %last = scf.for %turn = %zero to %count step %one iter_args(%value = %any) -> i1 : i32 {
      scf.yield %value : i1
    }
    %end = scf.while (%value = %last) : (i1) -> i1 {
      scf.condition(%go) %value : i1
    } do {
    ^bb0(%value: i1):
      scf.yield %value : i1
    }
    %chosen = scf.if %go -> i1 {
      scf.yield %end : i1
    } else {
      scf.yield %go : i1
    }
    scf.if %chosen {
      ttg.barrier local
    }
    tt.return
  }
}

// -----

// CHECK: error: returns in a branch that each warp takes by itself (vote_any); put what follows into the other branch
// CHECK: note: the branch depends on this
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @early_return(%predicate: tensor<32x8xi1, #rows>) {
    %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
    cf.cond_br %any, ^bb1, ^bb2
  ^bb1:
    tt.return
  ^bb2:
    ttg.barrier local
    tt.return
  }
}

// -----

// In the next turn of a loop.
// CHECK: error: needs all warps of the task, but stands in a branch that each warp takes by itself (vote_any); move it out of the branch
// CHECK: note: the branch depends on this
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @next_turn(%predicate: tensor<32x8xi1, #rows>, %count: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    %last = scf.for %turn = %zero to %count step %one iter_args(%before = %false) -> i1 : i32 {
      scf.if %before {
        ttg.barrier local
      }
      %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
      scf.yield %any : i1
    }
    tt.return
  }
}

// -----

// In a loop that is given the vote.
// CHECK: error: needs all warps of the task, but stands in a branch that each warp takes by itself (vote_any); move it out of the branch
// CHECK: note: the branch depends on this
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @first_turn(%predicate: tensor<32x8xi1, #rows>, %count: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
    %last = scf.for %turn = %zero to %count step %one iter_args(%value = %any) -> i1 : i32 {
      scf.if %value {
        ttg.barrier local
      }
      scf.yield %false : i1
    }
    tt.return
  }
}

// -----

// In the part of a loop behind its condition.
// CHECK: error: needs all warps of the task, but stands in a branch that each warp takes by itself (vote_any); move it out of the branch
// CHECK: note: the branch depends on this
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @behind_a_condition(%predicate: tensor<32x8xi1, #rows>, %go: i1) {
    scf.while : () -> i1 {
      %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
      scf.condition(%go) %any : i1
    } do {
    ^bb0(%value: i1):
      scf.if %value {
        ttg.barrier local
      }
      scf.yield
    }
    tt.return
  }
}

// -----

// Of a loop without a turn.
// CHECK: error: needs all warps of the task, but stands in a branch that each warp takes by itself (vote_any); move it out of the branch
// CHECK: note: the branch depends on this
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @no_turn(%predicate: tensor<32x8xi1, #rows>, %count: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
    %last = scf.for %turn = %zero to %count step %one iter_args(%value = %any) -> i1 : i32 {
      scf.yield %false : i1
    }
    scf.if %last {
      ttg.barrier local
    }
    tt.return
  }
}
