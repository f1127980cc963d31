// RUN: %plugin_opt %s | %plugin_opt - | %FileCheck %s

// Every op prints as it parses.

// CHECK-LABEL: @buffers
tt.func @buffers(%index: i32, %value: tensor<128x64xf16>) -> tensor<128x64xf16> {
  // CHECK: %[[BUFFERS:.*]] = tlx.local_alloc : <3x128x64xf16>
  %buffers = tlx.local_alloc : !tlx.buffer<3x128x64xf16>
  // CHECK: %[[VIEW:.*]] = tlx.local_view %[[BUFFERS]][%{{.*}}] : <3x128x64xf16> -> <128x64xf16>
  %view = tlx.local_view %buffers[%index] : !tlx.buffer<3x128x64xf16> -> !tlx.buffer<128x64xf16>
  // CHECK: tlx.local_store %{{.*}}, %[[VIEW]] : tensor<128x64xf16> -> <128x64xf16>
  tlx.local_store %value, %view : tensor<128x64xf16> -> !tlx.buffer<128x64xf16>
  // CHECK: tlx.local_load %[[VIEW]] : <128x64xf16> -> tensor<128x64xf16>
  %loaded = tlx.local_load %view : !tlx.buffer<128x64xf16> -> tensor<128x64xf16>
  tt.return %loaded : tensor<128x64xf16>
}

// CHECK-LABEL: @views
tt.func @views(%index: i32) {
  // CHECK: %[[BUFFERS:.*]] = tlx.local_alloc : <3x128x64xf16>
  %buffers = tlx.local_alloc : !tlx.buffer<3x128x64xf16>
  %view = tlx.local_view %buffers[%index] : !tlx.buffer<3x128x64xf16> -> !tlx.buffer<128x64xf16>
  // CHECK: tlx.local_slice %{{.*}} [64, 0] : <128x64xf16> -> <64x64xf16>
  %slice = tlx.local_slice %view [64, 0] : !tlx.buffer<128x64xf16> -> !tlx.buffer<64x64xf16>
  // CHECK: tlx.local_trans %{{.*}} {order = array<i32: 1, 0>} : <128x64xf16> -> <64x128xf16>
  %transposed = tlx.local_trans %view {order = array<i32: 1, 0>} : !tlx.buffer<128x64xf16> -> !tlx.buffer<64x128xf16>
  // CHECK: tlx.local_reinterpret %[[BUFFERS]] : <3x128x64xf16> -> <3x128x32xf32>
  %words = tlx.local_reinterpret %buffers : !tlx.buffer<3x128x64xf16> -> !tlx.buffer<3x128x32xf32>
  tt.return
}

// CHECK-LABEL: @storage
tt.func @storage() {
  // CHECK: %[[STORAGE:.*]] = tlx.storage_alias_spec {size = 32768 : i64}
  %storage = tlx.storage_alias_spec {size = 32768 : i64}
  // CHECK: %[[A:.*]] = tlx.local_alloc reuse %[[STORAGE]] : <1x128x64xf16> reuse !tlx.storage
  %a = tlx.local_alloc reuse %storage : !tlx.buffer<1x128x64xf16> reuse !tlx.storage
  %b = tlx.local_alloc reuse %storage : !tlx.buffer<1x64x64xf32> reuse !tlx.storage
  // CHECK: tlx.set_buffer_overlap %[[STORAGE]], %[[A]], %{{.*}} {groups = {kind = "shared", members = [0, 1], size = 1 : i64}}
  tlx.set_buffer_overlap %storage, %a, %b {groups = {kind = "shared", size = 1 : i64, members = [0, 1]}} : !tlx.buffer<1x128x64xf16>, !tlx.buffer<1x64x64xf32>
  // CHECK: tlx.local_alloc reuse %[[A]] : <2x64x64xf16> reuse !tlx.buffer<1x128x64xf16>
  %c = tlx.local_alloc reuse %a : !tlx.buffer<2x64x64xf16> reuse !tlx.buffer<1x128x64xf16>
  tt.return
}

// CHECK-LABEL: @copies
tt.func @copies(%pointers: tensor<128x64x!tt.ptr<f16>>, %mask: tensor<128x64xi1>, %other: tensor<128x64xf16>) {
  %zero = arith.constant 0 : i32
  %buffers = tlx.local_alloc : !tlx.buffer<3x128x64xf16>
  %view = tlx.local_view %buffers[%zero] : !tlx.buffer<3x128x64xf16> -> !tlx.buffer<128x64xf16>
  // CHECK: %[[COPY:.*]] = tlx.async_load %{{.*}}, %{{.*}} mask %{{.*}} other %{{.*}} : tensor<128x64x!tt.ptr<f16>> -> <128x64xf16>
  %copy = tlx.async_load %pointers, %view mask %mask other %other : tensor<128x64x!tt.ptr<f16>> -> !tlx.buffer<128x64xf16>
  // CHECK: %[[VOLATILE:.*]] = tlx.async_load %{{.*}}, %{{.*}} {isVolatile = true}
  %volatile = tlx.async_load %pointers, %view {isVolatile = true} : tensor<128x64x!tt.ptr<f16>> -> !tlx.buffer<128x64xf16>
  // CHECK: %[[GROUP:.*]] = tlx.async_commit tokens %[[COPY]], %[[VOLATILE]]
  %group = tlx.async_commit tokens %copy, %volatile
  // CHECK: %[[DONE:.*]] = tlx.async_wait tokens %[[GROUP]] {pendings = 0 : i32}
  %done = tlx.async_wait tokens %group {pendings = 0 : i32}
  // CHECK: tlx.local_load %{{.*}} token %[[DONE]]
  %loaded = tlx.local_load %view token %done : !tlx.buffer<128x64xf16> -> tensor<128x64xf16>
  tt.return
}

// CHECK-LABEL: @products
tt.func @products(%a: !tlx.buffer<128x64xbf16>, %registers: tensor<128x64xbf16>, %b: !tlx.buffer<64x256xbf16>,
                  %accumulator: tensor<128x256xf32>) -> tensor<128x256xf32> {
  // CHECK: %[[FIRST:.*]] = tlx.async_dot %{{.*}}, %{{.*}}, %{{.*}} : !tlx.buffer<128x64xbf16> * <64x256xbf16> -> tensor<128x256xf32>
  %first = tlx.async_dot %a, %b, %accumulator : !tlx.buffer<128x64xbf16> * !tlx.buffer<64x256xbf16> -> tensor<128x256xf32>
  // CHECK: %[[SECOND:.*]] = tlx.async_dot %{{.*}}, %{{.*}}, %[[FIRST]] {inputPrecision = 0 : i32} : tensor<128x64xbf16>
  %second = tlx.async_dot %registers, %b, %first {inputPrecision = 0 : i32} : tensor<128x64xbf16> * !tlx.buffer<64x256xbf16> -> tensor<128x256xf32>
  // CHECK: tlx.async_dot_wait %[[SECOND]] {pendings = 0 : i32} : tensor<128x256xf32>
  %done = tlx.async_dot_wait %second {pendings = 0 : i32} : tensor<128x256xf32>
  tt.return %done : tensor<128x256xf32>
}

// CHECK-LABEL: @votes
tt.func @votes(%predicate: tensor<128xi1>) -> i1 {
  // CHECK: tlx.vote_any %{{.*}} : tensor<128xi1>
  %any = tlx.vote_any %predicate : tensor<128xi1>
  tt.return %any : i1
}
