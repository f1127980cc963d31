// RUN: %plugin_opt --pass warp_spec_plan=strict=true --split-input-file --expect-failure %s | %FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#narrow = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A descriptor writes in its own layout.
// CHECK: the loop can't be specialized: the product reads the tile of {{.*}}plan_invalid.mlir:[[#@LINE + 6]] in another order than its descriptor writes it
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @other_order(%a: !tt.tensordesc<64x64xf16, #narrow>, %b: !ttg.memdesc<64x64xf16, #wide, #smem>, %zeros: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x64xf32, #mma>) : i32 {
      %tile = tt.descriptor_load %a[%c0, %i] : !tt.tensordesc<64x64xf16, #narrow> -> tensor<64x64xf16, #rows>
      %buffer = ttg.local_alloc %tile : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #wide, #smem>
      %next = ttng.warp_group_dot %buffer, %b, %acc : !ttg.memdesc<64x64xf16, #wide, #smem> * !ttg.memdesc<64x64xf16, #wide, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %next : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Each turn takes a number that others take as well.
// CHECK: the loop can't be specialized: where to load depends on tt.atomic_rmw ({{.*}}), which only the consumers can compute
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @taken(%a: !tt.tensordesc<64x64xf16, #wide>, %b: !ttg.memdesc<64x64xf16, #wide, #smem>, %counter: !tt.ptr<i32>, %zeros: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x64xf32, #mma>) : i32 {
      %k = tt.atomic_rmw add, relaxed, gpu, %counter, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
      %tile = tt.descriptor_load %a[%c0, %k] : !tt.tensordesc<64x64xf16, #wide> -> tensor<64x64xf16, #rows>
      %buffer = ttg.local_alloc %tile : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #wide, #smem>
      %next = ttng.warp_group_dot %buffer, %b, %acc : !ttg.memdesc<64x64xf16, #wide, #smem> * !ttg.memdesc<64x64xf16, #wide, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %next : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// CHECK: the loop can't be specialized: a function that is not inlined is called in it
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @call(%a: !tt.tensordesc<64x64xf16, #wide>, %b: !ttg.memdesc<64x64xf16, #wide, #smem>, %zeros: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x64xf32, #mma>) : i32 {
      tt.call @function() : () -> ()
      %tile = tt.descriptor_load %a[%c0, %i] : !tt.tensordesc<64x64xf16, #wide> -> tensor<64x64xf16, #rows>
      %buffer = ttg.local_alloc %tile : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #wide, #smem>
      %next = ttng.warp_group_dot %buffer, %b, %acc : !ttg.memdesc<64x64xf16, #wide, #smem> * !ttg.memdesc<64x64xf16, #wide, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %next : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }
  tt.func private @function() attributes {noinline = true} {
    tt.return
  }
}

// -----

// CHECK: no loop can be specialized: none has a matrix product that runs on wgmma
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @no_loop() {
    tt.return
  }
}
