// RUN: %plugin_opt %s | %plugin_opt - | %FileCheck %s

// Every op prints as it parses.

#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>

// CHECK-LABEL: @ops
tt.func @ops(%x: tensor<64x64xf16>, %y: tensor<64x64xf32>) {
  // CHECK: layout.pin %{{.*}} {layout = #[[$ROW:.*]]} : tensor<64x64xf16> -> tensor<64x64xf16>
  %0 = layout.pin %x {layout = #row} : tensor<64x64xf16> -> tensor<64x64xf16>
  // CHECK: layout.pin %{{.*}} like %{{.*}} : tensor<64x64xf32> : tensor<64x64xf16> -> tensor<64x64xf16>
  %1 = layout.pin %x like %y : tensor<64x64xf32> : tensor<64x64xf16> -> tensor<64x64xf16>
  // CHECK: layout.release %{{.*}} : tensor<64x64xf16> -> tensor<64x64xf16>
  %2 = layout.release %0 : tensor<64x64xf16> -> tensor<64x64xf16>
  // CHECK: layout.convert %{{.*}} {layout = #[[$ROW]]} : tensor<64x64xf16> -> tensor<64x64xf16>
  %3 = layout.convert %x {layout = #row} : tensor<64x64xf16> -> tensor<64x64xf16>
  // CHECK: layout.convert %{{.*}} via shuffle {layout
  %4 = layout.convert %x via shuffle {layout = #row} : tensor<64x64xf16> -> tensor<64x64xf16>
  // CHECK: layout.convert %{{.*}} via shared {layout = #[[$ROW]], shared = #
  %5 = layout.convert %x via shared {layout = #row, shared = #shared} : tensor<64x64xf16> -> tensor<64x64xf16>
  // CHECK: layout.assert_trivial %{{.*}} {layout = #[[$ROW]]} : tensor<64x64xf16> -> tensor<64x64xf16>
  %6 = layout.assert_trivial %x {layout = #row} : tensor<64x64xf16> -> tensor<64x64xf16>
  tt.return
}
