// RUN: %plugin_opt --pass tlx_separate_programs %s | %FileCheck %s

// CHECK-DAG: #[[$ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#line = #ttg.slice<{dim = 1, parent = #rows}>

// CHECK: module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @tensors
  tt.func @tensors(%pointers: tensor<64x!tt.ptr<f32>, #line>) {
    // CHECK: arith.constant dense<1.000000e+00> : tensor<64x64xf32, #[[$ROWS]]>
    %ones = arith.constant dense<1.000000e+00> : tensor<64x64xf32, #rows>
    // CHECK: "tt.reduce"
    %sums = "tt.reduce"(%ones) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      tt.reduce.return %sum : f32
    // CHECK: (tensor<64x64xf32, #[[$ROWS]]>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #[[$ROWS]]}>>
    }) : (tensor<64x64xf32, #rows>) -> tensor<64xf32, #line>
    tt.store %pointers, %sums : tensor<64x!tt.ptr<f32>, #line>
    tt.return
  }
}
