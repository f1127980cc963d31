// RUN: %plugin_opt --pass layout_lower %s | %FileCheck %s

#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tall = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>

// CHECK-DAG: #[[$DEFAULT:.*]] = #ttg.blocked<{sizePerThread = [1, 1]
// CHECK-DAG: #[[$ROW:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8]
// CHECK-DAG: #[[$TALL:.*]] = #ttg.blocked<{sizePerThread = [4, 1]
// CHECK-DAG: #[[$LINEAR:.*]] = #ttg.shared_linear
// CHECK-DAG: #[[$SWIZZLED:.*]] = #ttg.swizzled_shared<{vec = 4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The conversions that were around a pin stay.
  // CHECK-LABEL: @pin
  tt.func @pin(%x: tensor<64x64xf16, #default>) -> tensor<64x64xf16, #default> {
    // CHECK: %[[IN:.*]] = ttg.convert_layout %{{.*}} -> tensor<64x64xf16, #[[$ROW]]>
    // CHECK-NOT: layout.pin
    // CHECK: ttg.convert_layout %[[IN]] : tensor<64x64xf16, #[[$ROW]]> -> tensor<64x64xf16, #[[$DEFAULT]]>
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #default> -> tensor<64x64xf16, #row>
    %1 = layout.pin %0 {layout = #row} : tensor<64x64xf16, #row> -> tensor<64x64xf16, #row>
    %2 = ttg.convert_layout %1 : tensor<64x64xf16, #row> -> tensor<64x64xf16, #default>
    tt.return %2 : tensor<64x64xf16, #default>
  }

  // The layout in between, which nobody asked for, goes away.
  // CHECK-LABEL: @shuffle
  tt.func @shuffle(%x: tensor<16x32xf16, #tall>) -> tensor<16x32xf16, #row> {
    // CHECK-NEXT: ttg.convert_layout %{{.*}} {force_warp_shuffle} : tensor<16x32xf16, #[[$TALL]]> -> tensor<16x32xf16, #[[$ROW]]>
    // CHECK-NEXT: tt.return
    %0 = ttg.convert_layout %x : tensor<16x32xf16, #tall> -> tensor<16x32xf16, #default>
    %1 = layout.convert %0 via shuffle {layout = #row} : tensor<16x32xf16, #default> -> tensor<16x32xf16, #row>
    tt.return %1 : tensor<16x32xf16, #row>
  }

  // CHECK-LABEL: @shared
  tt.func @shared(%x: tensor<64x64xf16, #tall>) -> (tensor<64x64xf16, #row>, tensor<64x64xf16, #row>) {
    // CHECK: %[[BUFFER:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xf16, #[[$TALL]]>) -> !ttg.memdesc<64x64xf16, #[[$LINEAR]], #smem>
    // CHECK: ttg.local_load %[[BUFFER]] : {{.*}} -> tensor<64x64xf16, #[[$ROW]]>
    %0 = layout.convert %x via shared {layout = #row} : tensor<64x64xf16, #tall> -> tensor<64x64xf16, #row>
    // CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf16, #[[$SWIZZLED]], #smem>
    %1 = layout.convert %x via shared {layout = #row, shared = #shared} : tensor<64x64xf16, #tall> -> tensor<64x64xf16, #row>
    tt.return %0, %1 : tensor<64x64xf16, #row>, tensor<64x64xf16, #row>
  }

  // CHECK-LABEL: @bools_and_pointers
  tt.func @bools_and_pointers(%x: tensor<16x32xi1, #tall>, %y: tensor<16x32x!tt.ptr<f16>, #tall>) -> (tensor<16x32xi1, #row>, tensor<16x32x!tt.ptr<f16>, #row>) {
    // CHECK: arith.extui
    // CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<16x32xi8
    // CHECK: arith.trunci
    %0 = layout.convert %x via shared {layout = #row} : tensor<16x32xi1, #tall> -> tensor<16x32xi1, #row>
    // CHECK: tt.ptr_to_int
    // CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<16x32xi64
    // CHECK: tt.int_to_ptr
    %1 = layout.convert %y via shared {layout = #row} : tensor<16x32x!tt.ptr<f16>, #tall> -> tensor<16x32x!tt.ptr<f16>, #row>
    tt.return %0, %1 : tensor<16x32xi1, #row>, tensor<16x32x!tt.ptr<f16>, #row>
  }

  // Each of two conversions in a row is made.
  // CHECK-LABEL: @there_and_back
  tt.func @there_and_back(%x: tensor<16x32xf16, #tall>) -> tensor<16x32xf16, #tall> {
    // CHECK-NEXT: ttg.convert_layout %{{.*}} : tensor<16x32xf16, #[[$TALL]]> -> tensor<16x32xf16, #[[$ROW]]>
    // CHECK-NEXT: ttg.convert_layout %{{.*}} : tensor<16x32xf16, #[[$ROW]]> -> tensor<16x32xf16, #[[$TALL]]>
    // CHECK-NEXT: tt.return
    %0 = layout.convert %x {layout = #row} : tensor<16x32xf16, #tall> -> tensor<16x32xf16, #row>
    %1 = layout.convert %0 {layout = #tall} : tensor<16x32xf16, #row> -> tensor<16x32xf16, #tall>
    tt.return %1 : tensor<16x32xf16, #tall>
  }

  // CHECK-LABEL: @trivial
  tt.func @trivial(%x: tensor<64x64xf16, #row>) -> tensor<64x64xf16, #row> {
    // CHECK-NEXT: tt.return %{{.*}} : tensor<64x64xf16, #[[$ROW]]>
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #row> -> tensor<64x64xf16, #default>
    %1 = layout.assert_trivial %0 {layout = #row} : tensor<64x64xf16, #default> -> tensor<64x64xf16, #row>
    tt.return %1 : tensor<64x64xf16, #row>
  }
}
