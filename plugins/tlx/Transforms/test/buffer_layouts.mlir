// RUN: %plugin_opt --pass tlx_lower --split-input-file %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// Both ways to see a buffer are one layout of one memory; a product through a
// transposed view makes its layout the one that wgmma reads.

// CHECK-DAG: #[[$ROWS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[$COLUMNS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-LABEL: @transposed
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @transposed(%i: i32, %c: tensor<64x128xf32, #blocked>) {
    // CHECK: %[[K:.*]] = ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<2x128x64xf16, #[[$ROWS]], #smem, mutable>
    %q = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
    %k = tlx.local_alloc : !tlx.buffer<2x128x64xf16>
    %zero = arith.constant 0 : i32
    %a = tlx.local_view %q[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
    %view = tlx.local_view %k[%i] : !tlx.buffer<2x128x64xf16> -> !tlx.buffer<128x64xf16>
    // CHECK: ttg.memdesc_trans %{{.*}} {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #[[$ROWS]], #smem, mutable> -> !ttg.memdesc<64x128xf16, #[[$COLUMNS]], #smem, mutable>
    %b = tlx.local_trans %view {order = array<i32: 1, 0>} : !tlx.buffer<128x64xf16> -> !tlx.buffer<64x128xf16>
    %dot = tlx.async_dot %a, %b, %c : !tlx.buffer<64x64xf16> * !tlx.buffer<64x128xf16> -> tensor<64x128xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// 8-bit operands have K contiguous: the buffer is allocated so.

// CHECK-DAG: #[[$ROWS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
// CHECK-DAG: #[[$COLUMNS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
// CHECK-LABEL: @k_contiguous
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @k_contiguous(%i: i32, %c: tensor<64x128xi32, #blocked>) {
    // CHECK: ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<2x64x64xi8, #[[$ROWS]], #smem, mutable>
    // CHECK: ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<2x64x128xi8, #[[$COLUMNS]], #smem, mutable>
    %as = tlx.local_alloc : !tlx.buffer<2x64x64xi8>
    %bs = tlx.local_alloc : !tlx.buffer<2x64x128xi8>
    %a = tlx.local_view %as[%i] : !tlx.buffer<2x64x64xi8> -> !tlx.buffer<64x64xi8>
    %b = tlx.local_view %bs[%i] : !tlx.buffer<2x64x128xi8> -> !tlx.buffer<64x128xi8>
    %dot = tlx.async_dot %a, %b, %c : !tlx.buffer<64x64xi8> * !tlx.buffer<64x128xi8> -> tensor<64x128xi32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// A slice has the layout of its buffer, and a reinterpreted buffer its swizzle;
// a vector has the memory's order. What is given a layout has that one.

// CHECK-DAG: #[[$HALVES:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[$WORDS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
// CHECK-DAG: #[[$VECTOR:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// CHECK-DAG: #[[$PLAIN:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK-LABEL: @parts
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @parts(%i: i32, %c: tensor<64x128xf32, #blocked>, %p: tensor<64x64xf16, #blocked>) {
    %bs = tlx.local_alloc : !tlx.buffer<2x64x256xf16>
    %view = tlx.local_view %bs[%i] : !tlx.buffer<2x64x256xf16> -> !tlx.buffer<64x256xf16>
    // CHECK: ttg.memdesc_subslice %{{.*}}[0, 128] : {{.*}} -> !ttg.memdesc<64x128xf16, #[[$HALVES]], #smem, mutable, 64x256>
    %half = tlx.local_slice %view [0, 128] : !tlx.buffer<64x256xf16> -> !tlx.buffer<64x128xf16>
    %dot = tlx.async_dot %p, %half, %c : tensor<64x64xf16, #blocked> * !tlx.buffer<64x128xf16> -> tensor<64x128xf32, #blocked>
    // CHECK: ttg.memdesc_reinterpret %{{.*}} -> !ttg.memdesc<2x64x128xf32, #[[$WORDS]], #smem, mutable>
    %words = tlx.local_reinterpret %bs : !tlx.buffer<2x64x256xf16> -> !tlx.buffer<2x64x128xf32>
    // CHECK: ttg.memdesc_reinterpret %{{.*}} -> !ttg.memdesc<8192xi32, #[[$VECTOR]], #smem, mutable>
    %vector = tlx.local_reinterpret %view : !tlx.buffer<64x256xf16> -> !tlx.buffer<8192xi32>
    // CHECK: ttg.memdesc_reinterpret %{{.*}} -> !ttg.memdesc<64x128xf32, #[[$PLAIN]], #smem, mutable>
    %plain = tlx.local_reinterpret %view {layout = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>} : !tlx.buffer<64x256xf16> -> !tlx.buffer<64x128xf32>
    tt.return
  }
}
