// RUN: %plugin_opt --pass layout_merge_conversions %s | %FileCheck %s

#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#other = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
// What #column is for 32x16, by another name.
#twin = #ttg.linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]], block = []}>

// CHECK-DAG: #[[$ROW:.*]] = #ttg.blocked<{sizePerThread = [1, 4]
// CHECK-DAG: #[[$COLUMN:.*]] = #ttg.blocked<{sizePerThread = [4, 1]
// CHECK-DAG: #[[$TWIN:.*]] = #ttg.linear
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @chain
  tt.func @chain(%x: tensor<32x16xf16, #row>) -> tensor<32x16xf16, #column> {
    // CHECK-NEXT: ttg.convert_layout %{{.*}} : tensor<32x16xf16, #[[$ROW]]> -> tensor<32x16xf16, #[[$COLUMN]]>
    // CHECK-NEXT: tt.return
    %0 = ttg.convert_layout %x : tensor<32x16xf16, #row> -> tensor<32x16xf16, #other>
    %1 = ttg.convert_layout %0 : tensor<32x16xf16, #other> -> tensor<32x16xf16, #column>
    tt.return %1 : tensor<32x16xf16, #column>
  }

  // A conversion in a branch takes the result of one before it.
  // CHECK-LABEL: @twins
  tt.func @twins(%x: tensor<32x16xf16, #row>, %ptr: tensor<32x16x!tt.ptr<f16>, #twin>, %take: i1) -> tensor<32x16xf16, #column> {
    // CHECK: %[[FIRST:.*]] = ttg.convert_layout %{{.*}} -> tensor<32x16xf16, #[[$COLUMN]]>
    %0 = ttg.convert_layout %x : tensor<32x16xf16, #row> -> tensor<32x16xf16, #column>
    scf.if %take {
      // CHECK: ttg.convert_layout %[[FIRST]] : tensor<32x16xf16, #[[$COLUMN]]> -> tensor<32x16xf16, #[[$TWIN]]>
      %1 = ttg.convert_layout %x : tensor<32x16xf16, #row> -> tensor<32x16xf16, #twin>
      tt.store %ptr, %1 : tensor<32x16x!tt.ptr<f16>, #twin>
    }
    tt.return %0 : tensor<32x16xf16, #column>
  }

  // No pin is looked through, and no chosen way is changed.
  // CHECK-LABEL: @pinned
  tt.func @pinned(%x: tensor<32x16xf16, #row>) -> (tensor<32x16xf16, #column>, tensor<32x16xf16, #other>) {
    // CHECK-COUNT-2: ttg.convert_layout %{{.*}} : tensor
    // CHECK: ttg.convert_layout %{{.*}} {force_warp_shuffle}
    %0 = ttg.convert_layout %x : tensor<32x16xf16, #row> -> tensor<32x16xf16, #other>
    %1 = layout.pin %0 {layout = #other} : tensor<32x16xf16, #other> -> tensor<32x16xf16, #other>
    %2 = ttg.convert_layout %1 : tensor<32x16xf16, #other> -> tensor<32x16xf16, #column>
    %3 = ttg.convert_layout %2 {force_warp_shuffle} : tensor<32x16xf16, #column> -> tensor<32x16xf16, #twin>
    %4 = ttg.convert_layout %1 : tensor<32x16xf16, #other> -> tensor<32x16xf16, #other>
    tt.print "x: " {hex = false, isSigned = array<i32: 0>} : %3 : tensor<32x16xf16, #twin>
    tt.return %2, %4 : tensor<32x16xf16, #column>, tensor<32x16xf16, #other>
  }
}
