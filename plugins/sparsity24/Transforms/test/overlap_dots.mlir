// RUN: %plugin_opt --pass sparsity24_overlap_dots --split-input-file %s | %FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#meta = #ttg.linear<{register = [[8, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // What the pipeliner makes: iteration k loads for iteration k + 2 where k has been.
  // CHECK-LABEL: @refilled_by_tma
  tt.func @refilled_by_tma(%values_desc: !tt.tensordesc<64x32xf16, #shared>, %b_desc: !tt.tensordesc<64x64xf16, #shared1>, %meta: tensor<64x4xi16, #meta>, %zeros: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    // CHECK: %[[VALUES:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16
    // CHECK: %[[B:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16
    // CHECK: %[[BARRIERS:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %values = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable>
    %barriers = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #shared2, #smem, mutable>
    // CHECK: %[[NONE:.*]] = arith.constant dense<0> : tensor<128x1xi32, #[[REGISTERS:.*]]>
    // Two products an iteration. What it carries: the accumulator, the stage, the registers of the
    // two products before, and the numbers of the refills that are due.
    // CHECK: %[[LOOP:.*]]:7 = scf.for %[[K:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[STAGE:.*]] = %{{.*}}, %[[EVEN:.*]] = %[[NONE]], %[[ODD:.*]] = %[[NONE]], %[[OLD_STAGE:.*]] = %{{.*}}, %[[OLD_PRED:.*]] = %{{.*}}, %[[OLD_K:.*]] = %{{.*}})
    %result:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros, %stage = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      %values_now = ttg.memdesc_index %values[%stage] : !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
      %b_now = ttg.memdesc_index %b[%stage] : !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      // CHECK: %[[META:.*]] = sparsity24.hold_meta %{{.*}}, %[[EVEN]]
      // CHECK: %[[DOT:.*]] = sparsity24.async_sparse_dot %{{.*}}, %[[META]], %{{.*}}, %[[ACC]]
      %dot = sparsity24.async_sparse_dot %values_now, %meta, %b_now, %acc : !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<64x4xi16, #meta>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> tensor<64x64xf32, #mma>
      %waited:3 = ttng.warp_group_dot_wait %dot, %values_now, %b_now {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      // CHECK: %[[RUNS:.*]] = ttng.warp_group_dot_wait %[[DOT]] {pendings = 1 : i32}
      // CHECK: %[[BARRIER:.*]] = ttg.memdesc_index %[[BARRIERS]][%[[OLD_STAGE]]]
      // CHECK: ttng.barrier_expect %[[BARRIER]], 12288, %[[OLD_PRED]]
      // CHECK: %[[REFILLED:.*]] = ttg.memdesc_index %[[VALUES]][%[[OLD_STAGE]]]
      // CHECK: ttng.async_tma_copy_global_to_local %{{.*}}[%{{.*}}, %[[OLD_K]]] %[[REFILLED]], %[[BARRIER]], %[[OLD_PRED]]
      // CHECK: %[[REFILLED:.*]] = ttg.memdesc_index %[[B]][%[[OLD_STAGE]]]
      // CHECK: ttng.async_tma_copy_global_to_local %{{.*}}[%[[OLD_K]], %{{.*}}] %[[REFILLED]], %[[BARRIER]], %[[OLD_PRED]]
      // CHECK: %[[NEXT_K:.*]] = arith.addi %[[K]]
      // CHECK: %[[PRED:.*]] = arith.cmpi slt, %[[NEXT_K]]
      // CHECK: %[[NEXT_STAGE:.*]] = arith.subi %{{.*}}, %[[STAGE]]
      %next = arith.addi %k, %c2 : i32
      %pred = arith.cmpi slt, %next, %n : i32
      %barrier = ttg.memdesc_index %barriers[%stage] : !ttg.memdesc<2x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.barrier_expect %barrier, 12288, %pred : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.async_tma_copy_global_to_local %values_desc[%c0, %next] %values_now, %barrier, %pred : !tt.tensordesc<64x32xf16, #shared>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
      ttng.async_tma_copy_global_to_local %b_desc[%next, %c0] %b_now, %barrier, %pred : !tt.tensordesc<64x64xf16, #shared1>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      %other = arith.subi %c1, %stage : i32
      // CHECK: %[[NEXT_META:.*]] = sparsity24.hold_meta %{{.*}}, %[[ODD]]
      // CHECK: %[[NEXT_DOT:.*]] = sparsity24.async_sparse_dot %{{.*}}, %[[NEXT_META]], %{{.*}}, %[[RUNS]]
      // CHECK: %[[NEXT_RUNS:.*]] = ttng.warp_group_dot_wait %[[NEXT_DOT]] {pendings = 1 : i32}
      // CHECK: ttng.barrier_expect %{{.*}}, 12288, %[[PRED]]
      // CHECK: ttng.async_tma_copy_global_to_local %{{.*}}[%{{.*}}, %[[NEXT_K]]]
      // CHECK: scf.yield %[[NEXT_RUNS]], %{{.*}}, %[[META]], %[[NEXT_META]], %[[NEXT_STAGE]]
      scf.yield %waited#0, %other : tensor<64x64xf32, #mma>, i32
    }
    // An odd step: one product at a time.
    // CHECK: %[[REST:.*]]:7 = scf.for {{.*}} iter_args(%{{.*}} = %[[LOOP]]#0
    // CHECK: sparsity24.async_sparse_dot
    // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
    // CHECK: %[[LAST:.*]] = ttng.warp_group_dot_wait %[[REST]]#0 {pendings = 0 : i32}
    // CHECK: tt.return %[[LAST]]
    tt.return %result#0 : tensor<64x64xf32, #mma>
  }

  // A loop of tiles and steps: a tile's last product is awaited where its result is used.
  // CHECK-LABEL: @tiles
  tt.func @tiles(%values_desc: !tt.tensordesc<64x32xf16, #shared>, %b_desc: !tt.tensordesc<64x64xf16, #shared1>, %meta: tensor<64x4xi16, #meta>, %zeros: tensor<64x64xf32, #mma>, %n: i32, %out: !ttg.memdesc<64x64xf32, #shared1, #smem, mutable>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %values = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable>
    %barriers = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #shared2, #smem, mutable>
    %result:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros, %stage = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      %values_now = ttg.memdesc_index %values[%stage] : !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
      %b_now = ttg.memdesc_index %b[%stage] : !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      %dot = sparsity24.async_sparse_dot %values_now, %meta, %b_now, %acc : !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<64x4xi16, #meta>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> tensor<64x64xf32, #mma>
      %waited:3 = ttng.warp_group_dot_wait %dot, %values_now, %b_now {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      // CHECK: %[[RUNS:.*]] = ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
      %next = arith.addi %k, %c2 : i32
      %pred = arith.cmpi slt, %next, %n : i32
      %barrier = ttg.memdesc_index %barriers[%stage] : !ttg.memdesc<2x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.barrier_expect %barrier, 12288, %pred : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.async_tma_copy_global_to_local %values_desc[%c0, %next] %values_now, %barrier, %pred : !tt.tensordesc<64x32xf16, #shared>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
      ttng.async_tma_copy_global_to_local %b_desc[%next, %c0] %b_now, %barrier, %pred : !tt.tensordesc<64x64xf16, #shared1>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      %other = arith.subi %c1, %stage : i32
      %end = arith.cmpi eq, %other, %c0 : i32
      // CHECK: scf.if
      // CHECK-NEXT: %[[LAST:.*]] = ttng.warp_group_dot_wait %[[RUNS]] {pendings = 0 : i32}
      // CHECK-NEXT: ttg.local_store %[[LAST]]
      // CHECK: else
      // CHECK-NEXT: scf.yield %[[RUNS]]
      %started = scf.if %end -> (tensor<64x64xf32, #mma>) {
        ttg.local_store %waited#0, %out : tensor<64x64xf32, #mma> -> !ttg.memdesc<64x64xf32, #shared1, #smem, mutable>
        scf.yield %zeros : tensor<64x64xf32, #mma>
      } else {
        scf.yield %waited#0 : tensor<64x64xf32, #mma>
      }
      scf.yield %started, %other : tensor<64x64xf32, #mma>, i32
    }
    // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
    // CHECK: tt.return
    tt.return
  }

  // A result that is used in every step is awaited in every step.
  // CHECK-LABEL: @used
  // CHECK-NOT: pendings = 1
  tt.func @used(%values_desc: !tt.tensordesc<64x32xf16, #shared>, %b_desc: !tt.tensordesc<64x64xf16, #shared1>, %meta: tensor<64x4xi16, #meta>, %zeros: tensor<64x64xf32, #mma>, %n: i32, %out: !ttg.memdesc<64x64xf32, #shared1, #smem, mutable>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %values = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable>
    %barriers = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #shared2, #smem, mutable>
    %result:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros, %stage = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      %values_now = ttg.memdesc_index %values[%stage] : !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
      %b_now = ttg.memdesc_index %b[%stage] : !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      %dot = sparsity24.async_sparse_dot %values_now, %meta, %b_now, %acc : !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<64x4xi16, #meta>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> tensor<64x64xf32, #mma>
      %waited:3 = ttng.warp_group_dot_wait %dot, %values_now, %b_now {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      %next = arith.addi %k, %c2 : i32
      %pred = arith.cmpi slt, %next, %n : i32
      %barrier = ttg.memdesc_index %barriers[%stage] : !ttg.memdesc<2x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.barrier_expect %barrier, 12288, %pred : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.async_tma_copy_global_to_local %values_desc[%c0, %next] %values_now, %barrier, %pred : !tt.tensordesc<64x32xf16, #shared>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
      ttng.async_tma_copy_global_to_local %b_desc[%next, %c0] %b_now, %barrier, %pred : !tt.tensordesc<64x64xf16, #shared1>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      %other = arith.subi %c1, %stage : i32
      ttg.local_store %waited#0, %out : tensor<64x64xf32, #mma> -> !ttg.memdesc<64x64xf32, #shared1, #smem, mutable>
      scf.yield %waited#0, %other : tensor<64x64xf32, #mma>, i32
    }
    tt.return
  }

  // A wait would count the other product, too.
  // CHECK-LABEL: @two_products
  // CHECK-NOT: pendings = 1
  tt.func @two_products(%values_desc: !tt.tensordesc<64x32xf16, #shared>, %b_desc: !tt.tensordesc<64x64xf16, #shared1>, %meta: tensor<64x4xi16, #meta>, %zeros: tensor<64x64xf32, #mma>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %values = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable>
    %barriers = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #shared2, #smem, mutable>
    %result:3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros, %stage = %c0, %acc2 = %zeros) -> (tensor<64x64xf32, #mma>, i32, tensor<64x64xf32, #mma>) : i32 {
      %values_now = ttg.memdesc_index %values[%stage] : !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
      %b_now = ttg.memdesc_index %b[%stage] : !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      %dot = sparsity24.async_sparse_dot %values_now, %meta, %b_now, %acc : !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<64x4xi16, #meta>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> tensor<64x64xf32, #mma>
      %waited:3 = ttng.warp_group_dot_wait %dot, %values_now, %b_now {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      %next = arith.addi %k, %c2 : i32
      %pred = arith.cmpi slt, %next, %n : i32
      %barrier = ttg.memdesc_index %barriers[%stage] : !ttg.memdesc<2x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.barrier_expect %barrier, 12288, %pred : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.async_tma_copy_global_to_local %values_desc[%c0, %next] %values_now, %barrier, %pred : !tt.tensordesc<64x32xf16, #shared>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
      ttng.async_tma_copy_global_to_local %b_desc[%next, %c0] %b_now, %barrier, %pred : !tt.tensordesc<64x64xf16, #shared1>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      %other = arith.subi %c1, %stage : i32
      %dot2 = sparsity24.async_sparse_dot %values_now, %meta, %b_now, %acc2 : !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<64x4xi16, #meta>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> tensor<64x64xf32, #mma>
      %waited2:3 = ttng.warp_group_dot_wait %dot2, %values_now, %b_now {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      scf.yield %waited#0, %other, %waited2#0 : tensor<64x64xf32, #mma>, i32, tensor<64x64xf32, #mma>
    }
    tt.return
  }

  // Copies before the wait don't refill what the product read.
  // CHECK-LABEL: @copied_before
  // CHECK-NOT: pendings = 1
  tt.func @copied_before(%values_desc: !tt.tensordesc<64x32xf16, #shared>, %b_desc: !tt.tensordesc<64x64xf16, #shared1>, %meta: tensor<64x4xi16, #meta>, %zeros: tensor<64x64xf32, #mma>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %values = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable>
    %barriers = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #shared2, #smem, mutable>
    %result:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros, %stage = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      %values_now = ttg.memdesc_index %values[%stage] : !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
      %b_now = ttg.memdesc_index %b[%stage] : !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      %next = arith.addi %k, %c2 : i32
      %pred = arith.cmpi slt, %next, %n : i32
      %barrier = ttg.memdesc_index %barriers[%stage] : !ttg.memdesc<2x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.barrier_expect %barrier, 12288, %pred : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.async_tma_copy_global_to_local %values_desc[%c0, %next] %values_now, %barrier, %pred : !tt.tensordesc<64x32xf16, #shared>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
      ttng.async_tma_copy_global_to_local %b_desc[%next, %c0] %b_now, %barrier, %pred : !tt.tensordesc<64x64xf16, #shared1>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      %other = arith.subi %c1, %stage : i32
      %dot = sparsity24.async_sparse_dot %values_now, %meta, %b_now, %acc : !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<64x4xi16, #meta>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> tensor<64x64xf32, #mma>
      %waited:3 = ttng.warp_group_dot_wait %dot, %values_now, %b_now {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      scf.yield %waited#0, %other : tensor<64x64xf32, #mma>, i32
    }
    tt.return
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#meta = #ttg.linear<{register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Metadata of 128 columns are two registers.
  // CHECK-LABEL: @two_registers
  // CHECK-NOT: pendings = 1
  tt.func @two_registers(%values_desc: !tt.tensordesc<64x64xf16, #shared1>, %b_desc: !tt.tensordesc<128x64xf16, #shared1>, %meta: tensor<64x8xi16, #meta>, %zeros: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %values = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf16, #shared1, #smem, mutable>
    %barriers = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #shared2, #smem, mutable>
    %result:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros, %stage = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      %values_now = ttg.memdesc_index %values[%stage] : !ttg.memdesc<2x64x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      %b_now = ttg.memdesc_index %b[%stage] : !ttg.memdesc<2x128x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>
      %dot = sparsity24.async_sparse_dot %values_now, %meta, %b_now, %acc : !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>, tensor<64x8xi16, #meta>, !ttg.memdesc<128x64xf16, #shared1, #smem, mutable> -> tensor<64x64xf32, #mma>
      %waited:3 = ttng.warp_group_dot_wait %dot, %values_now, %b_now {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>
      %next = arith.addi %k, %c2 : i32
      %pred = arith.cmpi slt, %next, %n : i32
      %barrier = ttg.memdesc_index %barriers[%stage] : !ttg.memdesc<2x1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.barrier_expect %barrier, 12288, %pred : !ttg.memdesc<1xi64, #shared2, #smem, mutable>
      ttng.async_tma_copy_global_to_local %values_desc[%c0, %next] %values_now, %barrier, %pred : !tt.tensordesc<64x64xf16, #shared1>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
      ttng.async_tma_copy_global_to_local %b_desc[%next, %c0] %b_now, %barrier, %pred : !tt.tensordesc<128x64xf16, #shared1>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>
      %other = arith.subi %c1, %stage : i32
      scf.yield %waited#0, %other : tensor<64x64xf32, #mma>, i32
    }
    tt.return %result#0 : tensor<64x64xf32, #mma>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#meta = #ttg.linear<{register = [[8, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Threads write the memory: nothing says that a product may still read it.
  // CHECK-LABEL: @written_by_threads
  // CHECK-NOT: pendings = 1
  tt.func @written_by_threads(%x: tensor<64x32xf16, #blocked>, %y: tensor<64x64xf16, #blocked>, %meta: tensor<64x4xi16, #meta>, %zeros: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %result = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x64xf32, #mma>) : i32 {
      %values = ttg.local_alloc %x : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
      %b = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared1, #smem>
      %dot = sparsity24.async_sparse_dot %values, %meta, %b, %acc : !ttg.memdesc<64x32xf16, #shared, #smem>, tensor<64x4xi16, #meta>, !ttg.memdesc<64x64xf16, #shared1, #smem> -> tensor<64x64xf32, #mma>
      %waited = ttng.warp_group_dot_wait %dot {pendings = 0 : i32} : tensor<64x64xf32, #mma>
      scf.yield %waited : tensor<64x64xf32, #mma>
    }
    tt.return %result : tensor<64x64xf32, #mma>
  }
}
