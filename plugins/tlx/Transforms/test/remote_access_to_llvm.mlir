// RUN: %plugin_opt --pass convert.scf_to_cf --pass nvidia.passes.ttgpuir.allocate_shared_memory_nv=90,88 --pass nvidia.passes.ttgpuir.to_llvmir=90,88 --pass tlx_to_llvm --pass common.canonicalizer %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#twice = #ttg.linear<{register = [[0]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: llvm.func @halves
  tt.func public @halves(%rank: i32) {
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<1024xf16, #plain, #smem, mutable>
    %barrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #plain, #smem, mutable>
    // CHECK: "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r"
    // CHECK: "ld.shared::cluster.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,r"
    %tile = tlx.remote_load %buffer at %rank : !ttg.memdesc<1024xf16, #plain, #smem, mutable> -> tensor<1024xf16, #blocked>
    // CHECK: "@$0 st.shared::cluster.v4.b32 [$1], {$2, $3, $4, $5};", "b,r,r,r,r,r"
    tlx.remote_store %tile, %buffer at %rank : tensor<1024xf16, #blocked> -> !ttg.memdesc<1024xf16, #plain, #smem, mutable>
    // CHECK: "@$0 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [$1], {$2, $3, $4, $5}, [$6];", "b,r,r,r,r,r,r"
    tlx.remote_store %tile, %buffer at %rank, %barrier : !ttg.memdesc<1xi64, #plain, #smem, mutable> : tensor<1024xf16, #blocked> -> !ttg.memdesc<1024xf16, #plain, #smem, mutable>
    tt.return
  }

  // Two bytes are the least that goes in one instruction, but for async ones.
  // One thread of all stores them.
  // CHECK: llvm.func @bytes
  // CHECK-DAG: %[[WARPS:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK-DAG: %[[LANES:.*]] = llvm.mlir.constant(31 : i32)
  tt.func public @bytes(%rank: i32) {
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<1xi8, #plain, #smem, mutable>
    // CHECK: "ld.shared::cluster.b8 {$0}, [$1];", "=h,r"
    %tile = tlx.remote_load %buffer at %rank : !ttg.memdesc<1xi8, #plain, #smem, mutable> -> tensor<1xi8, #blocked>
    // CHECK: llvm.and %{{.*}}, %[[LANES]]
    // CHECK: llvm.and %{{.*}}, %[[WARPS]]
    // CHECK: "@$0 st.shared::cluster.b8 [$1], {$2};", "b,r,h"
    tlx.remote_store %tile, %buffer at %rank : tensor<1xi8, #blocked> -> !ttg.memdesc<1xi8, #plain, #smem, mutable>
    tt.return
  }

  // A slice lies where it starts in its buffer.
  // CHECK: llvm.func @slice
  // CHECK: %[[START:.*]] = llvm.mlir.constant(512 : i32)
  tt.func public @slice(%rank: i32) {
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<1024xf16, #plain, #smem, mutable>
    %half = ttg.memdesc_subslice %buffer[512] : !ttg.memdesc<1024xf16, #plain, #smem, mutable> -> !ttg.memdesc<512xf16, #plain, #smem, mutable, 1024>
    // CHECK: %[[OFFSET:.*]] = llvm.add %{{.*}}, %[[START]]
    // CHECK: llvm.shl %[[OFFSET]]
    // CHECK: ld.shared::cluster
    %tile = tlx.remote_load %half at %rank : !ttg.memdesc<512xf16, #plain, #smem, mutable, 1024> -> tensor<512xf16, #blocked>
    tlx.remote_store %tile, %half at %rank : tensor<512xf16, #blocked> -> !ttg.memdesc<512xf16, #plain, #smem, mutable, 1024>
    tt.return
  }

  // A thread moves once what it has in two registers.
  // CHECK: llvm.func @twice
  tt.func public @twice(%rank: i32) {
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
    // CHECK: ld.shared::cluster
    // CHECK-NOT: ld.shared::cluster
    %tile = tlx.remote_load %buffer at %rank : !ttg.memdesc<128xf32, #plain, #smem, mutable> -> tensor<128xf32, #twice>
    // CHECK: st.shared::cluster
    // CHECK-NOT: st.shared::cluster
    tlx.remote_store %tile, %buffer at %rank : tensor<128xf32, #twice> -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
    // CHECK: llvm.return
    tt.return
  }
}
