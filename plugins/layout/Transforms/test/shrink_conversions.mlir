// RUN: %plugin_opt --pass layout_shrink_conversions %s | %FileCheck %s

#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>

// CHECK-DAG: #[[$ROW:.*]] = #ttg.blocked<{sizePerThread = [1, 4]
// CHECK-DAG: #[[$COLUMN:.*]] = #ttg.blocked<{sizePerThread = [4, 1]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @below_narrowing
  tt.func @below_narrowing(%x: tensor<64x64xf32, #row>) -> tensor<64x64xf16, #column> {
    // CHECK: %[[NARROW:.*]] = arith.truncf %{{.*}} : tensor<64x64xf32, #[[$ROW]]> to tensor<64x64xf16, #[[$ROW]]>
    // CHECK: ttg.convert_layout %[[NARROW]] : tensor<64x64xf16, #[[$ROW]]> -> tensor<64x64xf16, #[[$COLUMN]]>
    %0 = ttg.convert_layout %x : tensor<64x64xf32, #row> -> tensor<64x64xf32, #column>
    %1 = arith.truncf %0 : tensor<64x64xf32, #column> to tensor<64x64xf16, #column>
    tt.return %1 : tensor<64x64xf16, #column>
  }

  // Past two ops that widen.
  // CHECK-LABEL: @above_widening
  tt.func @above_widening(%x: tensor<1x64xf16, #row>) -> tensor<64x64xf32, #column> {
    // CHECK: %[[SMALL:.*]] = ttg.convert_layout %{{.*}} : tensor<1x64xf16, #[[$ROW]]> -> tensor<1x64xf16, #[[$COLUMN]]>
    // CHECK: %[[WIDE:.*]] = arith.extf %[[SMALL]]
    // CHECK: tt.broadcast %[[WIDE]] : tensor<1x64xf32, #[[$COLUMN]]> -> tensor<64x64xf32, #[[$COLUMN]]>
    %0 = arith.extf %x : tensor<1x64xf16, #row> to tensor<1x64xf32, #row>
    %1 = tt.broadcast %0 : tensor<1x64xf32, #row> -> tensor<64x64xf32, #row>
    %2 = ttg.convert_layout %1 : tensor<64x64xf32, #row> -> tensor<64x64xf32, #column>
    tt.return %2 : tensor<64x64xf32, #column>
  }

  // Somebody else uses the wide value, so another conversion would come on top.
  // CHECK-LABEL: @shared_value
  tt.func @shared_value(%x: tensor<64x64xf32, #row>) -> (tensor<64x64xf16, #column>, tensor<64x64xf32, #column>) {
    // CHECK: ttg.convert_layout %{{.*}} : tensor<64x64xf32, #[[$ROW]]>
    // CHECK: arith.truncf %{{.*}} : tensor<64x64xf32, #[[$COLUMN]]>
    %0 = ttg.convert_layout %x : tensor<64x64xf32, #row> -> tensor<64x64xf32, #column>
    %1 = arith.truncf %0 : tensor<64x64xf32, #column> to tensor<64x64xf16, #column>
    tt.return %1, %0 : tensor<64x64xf16, #column>, tensor<64x64xf32, #column>
  }
}
