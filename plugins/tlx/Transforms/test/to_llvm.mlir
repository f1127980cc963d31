// RUN: %plugin_opt --pass tlx_to_llvm %s | %FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// What the stock conversion left behind casts becomes assembly of what is
// before the casts.
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @store(
  // CHECK-SAME: %[[POINTER:[^:]*]]: !llvm.ptr<1>, %[[BUFFER:[^:]*]]: !llvm.struct<(ptr<3>, i32)>, %[[SIZE:[^:]*]]: i32
  llvm.func @store(%pointer: !llvm.ptr<1>, %buffer: !llvm.struct<(ptr<3>, i32)>, %size: i32, %first: i1) {
    %destination = builtin.unrealized_conversion_cast %pointer : !llvm.ptr<1> to !tt.ptr<f32>
    %source = builtin.unrealized_conversion_cast %buffer : !llvm.struct<(ptr<3>, i32)> to !ttg.memdesc<128xf32, #plain, #smem, mutable>
    // CHECK: %[[ADDRESS:.*]] = llvm.extractvalue %[[BUFFER]][0]
    // CHECK: llvm.inline_asm has_side_effects {{.*}}elect.sync{{.*}}cp.async.bulk.global.shared::cta.bulk_group{{.*}}cp.async.bulk.commit_group{{.*}} %[[POINTER]], %[[ADDRESS]], %[[SIZE]],
    // CHECK-NOT: tlx.async_store
    tlx.async_store %destination, %source, %size if %first : !tt.ptr<f32>, !ttg.memdesc<128xf32, #plain, #smem, mutable>
    llvm.return
  }

  // Arguments of a task are converted when the tasks are. The hardware takes the
  // contiguous dimension first.
  // CHECK-LABEL: llvm.func @prefetch_in_a_task(
  llvm.func @prefetch_in_a_task(%pointer: !llvm.ptr, %row: i32, %column: i32, %first: i1) {
    %descriptor = builtin.unrealized_conversion_cast %pointer : !llvm.ptr to !tt.tensordesc<64x64xf16>
    ttg.warp_specialize(%descriptor, %row, %column, %first) attributes {warpGroupStartIds = array<i32: 4>}
    default {
      ttg.warp_yield
    }
    // CHECK: partition0(%[[ARGUMENT:.*]]: !tt.tensordesc<64x64xf16>, %[[ROW:.*]]: i32, %[[COLUMN:.*]]: i32,
    partition0(%argument: !tt.tensordesc<64x64xf16>, %row_in_task: i32, %column_in_task: i32, %first_in_task: i1) num_warps(1) {
      // CHECK: %[[CONVERTED:.*]] = builtin.unrealized_conversion_cast %[[ARGUMENT]] : !tt.tensordesc<64x64xf16> to !llvm.ptr
      // CHECK: llvm.inline_asm has_side_effects {{.*}}cp.async.bulk.prefetch.tensor.2d{{.*}} %[[CONVERTED]], %[[COLUMN]], %[[ROW]],
      tlx.async_descriptor_prefetch %argument[%row_in_task, %column_in_task] if %first_in_task : !tt.tensordesc<64x64xf16>
      // CHECK: llvm.inline_asm has_side_effects {{.*}}@elected prefetch.tensormap [$0];
      tlx.prefetch_descriptor %argument if %first_in_task : !tt.tensordesc<64x64xf16>
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16>, i32, i32, i1) -> ()
    llvm.return
  }

  // CHECK-LABEL: llvm.func @load(
  // CHECK-SAME: %[[POINTER:[^:]*]]: !llvm.ptr<1>, %[[BUFFER:[^:]*]]: !llvm.struct<(ptr<3>, i32)>, %[[BARRIER:[^:]*]]: !llvm.struct<(ptr<3>, i32)>, %[[SIZE:[^:]*]]: i32
  llvm.func @load(%pointer: !llvm.ptr<1>, %buffer: !llvm.struct<(ptr<3>, i32)>, %bar: !llvm.struct<(ptr<3>, i32)>, %size: i32, %first: i1) {
    %source = builtin.unrealized_conversion_cast %pointer : !llvm.ptr<1> to !tt.ptr<f32>
    %destination = builtin.unrealized_conversion_cast %buffer : !llvm.struct<(ptr<3>, i32)> to !ttg.memdesc<128xf32, #plain, #smem, mutable>
    %barrier = builtin.unrealized_conversion_cast %bar : !llvm.struct<(ptr<3>, i32)> to !ttg.memdesc<1xi64, #plain, #smem, mutable>
    // CHECK: %[[ADDRESS:.*]] = llvm.extractvalue %[[BUFFER]][0]
    // CHECK: %[[FULL:.*]] = llvm.extractvalue %[[BARRIER]][0]
    // CHECK: elect.sync{{.*}}createpolicy.fractional.L2::evict_first.b64 policy, 1.0;{{.*}}@elected cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [$1], [$0], $2, [$3], policy;{{.*}} %[[POINTER]], %[[ADDRESS]], %[[SIZE]], %[[FULL]],
    tlx.async_bulk_load %source, %destination, %size, %barrier if %first {evict = 2 : i32} : !tt.ptr<f32> -> !ttg.memdesc<128xf32, #plain, #smem, mutable>, !ttg.memdesc<1xi64, #plain, #smem, mutable>
    llvm.return
  }

  // All threads of the warp vote, each for all elements that it has.
  // CHECK-LABEL: llvm.func @vote(
  // CHECK-SAME: %[[ELEMENTS:.*]]: !llvm.struct<(i1, i1)>)
  llvm.func @vote(%elements: !llvm.struct<(i1, i1)>) -> i1 {
    %predicate = builtin.unrealized_conversion_cast %elements : !llvm.struct<(i1, i1)> to tensor<32x8xi1, #rows>
    // CHECK-DAG: %[[FIRST:.*]] = llvm.extractvalue %[[ELEMENTS]][0]
    // CHECK-DAG: %[[SECOND:.*]] = llvm.extractvalue %[[ELEMENTS]][1]
    // CHECK-DAG: %[[OWN:.*]] = llvm.or %[[FIRST]], %[[SECOND]]
    // CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32)
    // CHECK: %[[ANY:.*]] = llvm.call_intrinsic "llvm.nvvm.vote.any.sync"(%[[ALL]], %[[OWN]])
    // CHECK: llvm.return %[[ANY]]
    %any = tlx.vote_any %predicate : tensor<32x8xi1, #rows>
    llvm.return %any : i1
  }
}
