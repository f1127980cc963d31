// After inspect
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#map = affine_map<(d0) -> (d0 * 2 + 1)>
module attributes {canary.facts = {array = array<i32: 7, 8>, callee = @leaf, contiguity = 64 : i64, dense = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>, diagnostic = "seen builtin.module of 26; a note loc(\22here\22(\22canary.py\22:3:14))", divisibility = 16 : i64, double = 1.250000e-01 : f64, "effect of canary.touch" = "write <Default>", "effect of tt.load" = "read <GlobalMemory>", "effect of tt.store" = "write <GlobalMemory>", "elements per thread" = 8 : i64, "even values" = 13 : i64, functions = [@leaf, @kernel], "init dominates" = 1 : i64, "linear layout" = "\0A - register=1 -> (0, 1)\0A   register=2 -> (0, 2)\0A   register=4 -> (8, 0)\0A - lane=1 -> (0, 4)\0A   lane=2 -> (0, 8)\0A   lane=4 -> (0, 16)\0A   lane=8 -> (0, 32)\0A   lane=16 -> (1, 0)\0A - warp=1 -> (2, 0)\0A   warp=2 -> (4, 0)\0A - block is a size 1 dimension\0Awhere out dims are: [dim0 (size 16), dim1 (size 64)]", "loop results" = tensor<64xf32>, map = #map, ops.arith = 9 : i64, ops.builtin = 1 : i64, ops.canary = 4 : i64, ops.scf = 2 : i64, ops.tt = 12 : i64, parsed = {a = [1 : i8, unit], t = !tt.ptr<f16>}, pointer = !tt.ptr<f32>, "same tag" = 1 : i64, successors = 1 : i64, sum = 18 : i64, tag = !canary.tag<7, [3, 1, 2]>, tensor = tensor<16x64xf16, #blocked>, terminators = 3 : i64, "trip count" = 5 : i64, "uses of leaf" = 1 : i64, values = 26 : i64}} {
  tt.func private @leaf(%arg0: i32 {tt.constancy = 1 : i64, tt.contiguity = 1 : i64, tt.divisibility = 1 : i64}) -> i32 {
    %c0_i32 = arith.constant 0 : i32
    %0 = arith.addi %arg0, %c0_i32 : i32
    %1 = canary.twice %0 : i32
    tt.return %1 : i32
  }
  tt.func public @kernel(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i32) {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c5_i32 = arith.constant 5 : i32
    %c64_i32 = arith.constant 64 : i32
    %0 = tt.get_program_id x : i32
    %1 = arith.muli %0, %c64_i32 : i32
    %2 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %3 = tt.splat %1 : i32 -> tensor<64xi32>
    %4 = arith.addi %3, %2 : tensor<64xi32>
    %5 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %6 = tt.addptr %5, %4 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %7 = tt.load %6 : tensor<64x!tt.ptr<f32>>
    %8 = scf.for %arg2 = %c0_i32 to %c5_i32 step %c1_i32 iter_args(%arg3 = %7) -> (tensor<64xf32>)  : i32 {
      %13 = arith.addf %arg3, %7 : tensor<64xf32>
      scf.yield %13 : tensor<64xf32>
    }
    tt.store %6, %8 : tensor<64x!tt.ptr<f32>>
    %9 = tt.call @leaf(%arg1) : (i32) -> i32
    %10 = canary.twice %9 : i32
    %11 = canary.twice %c5_i32 : i32
    %12 = canary.touch %10, %11 : i32, i32 times 3 -> <4, [1, 2]>
    tt.return
  }
}

// After rewrite
module attributes {canary.listener = array<i64: 1, 2, 3>} {
  tt.func private @leaf(%arg0: i32 {tt.constancy = 1 : i64, tt.contiguity = 1 : i64, tt.divisibility = 1 : i64}) -> i32 {
    %0 = canary.twice %arg0 : i32
    tt.return %0 : i32
  }
  tt.func @leaf_0(%arg0: i32 {tt.constancy = 1 : i64, tt.contiguity = 1 : i64, tt.divisibility = 1 : i64}) -> i32 {
    tt.return %arg0 : i32
  }
  tt.func public @kernel(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i32) {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c5_i32 = arith.constant 5 : i32
    %c64_i32 = arith.constant 64 : i32
    %0 = tt.get_program_id x : i32
    %1 = arith.muli %0, %c64_i32 : i32
    %2 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %3 = tt.splat %1 : i32 -> tensor<64xi32>
    %4 = arith.addi %3, %2 : tensor<64xi32>
    %5 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %6 = tt.addptr %5, %4 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %7 = tt.load %6 : tensor<64x!tt.ptr<f32>>
    %8 = arith.addi %c1_i32, %c1_i32 : i32
    %9 = scf.for %arg2 = %c0_i32 to %c5_i32 step %8 iter_args(%arg3 = %7) -> (tensor<64xf32>)  : i32 {
      %13 = arith.addf %arg3, %7 : tensor<64xf32>
      %14 = arith.addf %13, %7 : tensor<64xf32>
      scf.yield %14 : tensor<64xf32>
    }
    tt.store %6, %9 : tensor<64x!tt.ptr<f32>>
    %10 = tt.call @leaf(%arg1) : (i32) -> i32
    %11 = canary.twice %10 : i32
    %c10_i32 = arith.constant 10 : i32
    %12 = canary.touch %11, %c10_i32 : i32, i32 times 4 -> <0, [1, 2]>
    tt.return
  }
}

// After inline
module attributes {canary.listener = array<i64: 1, 2, 3>} {
  tt.func @leaf_0(%arg0: i32 {tt.constancy = 1 : i64, tt.contiguity = 1 : i64, tt.divisibility = 1 : i64}) -> i32 {
    tt.return %arg0 : i32
  }
  tt.func public @kernel(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i32) {
    %c2_i32 = arith.constant 2 : i32
    %c10_i32 = arith.constant 10 : i32
    %c0_i32 = arith.constant 0 : i32
    %c5_i32 = arith.constant 5 : i32
    %c64_i32 = arith.constant 64 : i32
    %0 = tt.get_program_id x : i32
    %1 = arith.muli %0, %c64_i32 : i32
    %2 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %3 = tt.splat %1 : i32 -> tensor<64xi32>
    %4 = arith.addi %3, %2 : tensor<64xi32>
    %5 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %6 = tt.addptr %5, %4 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %7 = tt.load %6 : tensor<64x!tt.ptr<f32>>
    %8 = scf.for %arg2 = %c0_i32 to %c5_i32 step %c2_i32 iter_args(%arg3 = %7) -> (tensor<64xf32>)  : i32 {
      %11 = arith.addf %arg3, %7 : tensor<64xf32>
      %12 = arith.addf %11, %7 : tensor<64xf32>
      scf.yield %12 : tensor<64xf32>
    }
    tt.store %6, %8 : tensor<64x!tt.ptr<f32>>
    %9 = arith.shli %arg1, %c2_i32 : i32
    %10 = canary.touch %9, %c10_i32 : i32, i32 times 4 -> <0, [1, 2]>
    tt.return
  }
}
