// RUN: %plugin_opt --pass convert.scf_to_cf --pass nvidia.passes.ttgpuir.allocate_shared_memory_nv=90,88 --pass nvidia.passes.ttgpuir.to_llvmir=90,88 --pass tlx_to_llvm --pass common.canonicalizer %s | %FileCheck %s

#buffer = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#barrier = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// A module with an arrival that publishes has waits that see what is published.
module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: llvm.func @exchange
  // CHECK-SAME: nvvm.cluster_dim = array<i32: 2>
  tt.func public @exchange(%descriptor: !tt.tensordesc<64x128xf16, #buffer>, %rank: i32, %first: i1, %predicate: i1) {
    %zero = arith.constant 0 : i32
    %both = arith.constant 3 : i32
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<64x128xf16, #buffer, #smem, mutable>
    %barrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    // CHECK: "fence.mbarrier_init.release.cluster;"
    tlx.fence_mbarrier_init_cluster
    // CHECK: nvvm.cluster.arrive {aligned}
    // CHECK: nvvm.cluster.wait {aligned}
    tlx.cluster_barrier
    // CHECK: "{{.*}}elect.sync _|elected, 0xffffffff;{{.*}}and.pred elected, elected, $2;{{.*}}mapa.shared::cluster.u32 remote, $0, $1;{{.*}}@elected mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote], 2;
    tlx.remote_arrive %barrier at %rank, 2 if %first : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    // CHECK: @elected mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [remote], 1;
    tlx.remote_arrive %barrier at %rank, 1 relaxed if %first : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    %copies = tlx.multicast %predicate to %both
    // CHECK: "@$0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [$1], [$2, {$3, $4}], [$5], $6;", "b,r,l,r,r,r,h"
    ttng.async_tma_copy_global_to_local %descriptor[%zero, %zero] %buffer, %barrier, %copies : !tt.tensordesc<64x128xf16, #buffer>, !ttg.memdesc<1xi64, #barrier, #smem, mutable> -> !ttg.memdesc<64x128xf16, #buffer, #smem, mutable>
    %early = tlx.multicast %predicate to %both
    // CHECK: complete_tx::bytes.multicast::cluster.L2::cache_hint [$1], [$2, {$3, $4}], [$5], $7, $6;"
    ttng.async_tma_copy_global_to_local %descriptor[%zero, %zero] %buffer, %barrier, %early {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>} : !tt.tensordesc<64x128xf16, #buffer>, !ttg.memdesc<1xi64, #barrier, #smem, mutable> -> !ttg.memdesc<64x128xf16, #buffer, #smem, mutable>
    // CHECK: "@$0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];"
    ttng.async_tma_copy_global_to_local %descriptor[%zero, %zero] %buffer, %barrier, %predicate : !tt.tensordesc<64x128xf16, #buffer>, !ttg.memdesc<1xi64, #barrier, #smem, mutable> -> !ttg.memdesc<64x128xf16, #buffer, #smem, mutable>
    // CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
    ttng.wait_barrier %barrier, %zero : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    tt.return
  }

  // Only kernels are launched in clusters.
  // CHECK: llvm.func {{.*}}@called
  // CHECK-NOT: nvvm.cluster_dim
  // CHECK: llvm.return
  tt.func private @called() attributes {noinline = true} {
    tt.return
  }
}
