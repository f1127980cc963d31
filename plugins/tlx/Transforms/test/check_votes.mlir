// RUN: %plugin_opt --pass tlx_check_votes %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // A warp asks about what it has. Others may need the converted value still.
  // CHECK-LABEL: @conversions
  // CHECK-SAME: %[[PREDICATE:[a-z0-9]*]]: tensor<32x8xi1, #[[ROWS:.*]]>, %[[OTHER:[a-z0-9]*]]: tensor
  tt.func @conversions(%predicate: tensor<32x8xi1, #rows>, %other: tensor<32x8xi1, #rows>) -> (i1, i1, tensor<32x8xi1, #columns>) {
    // CHECK-NEXT: tlx.vote_any %[[PREDICATE]] : tensor<32x8xi1, #[[ROWS]]>
    %0 = ttg.convert_layout %predicate : tensor<32x8xi1, #rows> -> tensor<32x8xi1, #columns>
    %any = tlx.vote_any %0 : tensor<32x8xi1, #columns>
    // CHECK-NEXT: %[[CONVERTED:.*]] = ttg.convert_layout %[[OTHER]]
    // CHECK-NEXT: tlx.vote_any %[[OTHER]] : tensor<32x8xi1, #[[ROWS]]>
    %1 = ttg.convert_layout %other : tensor<32x8xi1, #rows> -> tensor<32x8xi1, #columns>
    %another = tlx.vote_any %1 : tensor<32x8xi1, #columns>
    // CHECK-NEXT: tt.return {{.*}}%[[CONVERTED]]
    tt.return %any, %another, %1 : i1, i1, tensor<32x8xi1, #columns>
  }

  // Along rows that a warp has as a whole it needs no other; nor to write what it has.
  // CHECK-LABEL: @within_warps
  tt.func @within_warps(%predicate: tensor<32x8xi1, #rows>, %x: tensor<32x8xf32, #rows>, %pointers: tensor<32x8x!tt.ptr<f32>, #rows>) {
    // CHECK: tlx.vote_any
    // CHECK: scf.if
    // CHECK: tt.reduce
    // CHECK: tt.store
    %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
    scf.if %any {
      %sums = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %sum = arith.addf %a, %b : f32
        tt.reduce.return %sum : f32
      }) : (tensor<32x8xf32, #rows>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #rows}>>
      %column = tt.expand_dims %sums {axis = 1 : i32} : tensor<32xf32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<32x1xf32, #rows>
      %all = tt.broadcast %column : tensor<32x1xf32, #rows> -> tensor<32x8xf32, #rows>
      tt.store %pointers, %all : tensor<32x8x!tt.ptr<f32>, #rows>
    }
    tt.return
  }

  // Outside of the branch all warps are there.
  // CHECK-LABEL: @behind_the_branch
  tt.func @behind_the_branch(%predicate: tensor<32x8xi1, #rows>, %x: tensor<32x8xf32, #rows>) -> tensor<32x8xf32, #columns> {
    // CHECK: scf.if
    // CHECK: ttg.convert_layout
    %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
    %y = scf.if %any -> tensor<32x8xf32, #rows> {
      %twice = arith.addf %x, %x : tensor<32x8xf32, #rows>
      scf.yield %twice : tensor<32x8xf32, #rows>
    } else {
      scf.yield %x : tensor<32x8xf32, #rows>
    }
    %z = ttg.convert_layout %y : tensor<32x8xf32, #rows> -> tensor<32x8xf32, #columns>
    tt.return %z : tensor<32x8xf32, #columns>
  }

  // What differs from warp to warp does not make a branch by something else one
  // of theirs.
  // CHECK-LABEL: @beside
  tt.func @beside(%predicate: tensor<32x8xi1, #rows>, %x: tensor<32x8xf32, #rows>, %count: i32, %go: i1) -> (tensor<32x8xf32, #rows>, i1) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
    %y = arith.select %any, %x, %x : tensor<32x8xf32, #rows>
    // CHECK: scf.for
    // CHECK: ttg.barrier
    %last = scf.for %turn = %zero to %count step %one iter_args(%value = %any) -> i1 : i32 {
      ttg.barrier local
      scf.yield %value : i1
    }
    // CHECK: scf.while
    // CHECK: ttg.barrier
    %end = scf.while (%value = %last) : (i1) -> i1 {
      scf.condition(%go) %value : i1
    } do {
    ^bb0(%value: i1):
      ttg.barrier local
      scf.yield %value : i1
    }
    tt.return %y, %end : tensor<32x8xf32, #rows>, i1
  }
}
