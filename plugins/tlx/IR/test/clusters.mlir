// RUN: %plugin_opt --pass common.canonicalizer %s | %plugin_opt --pass common.canonicalizer - | %FileCheck %s

// Ops on clusters are printed as they are parsed.

// CHECK-LABEL: @clusters
tt.func @clusters(%descriptor: !tt.tensordesc<128x64xf16>, %buffer: !tlx.buffer<128x64xf16>, %barrier: !tlx.buffer<1xi64>, %rank: i32, %predicate: i1) {
  %zero = arith.constant 0 : i32
  // CHECK: tlx.fence_mbarrier_init_cluster
  tlx.fence_mbarrier_init_cluster
  // CHECK: tlx.cluster_barrier
  tlx.cluster_barrier
  // CHECK: tlx.remote_arrive %{{.*}} at %{{.*}}, 1 : !tlx.buffer<1xi64>
  tlx.remote_arrive %barrier at %rank, 1 : !tlx.buffer<1xi64>
  // CHECK: tlx.remote_arrive %{{.*}} at %{{.*}}, 2 relaxed if %{{.*}} : !tlx.buffer<1xi64>
  tlx.remote_arrive %barrier at %rank, 2 relaxed if %predicate : !tlx.buffer<1xi64>
  // CHECK: tlx.async_descriptor_load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} to[%{{.*}}, %{{.*}}] : <128x64xf16> -> <128x64xf16>, <1xi64>
  tlx.async_descriptor_load %descriptor[%zero, %zero], %buffer, %barrier to [%rank, %zero] : !tt.tensordesc<128x64xf16> -> !tlx.buffer<128x64xf16>, !tlx.buffer<1xi64>
  // CHECK: %[[TILE:.*]] = tlx.remote_load %{{.*}} at %{{.*}} : !tlx.buffer<128x64xf16> -> tensor<128x64xf16>
  %tile = tlx.remote_load %buffer at %rank : !tlx.buffer<128x64xf16> -> tensor<128x64xf16>
  // CHECK: tlx.remote_store %[[TILE]], %{{.*}} at %{{.*}} : tensor<128x64xf16> -> !tlx.buffer<128x64xf16>
  tlx.remote_store %tile, %buffer at %rank : tensor<128x64xf16> -> !tlx.buffer<128x64xf16>
  // CHECK: tlx.remote_store %[[TILE]], %{{.*}} at %{{.*}}, %{{.*}} : !tlx.buffer<1xi64> : tensor<128x64xf16> -> !tlx.buffer<128x64xf16>
  tlx.remote_store %tile, %buffer at %rank, %barrier : !tlx.buffer<1xi64> : tensor<128x64xf16> -> !tlx.buffer<128x64xf16>
  // CHECK: %[[COPIES:.*]] = tlx.multicast %{{.*}} to %{{.*}}
  %copies = tlx.multicast %predicate to %rank
  // CHECK: tlx.remote_arrive %{{.*}} at %{{.*}}, 1 if %[[COPIES]]
  tlx.remote_arrive %barrier at %rank, 1 if %copies : !tlx.buffer<1xi64>
  tt.return
}
