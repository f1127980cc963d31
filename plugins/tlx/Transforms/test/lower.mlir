// RUN: %plugin_opt --pass tlx_lower --pass common.canonicalizer --split-input-file %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>

// A pipelined product: the accumulator has the layout of wgmma through the loop,
// and one conversion comes after the last wait.

// CHECK: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 16]}>
// CHECK: #[[$SHARED:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-LABEL: @pipelined
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @pipelined(%steps: i32, %pointers: tensor<128x64x!tt.ptr<f16>, #blocked>, %mask: tensor<128x64xi1, #blocked>) -> tensor<128x256xf32, #blocked1> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    // CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<128x256xf32, #[[$MMA]]>
    %zeros = arith.constant dense<0.000000e+00> : tensor<128x256xf32, #blocked1>
    // CHECK: %[[A:.*]] = ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<3x128x64xf16, #[[$SHARED]], #smem, mutable>
    %a = tlx.local_alloc : !tlx.buffer<3x128x64xf16>
    // CHECK: %[[B:.*]] = ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<3x64x256xf16, #[[$SHARED]], #smem, mutable>
    %b = tlx.local_alloc : !tlx.buffer<3x64x256xf16>
    // CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZEROS]]) -> (tensor<128x256xf32, #[[$MMA]]>)
    %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %zeros) -> (tensor<128x256xf32, #blocked1>) : i32 {
      // CHECK: %[[AVIEW:.*]] = ttg.memdesc_index %[[A]][%{{.*}}]
      %aview = tlx.local_view %a[%i] : !tlx.buffer<3x128x64xf16> -> !tlx.buffer<128x64xf16>
      %bview = tlx.local_view %b[%i] : !tlx.buffer<3x64x256xf16> -> !tlx.buffer<64x256xf16>
      // CHECK: tlx.async_wait {pendings = 1 : i32}
      %copied = tlx.async_wait {pendings = 1 : i32}
      // CHECK: %[[DOT:.*]] = ttng.warp_group_dot %[[AVIEW]], %{{.*}}, %[[ACC]] {{{.*}}isAsync = true, tlx.explicit}
      %dot = tlx.async_dot %aview, %bview, %acc : !tlx.buffer<128x64xf16> * !tlx.buffer<64x256xf16> -> tensor<128x256xf32, #blocked1>
      // The wait keeps what the product reads alive.
      // CHECK: %[[WAITED:.*]]:3 = ttng.warp_group_dot_wait %[[DOT]], %[[A]], %[[B]] {pendings = 1 : i32, tlx.explicit}
      %waited = tlx.async_dot_wait %dot {pendings = 1 : i32} : tensor<128x256xf32, #blocked1>
      // CHECK: ttg.async_copy_global_to_local %{{.*}}, %[[AVIEW]] mask
      %copy = tlx.async_load %pointers, %aview mask %mask : tensor<128x64x!tt.ptr<f16>, #blocked> -> !tlx.buffer<128x64xf16>
      // CHECK: ttg.async_commit_group
      // CHECK-NOT: tokens
      %group = tlx.async_commit tokens %copy
      // CHECK: scf.yield %[[WAITED]]#0
      scf.yield %waited : tensor<128x256xf32, #blocked1>
    }
    // CHECK: %[[SUM:.*]]:3 = ttng.warp_group_dot_wait %{{.*}}, %[[A]], %[[B]] {pendings = 0 : i32, tlx.explicit}
    // CHECK-NEXT: ttg.convert_layout %[[SUM]]#0 : tensor<128x256xf32, #[[$MMA]]> -> tensor<128x256xf32, #blocked
    %done = tlx.async_dot_wait %sum {pendings = 0 : i32} : tensor<128x256xf32, #blocked1>
    tt.return %done : tensor<128x256xf32, #blocked1>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>

// Registers travel through an unswizzled buffer until its readers are known.

