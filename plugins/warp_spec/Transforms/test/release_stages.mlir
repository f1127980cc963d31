// RUN: %plugin_opt --pass warp_spec_release_stages --split-input-file %s | %FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The product of this iteration still runs behind the wait, so the stage of the one before is
  // released there, and the last stage behind the loop.
  // CHECK-LABEL: @one_product_runs_on
  tt.func @one_product_runs_on(%channel: !warp_spec.channel<3>, %tiles: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %zero: tensor<64x64xf32, #mma>, %n: i32, %step: i32) {
    // CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[N:.*]], %[[N]]
    // CHECK: scf.for
    %0 = scf.for %i = %n to %n step %step iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %stage = warp_spec.receive %channel : !warp_spec.channel<3>
      %tile = ttg.memdesc_index %tiles[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      // CHECK: ttng.warp_group_dot
      // CHECK-NEXT: ttng.warp_group_dot_wait
      // CHECK-NEXT: warp_spec.release %{{.*}} {delayed} : <3>
      %1 = ttng.warp_group_dot %tile, %tile, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
      %2 = ttng.warp_group_dot_wait %1 {pendings = 1 : i32} : tensor<64x64xf32, #mma>
      scf.yield %2 : tensor<64x64xf32, #mma>
    }
    // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
    // CHECK-NEXT: warp_spec.release_last %{{.*}} if %[[ANY]] : <3>
    %3 = ttng.warp_group_dot_wait %0 {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    tt.return
  }

  // The wait covers the product, so its stage is free behind it.
  // CHECK-LABEL: @none_runs_on
  tt.func @none_runs_on(%channel: !warp_spec.channel<3>, %tiles: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %zero: tensor<64x64xf32, #mma>, %n: i32, %step: i32) {
    %0 = scf.for %i = %n to %n step %step iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %stage = warp_spec.receive %channel : !warp_spec.channel<3>
      %tile = ttg.memdesc_index %tiles[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      // CHECK: ttng.warp_group_dot_wait
      // CHECK-NEXT: warp_spec.release %{{.*}} : <3>
      // CHECK-NOT: warp_spec.release_last
      %1 = ttng.warp_group_dot %tile, %tile, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
      %2 = ttng.warp_group_dot_wait %1 {pendings = 0 : i32} : tensor<64x64xf32, #mma>
      scf.yield %2 : tensor<64x64xf32, #mma>
    }
    tt.return
  }

  // Threads copy, but there is no other group whose products fill the time of a wait.
  // CHECK-LABEL: @threads_copy_for_one_group
  tt.func @threads_copy_for_one_group(%tiles: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %zero: tensor<64x64xf32, #mma>, %n: i32, %step: i32) {
    %channel = warp_spec.create_channel : !warp_spec.channel<3>
    %0 = scf.for %i = %n to %n step %step iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %stage = warp_spec.receive %channel : !warp_spec.channel<3>
      %tile = ttg.memdesc_index %tiles[%stage] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
      // CHECK-NEXT: warp_spec.release %{{.*}} {delayed} : <3>
      %1 = ttng.warp_group_dot %tile, %tile, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
      %2 = ttng.warp_group_dot_wait %1 {pendings = 1 : i32} : tensor<64x64xf32, #mma>
      scf.yield %2 : tensor<64x64xf32, #mma>
    }
    tt.return
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Threads copy for two groups: the stage comes back at once.
  // CHECK-LABEL: @threads_copy
  tt.func @threads_copy(%tiles: !ttg.memdesc<3x128x64xf16, #shared, #smem, mutable>, %other: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %zero: tensor<128x64xf32, #mma>, %n: i32, %step: i32) {
    %channel = warp_spec.create_channel : !warp_spec.channel<3>
    %0 = scf.for %i = %n to %n step %step iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
      %stage = warp_spec.receive %channel : !warp_spec.channel<3>
      %tile = ttg.memdesc_index %tiles[%stage] : !ttg.memdesc<3x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
      // CHECK-NEXT: warp_spec.release %{{.*}} : <3>
      // CHECK-NOT: warp_spec.release_last
      %1 = ttng.warp_group_dot %tile, %other, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %2 = ttng.warp_group_dot_wait %1 {pendings = 1 : i32} : tensor<128x64xf32, #mma>
      scf.yield %2 : tensor<128x64xf32, #mma>
    }
    tt.return
  }

  // TMA needs no thread to start the next copies.
  // CHECK-LABEL: @tma_copies
  tt.func @tma_copies(%tiles: !ttg.memdesc<3x128x64xf16, #shared, #smem, mutable>, %other: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %zero: tensor<128x64xf32, #mma>, %n: i32, %step: i32) {
    %channel = warp_spec.create_channel {bytes = 16384 : i32} : !warp_spec.channel<3>
    %0 = scf.for %i = %n to %n step %step iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
      %stage = warp_spec.receive %channel : !warp_spec.channel<3>
      %tile = ttg.memdesc_index %tiles[%stage] : !ttg.memdesc<3x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
      // CHECK-NEXT: warp_spec.release %{{.*}} {delayed} : <3>
      %1 = ttng.warp_group_dot %tile, %other, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %2 = ttng.warp_group_dot_wait %1 {pendings = 1 : i32} : tensor<128x64xf32, #mma>
      scf.yield %2 : tensor<128x64xf32, #mma>
    }
    tt.return
  }

  // The second product fills the time of a wait for the first.
  // CHECK-LABEL: @threads_copy_for_two_products
  tt.func @threads_copy_for_two_products(%tiles: !ttg.memdesc<3x128x64xf16, #shared, #smem, mutable>, %other: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %zero: tensor<128x64xf32, #mma>, %n: i32, %step: i32) {
    %channel = warp_spec.create_channel : !warp_spec.channel<3>
    %0 = scf.for %i = %n to %n step %step iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
      %stage = warp_spec.receive %channel : !warp_spec.channel<3>
      %tile = ttg.memdesc_index %tiles[%stage] : !ttg.memdesc<3x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      // CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
      %1 = ttng.warp_group_dot %tile, %other, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %2 = ttng.warp_group_dot %tile, %other, %1 {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %3 = ttng.warp_group_dot_wait %2 {pendings = 1 : i32} : tensor<128x64xf32, #mma>
      scf.yield %3 : tensor<128x64xf32, #mma>
    }
    tt.return
  }
}
