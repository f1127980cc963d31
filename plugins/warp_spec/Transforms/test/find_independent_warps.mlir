// RUN: %plugin_opt --pass warp_spec_find_independent_warps --split-input-file %s | %FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#linear = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @all_in_channels
  tt.func @all_in_channels(%desc: !tt.tensordesc<128x128xf16, #shared>, %pointers: tensor<128x128x!tt.ptr<f16>, #blocked>, %tile: !ttg.memdesc<128x128xf16, #shared, #smem, mutable>, %full: !ttg.memdesc<1xi64, #linear, #smem, mutable>, %acc: tensor<128x128xf32, #mma>, %n: i32) {
    %true = arith.constant true
    // CHECK: ttg.warp_specialize{{.*}} attributes {{.*}}warp_spec.independent
    ttg.warp_specialize(%desc, %pointers, %tile, %full) attributes {warp_spec.channels, requestedRegisters = array<i32: 40>}
    default {
      %0 = scf.for %i = %n to %n step %n iter_args(%sum = %acc) -> (tensor<128x128xf32, #mma>) : i32 {
        ttng.wait_barrier %full, %n : !ttg.memdesc<1xi64, #linear, #smem, mutable>
        %1 = ttng.warp_group_dot %tile, %tile, %sum {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<128x128xf16, #shared, #smem, mutable> * !ttg.memdesc<128x128xf16, #shared, #smem, mutable> -> tensor<128x128xf32, #mma>
        // CHECK: ttng.warp_group_dot_wait {{.*}}pendings = 1 : i32, warp_spec.independent
        %2 = ttng.warp_group_dot_wait %1 {pendings = 1 : i32} : tensor<128x128xf32, #mma>
        ttng.fence_async_shared {bCluster = false}
        %tile_in_registers = ttg.local_load %tile : !ttg.memdesc<128x128xf16, #shared, #smem, mutable> -> tensor<128x128xf16, #blocked>
        ttg.inline_asm "" {constraints = "r", pure = false, warp_spec.arrive} %full : (!ttg.memdesc<1xi64, #linear, #smem, mutable>) -> ()
        scf.yield %2 : tensor<128x128xf32, #mma>
      }
      // A barrier behind the loop comes once.
      // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32} :
      %3 = ttng.warp_group_dot_wait %0 {pendings = 0 : i32} : tensor<128x128xf32, #mma>
      ttg.warp_yield
    }
    partition0(%from: !tt.tensordesc<128x128xf16, #shared>, %elements: tensor<128x128x!tt.ptr<f16>, #blocked>, %to: !ttg.memdesc<128x128xf16, #shared, #smem, mutable>, %barrier: !ttg.memdesc<1xi64, #linear, #smem, mutable>) num_warps(8) {
      %true_0 = arith.constant true
      %zero = arith.constant 0 : i32
      scf.if %true_0 {
        ttng.barrier_expect %barrier, 32768, %true_0 : !ttg.memdesc<1xi64, #linear, #smem, mutable>
        ttng.async_tma_copy_global_to_local %from[%zero, %zero] %to, %barrier, %true_0 : !tt.tensordesc<128x128xf16, #shared>, !ttg.memdesc<1xi64, #linear, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
        %token = ttg.async_copy_global_to_local %elements, %to : tensor<128x128x!tt.ptr<f16>, #blocked> -> <128x128xf16, #shared, #smem, mutable>
        ttng.async_copy_mbarrier_arrive %barrier : !ttg.memdesc<1xi64, #linear, #smem, mutable>
        %value = tt.load %elements : tensor<128x128x!tt.ptr<f16>, #blocked>
        tt.store %elements, %value : tensor<128x128x!tt.ptr<f16>, #blocked>
      }
      ttg.warp_return
    } : (!tt.tensordesc<128x128xf16, #shared>, tensor<128x128x!tt.ptr<f16>, #blocked>, !ttg.memdesc<128x128xf16, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #linear, #smem, mutable>) -> ()
    tt.return
  }

  // Scratch memory in the loop, and a buffer that the partition writes: barriers order them.
  // CHECK-LABEL: @shares_memory
  tt.func @shares_memory(%buffer: !ttg.memdesc<128x128xf16, #shared, #smem, mutable>, %acc: tensor<128x128xf32, #mma>, %n: i32) {
    // CHECK-NOT: warp_spec.independent
    // CHECK: tt.return
    ttg.warp_specialize(%buffer) attributes {warp_spec.channels, requestedRegisters = array<i32: 40>}
    default {
      %0 = scf.for %i = %n to %n step %n iter_args(%sum = %acc) -> (tensor<128x128xf32, #mma>) : i32 {
        %1 = ttng.warp_group_dot_wait %sum {pendings = 1 : i32} : tensor<128x128xf32, #mma>
        %2 = ttg.convert_layout %1 : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #rows>
        %3 = ttg.convert_layout %2 : tensor<128x128xf32, #rows> -> tensor<128x128xf32, #mma>
        scf.yield %3 : tensor<128x128xf32, #mma>
      }
      ttg.warp_yield
    }
    partition0(%arg: !ttg.memdesc<128x128xf16, #shared, #smem, mutable>) num_warps(8) {
      %zero = arith.constant dense<0.0> : tensor<128x128xf16, #blocked>
      ttg.local_store %zero, %arg : tensor<128x128xf16, #blocked> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
      ttg.warp_return
    }
    partition1(%arg: !ttg.memdesc<128x128xf16, #shared, #smem, mutable>) num_warps(1) {
      ttg.warp_return
    } : (!ttg.memdesc<128x128xf16, #shared, #smem, mutable>) -> ()
    tt.return
  }

  // Stock Triton's own copies in the consumers' loop: a barrier tells them that a buffer is free.
  // CHECK-LABEL: @copies_in_the_loop
  tt.func @copies_in_the_loop(%desc: !tt.tensordesc<128x128xf16, #shared>, %tile: !ttg.memdesc<128x128xf16, #shared, #smem, mutable>, %full: !ttg.memdesc<1xi64, #linear, #smem, mutable>, %acc: tensor<128x128xf32, #mma>, %n: i32) {
    %true = arith.constant true
    ttg.warp_specialize() attributes {warp_spec.channels, requestedRegisters = array<i32: 40>}
    default {
      %0 = scf.for %i = %n to %n step %n iter_args(%sum = %acc) -> (tensor<128x128xf32, #mma>) : i32 {
        // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32} :
        %1 = ttng.warp_group_dot_wait %sum {pendings = 1 : i32} : tensor<128x128xf32, #mma>
        ttng.async_tma_copy_global_to_local %desc[%n, %n] %tile, %full, %true : !tt.tensordesc<128x128xf16, #shared>, !ttg.memdesc<1xi64, #linear, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
        scf.yield %1 : tensor<128x128xf32, #mma>
      }
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }

  // What assembly and functions do is not known.
  // CHECK-LABEL: @not_known
  tt.func @not_known(%full: !ttg.memdesc<1xi64, #linear, #smem, mutable>, %acc: tensor<128x128xf32, #mma>, %n: i32) {
    // CHECK-NOT: warp_spec.independent
    // CHECK: tt.return
    ttg.warp_specialize(%full) attributes {warp_spec.channels, requestedRegisters = array<i32: 40>}
    default {
      %0 = scf.for %i = %n to %n step %n iter_args(%sum = %acc) -> (tensor<128x128xf32, #mma>) : i32 {
        %1 = ttng.warp_group_dot_wait %sum {pendings = 1 : i32} : tensor<128x128xf32, #mma>
        ttg.inline_asm "" {constraints = "r", pure = false} %full : (!ttg.memdesc<1xi64, #linear, #smem, mutable>) -> ()
        scf.yield %1 : tensor<128x128xf32, #mma>
      }
      ttg.warp_yield
    }
    partition0(%barrier: !ttg.memdesc<1xi64, #linear, #smem, mutable>) num_warps(1) {
      tt.call @function() : () -> ()
      ttg.warp_return
    } : (!ttg.memdesc<1xi64, #linear, #smem, mutable>) -> ()
    tt.return
  }
  tt.func private @function() attributes {noinline = true} {
    tt.return
  }

  // Other warps than this plugin's.
  // CHECK-LABEL: @no_channels
  tt.func @no_channels() {
    // CHECK-NOT: warp_spec.independent
    // CHECK: tt.return
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 40>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}
