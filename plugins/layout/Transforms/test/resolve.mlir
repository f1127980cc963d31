// RUN: %plugin_opt --pass layout_resolve %s | %FileCheck %s
// RUN: %plugin_opt --pass layout_resolve --pass layout_resolve=finish=true %s | %FileCheck %s --check-prefix=FINISH

#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>

// CHECK-DAG: #[[$DEFAULT:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32]
// CHECK-DAG: #[[$ROW:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8]
// FINISH-DAG: #[[$DEFAULT:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32]
// FINISH-DAG: #[[$ROW:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8]
// FINISH-DAG: #[[$COLUMN:.*]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // A pinned value is converted before and behind the pin.
  // CHECK-LABEL: @pin
  tt.func @pin(%x: tensor<64x64xf16, #default>) -> tensor<64x64xf16, #default> {
    // CHECK: %[[IN:.*]] = ttg.convert_layout %{{.*}} : tensor<64x64xf16, #[[$DEFAULT]]> -> tensor<64x64xf16, #[[$ROW]]>
    // CHECK: %[[PIN:.*]] = layout.pin %[[IN]] {layout = #[[$ROW]]} : tensor<64x64xf16, #[[$ROW]]> -> tensor<64x64xf16, #[[$ROW]]>
    // CHECK: %[[OUT:.*]] = ttg.convert_layout %[[PIN]] : tensor<64x64xf16, #[[$ROW]]> -> tensor<64x64xf16, #[[$DEFAULT]]>
    // CHECK: tt.return %[[OUT]]
    %0 = layout.pin %x {layout = #row} : tensor<64x64xf16, #default> -> tensor<64x64xf16, #default>
    tt.return %0 : tensor<64x64xf16, #default>
  }

  // A chosen conversion starts where its source is.
  // CHECK-LABEL: @convert
  tt.func @convert(%x: tensor<64x64xf16, #default>) -> tensor<64x64xf16, #default> {
    // CHECK-NOT: ttg.convert_layout
    // CHECK: layout.convert %{{.*}} via shared {layout = #[[$ROW]]} : tensor<64x64xf16, #[[$DEFAULT]]> -> tensor<64x64xf16, #[[$ROW]]>
    %0 = layout.convert %x via shared {layout = #row} : tensor<64x64xf16, #default> -> tensor<64x64xf16, #default>
    tt.return %0 : tensor<64x64xf16, #default>
  }

  // The layout of a pinned value is known at once.
  // CHECK-LABEL: @like_pinned
  tt.func @like_pinned(%x: tensor<64x64xf16, #default>, %y: tensor<64x64xf32, #default>) -> tensor<64x64xf16, #default> {
    %0 = layout.pin %y {layout = #row} : tensor<64x64xf32, #default> -> tensor<64x64xf32, #default>
    // CHECK: layout.pin %{{.*}} {layout = #[[$ROW]]} : tensor<64x64xf16, #[[$ROW]]>
    %1 = layout.pin %x like %0 : tensor<64x64xf32, #default> : tensor<64x64xf16, #default> -> tensor<64x64xf16, #default>
    tt.return %1 : tensor<64x64xf16, #default>
  }

  // That of another one only when Triton has decided.
  // CHECK-LABEL: @like_free
  // FINISH-LABEL: @like_free
  tt.func @like_free(%x: tensor<64x64xf16, #default>, %y: tensor<64x64xf32, #column>) -> tensor<64x64xf16, #default> {
    %0 = ttg.convert_layout %y : tensor<64x64xf32, #column> -> tensor<64x64xf32, #default>
    // CHECK: layout.pin %{{.*}} like %{{.*}} : tensor<64x64xf32, #[[$DEFAULT]]>
    // FINISH: layout.pin %{{.*}} {layout = #[[$COLUMN]]} : tensor<64x64xf16, #[[$COLUMN]]>
    %1 = layout.pin %x like %0 : tensor<64x64xf32, #default> : tensor<64x64xf16, #default> -> tensor<64x64xf16, #default>
    tt.return %1 : tensor<64x64xf16, #default>
  }

  // CHECK-LABEL: @release
  // FINISH-LABEL: @release
  tt.func @release(%x: tensor<64x64xf16, #default>) -> tensor<64x64xf16, #row> {
    // CHECK: layout.release
    // FINISH: ttg.convert_layout %{{.*}} : tensor<64x64xf16, #[[$DEFAULT]]> -> tensor<64x64xf16, #[[$ROW]]>
    %0 = layout.release %x : tensor<64x64xf16, #default> -> tensor<64x64xf16, #row>
    tt.return %0 : tensor<64x64xf16, #row>
  }
}
