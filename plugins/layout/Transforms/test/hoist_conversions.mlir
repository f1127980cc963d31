// RUN: %plugin_opt --pass layout_hoist_conversions %s | %FileCheck %s
// RUN: %plugin_opt --pass layout_hoist_conversions=max-registers=4 %s | %FileCheck %s --check-prefix=FEW

#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>

// CHECK-DAG: #[[$ROW:.*]] = #ttg.blocked<{sizePerThread = [1, 4]
// CHECK-DAG: #[[$COLUMN:.*]] = #ttg.blocked<{sizePerThread = [4, 1]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @invariant
  // FEW-LABEL: @invariant
  tt.func @invariant(%x: tensor<32x64xf32, #row>, %ptr: tensor<32x64x!tt.ptr<f32>, #column>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: ttg.convert_layout
    // CHECK: scf.for
    // A thread would need 16 registers all the time.
    // FEW: scf.for
    // FEW: ttg.convert_layout
    scf.for %i = %c0 to %n step %c1 : i32 {
      %0 = ttg.convert_layout %x : tensor<32x64xf32, #row> -> tensor<32x64xf32, #column>
      tt.store %ptr, %0 : tensor<32x64x!tt.ptr<f32>, #column>
    }
    tt.return
  }

  // Two conversions in the loop become one before it and one behind it.
  // CHECK-LABEL: @carried
  tt.func @carried(%x: tensor<32x64xf32, #row>, %y: tensor<32x64xf32, #column>, %n: i32) -> tensor<32x64xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: %[[INIT:.*]] = ttg.convert_layout %{{.*}} : tensor<32x64xf32, #[[$ROW]]> -> tensor<32x64xf32, #[[$COLUMN]]>
    // CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[INIT]]) -> (tensor<32x64xf32, #[[$COLUMN]]>)
    %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (tensor<32x64xf32, #row>) : i32 {
      // CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[SUM]], %{{.*}} : tensor<32x64xf32, #[[$COLUMN]]>
      // CHECK-NEXT: scf.yield %[[NEXT]]
      %1 = ttg.convert_layout %sum : tensor<32x64xf32, #row> -> tensor<32x64xf32, #column>
      %2 = arith.addf %1, %y : tensor<32x64xf32, #column>
      %3 = ttg.convert_layout %2 : tensor<32x64xf32, #column> -> tensor<32x64xf32, #row>
      scf.yield %3 : tensor<32x64xf32, #row>
    }
    // CHECK: ttg.convert_layout %[[LOOP]] : tensor<32x64xf32, #[[$COLUMN]]> -> tensor<32x64xf32, #[[$ROW]]>
    tt.return %0 : tensor<32x64xf32, #row>
  }
}
