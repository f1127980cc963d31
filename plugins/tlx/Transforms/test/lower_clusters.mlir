// RUN: %plugin_opt --pass tlx_lower --pass common.canonicalizer %s | %FileCheck %s

// CHECK-DAG: #[[$NARROW:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$WIDE:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Blocks wait for each other's barriers before the first arrival, and for the
  // last one before they end.
  // CHECK-LABEL: @arrives
  tt.func public @arrives(%rank: i32, %steps: i32) {
    // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    // CHECK: ttng.init_barrier
    %barriers = tlx.alloc_barriers 1 : !tlx.buffer<2x1xi64>
    // CHECK: tlx.fence_mbarrier_init_cluster
    // CHECK-NEXT: tlx.cluster_barrier
    // CHECK-NEXT: scf.for
    scf.for %i = %zero to %steps step %one : i32 {
      %barrier = tlx.local_view %barriers[%i] : !tlx.buffer<2x1xi64> -> !tlx.buffer<1xi64>
      // CHECK: ttg.barrier local
      // CHECK: %[[WARP:.*]] = ttg.warp_id
      // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[WARP]], %[[ZERO]]
      // CHECK: tlx.remote_arrive %{{.*}} at %{{.*}}, 1 relaxed if %[[FIRST]] : !ttg.memdesc<1xi64
      tlx.remote_arrive %barrier at %rank, 1 relaxed : !tlx.buffer<1xi64>
    }
    // CHECK: }
    // CHECK-NEXT: tlx.cluster_barrier
    // CHECK-NEXT: ttg.local_dealloc
    tt.return
  }

  // Inline assembly gets an address without the bits that name the block.
  // CHECK-LABEL: @arrives_by_warp
  tt.func public @arrives_by_warp() {
    %zero = arith.constant 0 : i32
    %barriers = tlx.alloc_barriers 4 : !tlx.buffer<1x1xi64>
    %barrier = tlx.local_view %barriers[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
    // CHECK: ttg.inline_asm "{{.*}}cluster_ctarank{{.*}}mapa.shared::cluster{{.*}}mbarrier.arrive.shared::cluster.b64 _, [own], 1;
    tlx.barrier_arrive %barrier, 1 {warps = 4 : i32} : !tlx.buffer<1xi64>
    tt.return
  }

  // The kernel's own barriers are enough.
  // CHECK-LABEL: @waits
  tt.func public @waits(%rank: i32) {
    %zero = arith.constant 0 : i32
    %barriers = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
    %barrier = tlx.local_view %barriers[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
    // CHECK: tlx.fence_mbarrier_init_cluster
    // CHECK-NEXT: tlx.cluster_barrier
    tlx.cluster_barrier
    // CHECK-NOT: tlx.cluster_barrier
    // CHECK: tlx.remote_arrive
    tlx.remote_arrive %barrier at %rank, 1 : !tlx.buffer<1xi64>
    // CHECK-NEXT: tlx.cluster_barrier
    tlx.cluster_barrier
    // CHECK-NOT: tlx.cluster_barrier
    // CHECK: tt.return
    tt.return
  }

  // CHECK-LABEL: @multicast
  // CHECK-SAME: %[[PREDICATE:[a-z0-9]*]]: i1
  tt.func public @multicast(%descriptor: !tt.tensordesc<64x64xf16>, %rank: i32, %other: i32, %predicate: i1) {
    // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
    // CHECK-DAG: %[[BOTH:.*]] = arith.constant 3 : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %buffers = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
    %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
    %barriers = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
    %barrier = tlx.local_view %barriers[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
    // CHECK: tlx.cluster_barrier
    // CHECK: %[[COPIES:.*]] = tlx.multicast %[[PREDICATE]] to %[[BOTH]]
    // CHECK: ttng.async_tma_copy_global_to_local %{{.*}}, %[[COPIES]]
    tlx.async_descriptor_load %descriptor[%zero, %zero], %buffer, %barrier if %predicate to [%zero, %one] : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    // CHECK: %[[BIT:.*]] = arith.shli %[[ONE]], %{{.*}}
    // CHECK: %[[OTHER:.*]] = arith.shli %[[ONE]], %{{.*}}
    // CHECK: %[[MASK:.*]] = arith.ori %[[BIT]], %[[OTHER]]
    // CHECK: tlx.multicast %{{.*}} to %[[MASK]]
    tlx.async_descriptor_load %descriptor[%zero, %zero], %buffer, %barrier to [%rank, %other] : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    // CHECK: tlx.cluster_barrier
    tt.return
  }

  // A thread moves 16 bytes in a row. Blocks wait for each other again where
  // there is more for others to touch.
  // CHECK-LABEL: @tiles
  tt.func public @tiles(%tile: tensor<16x64xf16, #narrow>, %rank: i32) -> tensor<16x64xf16, #narrow> {
    %zero = arith.constant 0 : i32
    %buffers = tlx.local_alloc : !tlx.buffer<1x16x64xf16>
    %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<1x16x64xf16> -> !tlx.buffer<16x64xf16>
    // CHECK: tlx.cluster_barrier
    // CHECK: %[[STORED:.*]] = ttg.convert_layout %{{.*}} : tensor<16x64xf16, #[[$NARROW]]> -> tensor<16x64xf16, #[[$WIDE]]>
    // CHECK: tlx.remote_store %[[STORED]]
    tlx.remote_store %tile, %buffer at %rank : tensor<16x64xf16, #narrow> -> !tlx.buffer<16x64xf16>
    %more = tlx.local_alloc : !tlx.buffer<1x16x64xf16>
    %other = tlx.local_view %more[%zero] : !tlx.buffer<1x16x64xf16> -> !tlx.buffer<16x64xf16>
    // CHECK: tlx.cluster_barrier
    // CHECK: %[[LOADED:.*]] = tlx.remote_load
    // CHECK-NEXT: %[[RESULT:.*]] = ttg.convert_layout %[[LOADED]] : tensor<16x64xf16, #[[$WIDE]]> -> tensor<16x64xf16, #[[$NARROW]]>
    %loaded = tlx.remote_load %other at %rank : !tlx.buffer<16x64xf16> -> tensor<16x64xf16, #narrow>
    %barriers = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
    %barrier = tlx.local_view %barriers[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
    // CHECK: tlx.cluster_barrier
    // CHECK-NOT: ttg.barrier
    // CHECK: tlx.remote_arrive
    tlx.remote_arrive %barrier at %rank, 1 {warps = 4 : i32} : !tlx.buffer<1xi64>
    // CHECK: tlx.cluster_barrier
    // CHECK: tt.return %[[RESULT]]
    tt.return %loaded : tensor<16x64xf16, #narrow>
  }
}
