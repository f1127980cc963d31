// RUN: %plugin_opt --pass common.canonicalizer %s | %plugin_opt --pass common.canonicalizer - | %FileCheck %s

// CHECK-LABEL: @made
tt.func @made(%base: !tt.ptr<f16>, %m: i32, %k: i32, %stride: i64, %i: i32) -> !tt.tensordesc<128x64xf16> {
  %one = arith.constant 1 : i64
  // CHECK: %[[SLOTS:.*]] = tlx.alloc_descriptors 3 : <i8>
  %slots = tlx.alloc_descriptors 3 : !tt.ptr<i8>
  // CHECK: %[[SLOT:.*]] = tlx.descriptor_slot %[[SLOTS]][%{{.*}}] : <i8>
  %slot = tlx.descriptor_slot %slots[%i] : !tt.ptr<i8>
  // CHECK: tlx.make_descriptor %[[SLOT]], %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {padding = 2 : i32} : <i8>, <f16> -> <128x64xf16>
  %made = tlx.make_descriptor %slot, %base, [%m, %k], [%stride, %one] {padding = 2 : i32} : !tt.ptr<i8>, !tt.ptr<f16> -> !tt.tensordesc<128x64xf16>
  // CHECK: tlx.async_descriptor_prefetch %{{.*}}[%{{.*}}, %{{.*}}] {evict = 3 : i32} : <128x64xf16>
  tlx.async_descriptor_prefetch %made[%i, %i] {evict = 3 : i32} : !tt.tensordesc<128x64xf16>
  // CHECK: tlx.prefetch_descriptor %{{.*}} : <128x64xf16>
  tlx.prefetch_descriptor %made : !tt.tensordesc<128x64xf16>
  // CHECK: tlx.reinterpret_descriptor %[[SLOT]] : <i8> -> <128x64xf16>
  %taken = tlx.reinterpret_descriptor %slot : !tt.ptr<i8> -> !tt.tensordesc<128x64xf16>
  tt.return %taken : !tt.tensordesc<128x64xf16>
}

// CHECK-LABEL: @bulk_load
tt.func @bulk_load(%source: !tt.ptr<f16>, %size: i32) {
  %zero = arith.constant 0 : i32
  %buffers = tlx.local_alloc : !tlx.buffer<2x256xf16>
  %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<2x256xf16> -> !tlx.buffer<256xf16>
  %barriers = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
  %barrier = tlx.local_view %barriers[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
  // CHECK: tlx.async_bulk_load %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {evict = 2 : i32} : <f16> -> !tlx.buffer<256xf16>, !tlx.buffer<1xi64>
  tlx.async_bulk_load %source, %buffer, %size, %barrier {evict = 2 : i32} : !tt.ptr<f16> -> !tlx.buffer<256xf16>, !tlx.buffer<1xi64>
  tt.return
}

// CHECK-LABEL: @assert_same_layout
tt.func @assert_same_layout(%a: tensor<64xf32>, %b: tensor<64xf32>) {
  // CHECK: tlx.assert_same_layout %{{.*}} as %{{.*}} : tensor<64xf32> as tensor<64xf32>
  tlx.assert_same_layout %a as %b : tensor<64xf32> as tensor<64xf32>
  // CHECK: tlx.assert_same_layout %{{.*}} {layout = #{{.*}}} : tensor<64xf32>
  tlx.assert_same_layout %a {layout = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>} : tensor<64xf32>
  tt.return
}