// CHECK: #[[$PLAIN:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK-LABEL: @registers
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @registers(%value: tensor<128x64xf16, #blocked>) -> tensor<128x64xf16, #blocked> {
    %zero = arith.constant 0 : i32
    %buffers = tlx.local_alloc : !tlx.buffer<2x128x64xf16>
    %view = tlx.local_view %buffers[%zero] : !tlx.buffer<2x128x64xf16> -> !tlx.buffer<128x64xf16>
    // CHECK: ttg.local_store %{{.*}}, %[[VIEW:.*]] : tensor<128x64xf16, #blocked> -> !ttg.memdesc<128x64xf16, #[[$PLAIN]], #smem, mutable>
    tlx.local_store %value, %view : tensor<128x64xf16, #blocked> -> !tlx.buffer<128x64xf16>
    // CHECK: ttg.local_load %[[VIEW]]
    %loaded = tlx.local_load %view : !tlx.buffer<128x64xf16> -> tensor<128x64xf16, #blocked>
    tt.return %loaded : tensor<128x64xf16, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>

// A buffer that a branch chooses, and an operand in registers.

// CHECK-LABEL: @chosen
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @chosen(%condition: i1, %a: tensor<64x64xbf16, #blocked>, %c: tensor<64x128xf32, #blocked>) -> tensor<64x128xf32, #blocked> {
    %zero = arith.constant 0 : i32
    %first = tlx.local_alloc : !tlx.buffer<1x64x128xbf16>
    %second = tlx.local_alloc : !tlx.buffer<1x64x128xbf16>
    %firstview = tlx.local_view %first[%zero] : !tlx.buffer<1x64x128xbf16> -> !tlx.buffer<64x128xbf16>
    %secondview = tlx.local_view %second[%zero] : !tlx.buffer<1x64x128xbf16> -> !tlx.buffer<64x128xbf16>
    // CHECK: %[[B:.*]] = {{scf.if|arith.select}}
    %b = scf.if %condition -> !tlx.buffer<64x128xbf16> {
      scf.yield %firstview : !tlx.buffer<64x128xbf16>
    } else {
      scf.yield %secondview : !tlx.buffer<64x128xbf16>
    }
    // CHECK: %[[A:.*]] = ttg.convert_layout %{{.*}} -> tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    // CHECK: ttng.warp_group_dot %[[A]], %[[B]]
    %dot = tlx.async_dot %a, %b, %c : tensor<64x64xbf16, #blocked> * !tlx.buffer<64x128xbf16> -> tensor<64x128xf32, #blocked>
    %done = tlx.async_dot_wait %dot {pendings = 0 : i32} : tensor<64x128xf32, #blocked>
    tt.return %done : tensor<64x128xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// An accumulator that is scaled between the turns of an outer loop: what the
// loop yields isn't tied to the product, yet the loop's argument and result are.

// CHECK-LABEL: @scaled_between_turns
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @scaled_between_turns(%steps: i32, %zeros: tensor<64x128xf32, #blocked>, %scale: tensor<64x128xf32, #blocked>) -> tensor<64x128xf32, #blocked> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = tlx.local_alloc : !tlx.buffer<64x64xf16>
    %b = tlx.local_alloc : !tlx.buffer<64x128xf16>
    // CHECK: %[[ZEROS:.*]] = ttg.convert_layout %{{.*}} -> tensor<64x128xf32, #mma>
    // CHECK: %[[OUTER:.*]] = scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %[[ZEROS]]) -> (tensor<64x128xf32, #mma>)
    %outer = scf.for %i = %zero to %steps step %one iter_args(%carried = %zeros) -> (tensor<64x128xf32, #blocked>) : i32 {
      // CHECK: %[[INNER:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[CARRIED]]) -> (tensor<64x128xf32, #mma>)
      %inner = scf.for %j = %zero to %steps step %one iter_args(%acc = %carried) -> (tensor<64x128xf32, #blocked>) : i32 {
        // CHECK: ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[ACC]]
        %dot = tlx.async_dot %a, %b, %acc : !tlx.buffer<64x64xf16> * !tlx.buffer<64x128xf16> -> tensor<64x128xf32, #blocked>
        %waited = tlx.async_dot_wait %dot {pendings = 0 : i32} : tensor<64x128xf32, #blocked>
        scf.yield %waited : tensor<64x128xf32, #blocked>
      }
      // CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}} : tensor<64x128xf32, #blocked>
      // CHECK-NEXT: %[[YIELDED:.*]] = ttg.convert_layout %[[SCALED]] : {{.*}} -> tensor<64x128xf32, #mma>
      // CHECK-NEXT: scf.yield %[[YIELDED]]
      %scaled = arith.mulf %inner, %scale : tensor<64x128xf32, #blocked>
      scf.yield %scaled : tensor<64x128xf32, #blocked>
    }
    // CHECK: %[[RESULT:.*]] = ttg.convert_layout %[[OUTER]] : {{.*}} -> tensor<64x128xf32, #blocked>
    // CHECK-NEXT: tt.return %[[RESULT]]
    tt.return %outer : tensor<64x128xf32, #blocked>
  }

  // CHECK-LABEL: @scaled_in_condition
  tt.func @scaled_in_condition(%condition: i1, %zeros: tensor<64x128xf32, #blocked>, %scale: tensor<64x128xf32, #blocked>) -> tensor<64x128xf32, #blocked> {
    %a = tlx.local_alloc : !tlx.buffer<64x64xf16>
    %b = tlx.local_alloc : !tlx.buffer<64x128xf16>
    // CHECK: %[[RESULT:.*]] = scf.while {{.*}} : (tensor<64x128xf32, #mma>) -> tensor<64x128xf32, #mma>
    %result = scf.while (%carried = %zeros) : (tensor<64x128xf32, #blocked>) -> tensor<64x128xf32, #blocked> {
      // CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}} : tensor<64x128xf32, #blocked>
      %scaled = arith.mulf %carried, %scale : tensor<64x128xf32, #blocked>
      // CHECK-NEXT: %[[PASSED:.*]] = ttg.convert_layout %[[SCALED]] : {{.*}} -> tensor<64x128xf32, #mma>
      // CHECK-NEXT: scf.condition(%{{.*}}) %[[PASSED]]
      scf.condition(%condition) %scaled : tensor<64x128xf32, #blocked>
    } do {
    ^bb0(%acc: tensor<64x128xf32, #blocked>):
      %dot = tlx.async_dot %a, %b, %acc : !tlx.buffer<64x64xf16> * !tlx.buffer<64x128xf16> -> tensor<64x128xf32, #blocked>
      %waited = tlx.async_dot_wait %dot {pendings = 0 : i32} : tensor<64x128xf32, #blocked>
      scf.yield %waited : tensor<64x128xf32, #blocked>
    }
    // CHECK: %[[CONVERTED:.*]] = ttg.convert_layout %[[RESULT]] : {{.*}} -> tensor<64x128xf32, #blocked>
    // CHECK-NEXT: tt.return %[[CONVERTED]]
    tt.return %result : tensor<64x128xf32, #blocked>
  }
}
