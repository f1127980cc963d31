// RUN: %plugin_opt --pass warp_spec_keep_addresses --split-input-file %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @copies_through_pointers
  tt.func @copies_through_pointers(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %tile: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    ttg.warp_specialize(%base, %n, %tile) attributes {warp_spec.channels, requestedRegisters = array<i32: 104>}
    default {
      ttg.warp_yield
    }
    // CHECK: partition0(%[[BASE:.*]]: !tt.ptr<f16>, %[[N:.*]]: i32, %{{.*}}: !ttg.memdesc
    partition0(%p: !tt.ptr<f16>, %m: i32, %buffer: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) num_warps(4) {
      // What is captured is not looked through, and what is computed from it stays here.
      // CHECK-DAG: %[[HIDDEN:.*]] = tt.elementwise_inline_asm "mov.b64 $0, $1;" {{{.*}}pure = false{{.*}}tt.divisibility = dense<16>{{.*}}} %[[BASE]]
      // CHECK-DAG: tt.elementwise_inline_asm "mov.b32 $0, $1;" {{{.*}}pure = false{{.*}}tt.divisibility = dense<16>{{.*}}} %[[N]]
      // CHECK: tt.splat %[[HIDDEN]]
      %c0 = arith.constant 0 : i32
      %cols = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
      %row = tt.expand_dims %cols {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
      %offsets = tt.broadcast %row : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
      %splat = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
      %first = tt.addptr %splat, %offsets : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
      %step = tt.splat %m : i32 -> tensor<64x64xi32, #blocked>
      // CHECK: %[[FIRST:.*]] = tt.elementwise_inline_asm "mov.b64 $0, $1;" {{{.*}}pure = true, {{.*}}tt.contiguity = dense<[1, 64]>{{.*}}tt.divisibility = dense<[{{.*}}, 16]>
      // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
      scf.for %k = %c0 to %m step %m iter_args(%pointers = %first) -> (tensor<64x64x!tt.ptr<f16>, #blocked>) : i32 {
        %token = ttg.async_copy_global_to_local %pointers, %buffer : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
        %next = tt.addptr %pointers, %step : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
        scf.yield %next : tensor<64x64x!tt.ptr<f16>, #blocked>
      }
      ttg.warp_return
    } : (!tt.ptr<f16>, i32, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> ()
    tt.return
  }

  // Zero is divisible by more than the attribute can say.
  // CHECK-LABEL: @captures_zero
  tt.func @captures_zero(%base: !tt.ptr<f16>, %tile: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    %zero = arith.constant 0 : i32
    ttg.warp_specialize(%zero, %base, %tile) attributes {warp_spec.channels, requestedRegisters = array<i32: 104>}
    default {
      ttg.warp_yield
    }
    partition0(%offset: i32, %p: !tt.ptr<f16>, %buffer: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) num_warps(4) {
      // CHECK: tt.elementwise_inline_asm "mov.b32 $0, $1;" {{{.*}}tt.divisibility = dense<1073741824>
      %first = tt.addptr %p, %offset : !tt.ptr<f16>, i32
      %pointers = tt.splat %first : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
      %token = ttg.async_copy_global_to_local %pointers, %buffer : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
      ttg.warp_return
    } : (i32, !tt.ptr<f16>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> ()
    tt.return
  }

  // One thread starts a warp's TMA copies: few registers do.
  // CHECK-LABEL: @copies_through_tma
  // CHECK-NOT: elementwise_inline_asm
  tt.func @copies_through_tma(%desc: !tt.tensordesc<64x64xf16, #shared>, %n: i32, %tile: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %full: !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>) {
    ttg.warp_specialize(%desc, %n, %tile, %full) attributes {warp_spec.channels, requestedRegisters = array<i32: 40>}
    default {
      ttg.warp_yield
    }
    partition0(%d: !tt.tensordesc<64x64xf16, #shared>, %m: i32, %buffer: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %barrier: !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>) num_warps(1) {
      %true = arith.constant true
      ttng.async_tma_copy_global_to_local %d[%m, %m] %buffer, %barrier, %true : !tt.tensordesc<64x64xf16, #shared>, !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #shared>, i32, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>) -> ()
    tt.return
  }
}
