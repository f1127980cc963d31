// RUN: %plugin_opt --pass layout_rematerialize %s | %FileCheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#columns = #ttg.slice<{dim = 0, parent = #mma}>
#rows = #ttg.slice<{dim = 1, parent = #mma}>

// CHECK-DAG: #[[$LINE:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp
// CHECK-DAG: #[[$ROW:.*]] = #ttg.blocked<{sizePerThread = [1, 8]
// CHECK-DAG: #[[$MMA:.*]] = #ttg.nvidia_mma
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // A bias is read where it is needed.
  // CHECK-LABEL: @bias
  tt.func @bias(%bias: !tt.ptr<f32> {tt.divisibility = 16 : i32}) -> tensor<128xf32, #columns> {
    // CHECK-NOT: ttg.convert_layout
    // CHECK: tt.make_range {{.*}} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #[[$MMA]]}>>
    // CHECK: tt.load %{{.*}} : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #[[$MMA]]}>>
    // CHECK-NOT: tt.load
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #line>
    %base = tt.splat %bias : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
    %pointers = tt.addptr %base, %range : tensor<128x!tt.ptr<f32>, #line>, tensor<128xi32, #line>
    %loaded = tt.load %pointers : tensor<128x!tt.ptr<f32>, #line>
    %converted = ttg.convert_layout %loaded : tensor<128xf32, #line> -> tensor<128xf32, #columns>
    tt.return %converted : tensor<128xf32, #columns>
  }

  // A statistic of rows is stored by the threads that have it.
  // CHECK-LABEL: @statistic
  tt.func @statistic(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %value: tensor<128xf32, #rows>) {
    // CHECK-NOT: ttg.convert_layout
    // CHECK: tt.store %{{.*}}, %{{.*}} : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #[[$MMA]]}>>
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #line>
    %base = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
    %pointers = tt.addptr %base, %range : tensor<128x!tt.ptr<f32>, #line>, tensor<128xi32, #line>
    %converted = ttg.convert_layout %value : tensor<128xf32, #rows> -> tensor<128xf32, #line>
    tt.store %pointers, %converted : tensor<128x!tt.ptr<f32>, #line>
    tt.return
  }

  // A whole tile is not: its rows would be stored in parts of sectors.
  // CHECK-LABEL: @tile
  tt.func @tile(%out: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %value: tensor<128x64xf16, #mma>) {
    // CHECK: ttg.convert_layout
    // CHECK: tt.store %{{.*}}, %{{.*}} : tensor<128x64x!tt.ptr<f16>, #[[$ROW]]>
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #row}>>
    %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #row}>>
    %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #row}>> -> tensor<128x1xi32, #row>
    %columns = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #row}>> -> tensor<1x64xi32, #row>
    %stride = arith.constant dense<64> : tensor<128x1xi32, #row>
    %starts = arith.muli %rows, %stride : tensor<128x1xi32, #row>
    %a = tt.broadcast %starts : tensor<128x1xi32, #row> -> tensor<128x64xi32, #row>
    %b = tt.broadcast %columns : tensor<1x64xi32, #row> -> tensor<128x64xi32, #row>
    %offsets = arith.addi %a, %b : tensor<128x64xi32, #row>
    %base = tt.splat %out : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>, #row>
    %pointers = tt.addptr %base, %offsets : tensor<128x64x!tt.ptr<f16>, #row>, tensor<128x64xi32, #row>
    %converted = ttg.convert_layout %value : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #row>
    tt.store %pointers, %converted : tensor<128x64x!tt.ptr<f16>, #row>
    tt.return
  }

  // A volatile load is not repeated.
  // CHECK-LABEL: @volatile
  tt.func @volatile(%pointers: !tt.ptr<f32>) -> tensor<128xf32, #columns> {
    // CHECK: tt.load {{.*}} : tensor<128x!tt.ptr<f32>, #[[$LINE]]>
    // CHECK: ttg.convert_layout
    %base = tt.splat %pointers : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
    %loaded = tt.load %base {isVolatile = true} : tensor<128x!tt.ptr<f32>, #line>
    %converted = ttg.convert_layout %loaded : tensor<128xf32, #line> -> tensor<128xf32, #columns>
    tt.return %converted : tensor<128xf32, #columns>
  }
}
