// RUN: %plugin_opt --pass common.canonicalizer %s | %plugin_opt --pass common.canonicalizer - | %FileCheck %s

// Ops on barriers and descriptors are printed as they are parsed.

// CHECK-LABEL: @copies
tt.func @copies(%descriptor: !tt.tensordesc<128x64xf16>, %row: i32, %phase: i32, %predicate: i1) {
  %zero = arith.constant 0 : i32
  // CHECK: %[[BUFFERS:.*]] = tlx.local_alloc : <2x128x64xf16>
  %buffers = tlx.local_alloc : !tlx.buffer<2x128x64xf16>
  %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<2x128x64xf16> -> !tlx.buffer<128x64xf16>
  // CHECK: tlx.alloc_barriers 2 : <3x1xi64>
  %barriers = tlx.alloc_barriers 2 : !tlx.buffer<3x1xi64>
  %barrier = tlx.local_view %barriers[%zero] : !tlx.buffer<3x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_expect %{{.*}}, 16384 if %{{.*}} : <1xi64>
  tlx.barrier_expect %barrier, 16384 if %predicate : !tlx.buffer<1xi64>
  // CHECK: tlx.async_descriptor_load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} if %{{.*}} {evict = 2 : i32} : <128x64xf16> -> <128x64xf16>, <1xi64>
  tlx.async_descriptor_load %descriptor[%row, %zero], %buffer, %barrier if %predicate {evict = 2 : i32} : !tt.tensordesc<128x64xf16> -> !tlx.buffer<128x64xf16>, !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_wait %{{.*}}, %{{.*}} if %{{.*}} : <1xi64>
  tlx.barrier_wait %barrier, %phase if %predicate : !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_arrive %{{.*}}, 1 : <1xi64>
  tlx.barrier_arrive %barrier, 1 : !tlx.buffer<1xi64>
  // CHECK: tlx.barrier_arrive %{{.*}}, 1 {warps = 4 : i32} : <1xi64>
  tlx.barrier_arrive %barrier, 1 {warps = 4 : i32} : !tlx.buffer<1xi64>
  // CHECK: tlx.fence_async_shared
  tlx.fence_async_shared
  // CHECK: tlx.async_descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} {reduce = 1 : i32} : <128x64xf16>, <128x64xf16>
  tlx.async_descriptor_store %descriptor[%row, %zero], %buffer {reduce = 1 : i32} : !tt.tensordesc<128x64xf16>, !tlx.buffer<128x64xf16>
  // CHECK: tlx.async_descriptor_store_wait {pendings = 0 : i32, readOnly}
  tlx.async_descriptor_store_wait {pendings = 0 : i32, readOnly}
  tt.return
}

// A block may have leading dimensions of one element that the buffer lacks.
// CHECK-LABEL: @rows_of_one_head
tt.func @rows_of_one_head(%descriptor: !tt.tensordesc<1x1x128x64xf16>, %i: i32) {
  %zero = arith.constant 0 : i32
  %buffers = tlx.local_alloc : !tlx.buffer<1x128x64xf16>
  %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<1x128x64xf16> -> !tlx.buffer<128x64xf16>
  // CHECK: tlx.async_descriptor_store {{.*}} : <1x1x128x64xf16>, <128x64xf16>
  tlx.async_descriptor_store %descriptor[%i, %i, %i, %zero], %buffer : !tt.tensordesc<1x1x128x64xf16>, !tlx.buffer<128x64xf16>
  tt.return
}
