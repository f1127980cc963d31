// RUN: %plugin_opt --pass layout_resolve --pass ttgpuir.remove_layout_conversions --pass common.canonicalizer --pass ttgpuir.remove_layout_conversions --pass common.cse --pass ttgpuir.remove_layout_conversions %s | %FileCheck %s

// Stock passes, however often they run, neither change a pinned layout nor look through the pin;
// an elementwise user takes it over.

#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>

// CHECK-DAG: #[[$ROW:.*]] = #ttg.blocked<{sizePerThread = [1, 8]
// CHECK-DAG: #[[$COLUMN:.*]] = #ttg.blocked<{sizePerThread = [4, 1]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @kernel
  tt.func @kernel(%in: tensor<64x64x!tt.ptr<f16>, #row>, %out: tensor<64x64x!tt.ptr<f16>, #row>) {
    // CHECK: %[[LOADED:.*]] = tt.load
    // CHECK: %[[IN:.*]] = ttg.convert_layout %[[LOADED]] : tensor<64x64xf16, #[[$ROW]]> -> tensor<64x64xf16, #[[$COLUMN]]>
    // CHECK: %[[PIN:.*]] = layout.pin %[[IN]] {{.*}} -> tensor<64x64xf16, #[[$COLUMN]]>
    // CHECK: %[[SUM:.*]] = arith.addf %[[PIN]], %[[PIN]] : tensor<64x64xf16, #[[$COLUMN]]>
    // CHECK: %[[OUT:.*]] = ttg.convert_layout %[[SUM]] : tensor<64x64xf16, #[[$COLUMN]]> -> tensor<64x64xf16, #[[$ROW]]>
    // CHECK: tt.store %{{.*}}, %[[OUT]]
    %loaded = tt.load %in : tensor<64x64x!tt.ptr<f16>, #row>
    %0 = ttg.convert_layout %loaded : tensor<64x64xf16, #row> -> tensor<64x64xf16, #default>
    %1 = layout.pin %0 {layout = #column} : tensor<64x64xf16, #default> -> tensor<64x64xf16, #default>
    %2 = arith.addf %1, %1 : tensor<64x64xf16, #default>
    %3 = ttg.convert_layout %2 : tensor<64x64xf16, #default> -> tensor<64x64xf16, #row>
    tt.store %out, %3 : tensor<64x64x!tt.ptr<f16>, #row>
    tt.return
  }
}
