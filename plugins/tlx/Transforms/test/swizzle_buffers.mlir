// RUN: %plugin_opt --pass tlx_swizzle_buffers --split-input-file %s | %FileCheck %s

#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#operand = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 4}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

// CHECK-DAG: #[[$PLAIN:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK-DAG: #[[$SWIZZLED:.*]] = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @operand
  tt.func @operand(%index: i32, %value: tensor<128x64xf16, #blocked>) -> tensor<128x64xf16, #operand> {
    // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<2x128x64xf16, #[[$SWIZZLED]]
    %buffers = ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>
    // CHECK: ttg.memdesc_index {{.*}} -> !ttg.memdesc<128x64xf16, #[[$SWIZZLED]]
    %view = ttg.memdesc_index %buffers[%index] : !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    ttg.local_store %value, %view : tensor<128x64xf16, #blocked> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %loaded = ttg.local_load %view : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> tensor<128x64xf16, #operand>
    tt.return %loaded : tensor<128x64xf16, #operand>
  }

  // Tasks fill and read what they capture.
  // CHECK-LABEL: @captured
  tt.func @captured(%index: i32, %value: tensor<128x64xf16, #blocked>) -> tensor<128x64xf16, #operand> {
    // CHECK: %[[BUFFERS:.*]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<2x128x64xf16, #[[$SWIZZLED]]
    %buffers = ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>
    %view = ttg.memdesc_index %buffers[%index] : !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    ttg.local_store %value, %view : tensor<128x64xf16, #blocked> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %loaded = ttg.local_load %view : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> tensor<128x64xf16, #operand>
    // CHECK: ttg.warp_specialize(%[[BUFFERS]], %{{.*}})
    ttg.warp_specialize(%buffers, %index)
    default {
      ttg.warp_yield
    }
    // CHECK: partition0(%{{.*}}: !ttg.memdesc<2x128x64xf16, #[[$SWIZZLED]]
    partition0(%captured: !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>, %which: i32) num_warps(4) {
      %inner = ttg.memdesc_index %captured[%which] : !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      // CHECK: ttg.local_load {{.*}} : !ttg.memdesc<128x64xf16, #[[$SWIZZLED]], #smem, mutable> -> tensor<128x64xf16, #{{.*}}>
      %read = ttg.local_load %inner : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> tensor<128x64xf16, #operand>
      ttg.warp_return
    } : (!ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>, i32) -> ()
    tt.return %loaded : tensor<128x64xf16, #operand>
  }

  // A product of a part of a buffer reads a slice.
  // CHECK-LABEL: @slice
  tt.func @slice(%index: i32, %value: tensor<256x64xf16, #blocked>) -> tensor<128x64xf16, #operand> {
    // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<2x256x64xf16, #[[$SWIZZLED]]
    %buffers = ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<2x256x64xf16, #shared, #smem, mutable>
    %view = ttg.memdesc_index %buffers[%index] : !ttg.memdesc<2x256x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<256x64xf16, #shared, #smem, mutable>
    ttg.local_store %value, %view : tensor<256x64xf16, #blocked> -> !ttg.memdesc<256x64xf16, #shared, #smem, mutable>
    // CHECK: ttg.memdesc_subslice {{.*}} -> !ttg.memdesc<128x64xf16, #[[$SWIZZLED]], #smem, mutable, 256x64>
    %slice = ttg.memdesc_subslice %view[128, 0] : !ttg.memdesc<256x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable, 256x64>
    %loaded = ttg.local_load %slice : !ttg.memdesc<128x64xf16, #shared, #smem, mutable, 256x64> -> tensor<128x64xf16, #operand>
    tt.return %loaded : tensor<128x64xf16, #operand>
  }

  // Another reader needs another layout, so none is chosen.
  // CHECK-LABEL: @two_readers
  tt.func @two_readers(%index: i32) -> (tensor<128x64xf16, #operand>, tensor<128x64xf16, #blocked>) {
    // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<2x128x64xf16, #[[$PLAIN]]
    %buffers = ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>
    %view = ttg.memdesc_index %buffers[%index] : !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %loaded = ttg.local_load %view : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> tensor<128x64xf16, #operand>
    %other = ttg.local_load %view : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> tensor<128x64xf16, #blocked>
    tt.return %loaded, %other : tensor<128x64xf16, #operand>, tensor<128x64xf16, #blocked>
  }

  // What TLX did not allocate is not its business.
  // CHECK-LABEL: @foreign
  tt.func @foreign(%index: i32) -> tensor<128x64xf16, #operand> {
    // CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf16, #[[$PLAIN]]
    %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>
    %view = ttg.memdesc_index %buffers[%index] : !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %loaded = ttg.local_load %view : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> tensor<128x64xf16, #operand>
    tt.return %loaded : tensor<128x64xf16, #operand>
  }
}

// -----

#mfma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 32], isTransposed = true}>
#operand = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 8}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

// CHECK-DAG: #[[$PADDED:.*]] = #ttg.padded_shared<[512:+16]
// CHECK-DAG: #[[$SWIZZLED:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 8, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @filled_by_copies
  tt.func @filled_by_copies(%index: i32, %pointers: tensor<128x64x!tt.ptr<f16>, #blocked>) -> tensor<128x64xf16, #operand> {
    // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<2x128x64xf16, #[[$PADDED]]
    %buffers = ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>
    %view = ttg.memdesc_index %buffers[%index] : !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %token = ttg.async_copy_global_to_local %pointers, %view : tensor<128x64x!tt.ptr<f16>, #blocked> -> <128x64xf16, #shared, #smem, mutable>
    %loaded = ttg.local_load %view : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> tensor<128x64xf16, #operand>
    tt.return %loaded : tensor<128x64xf16, #operand>
  }

  // CHECK-LABEL: @filled_by_stores
  tt.func @filled_by_stores(%index: i32, %value: tensor<128x64xf16, #blocked>) -> tensor<128x64xf16, #operand> {
    // CHECK: ttg.local_alloc {{.*}} -> !ttg.memdesc<2x128x64xf16, #[[$SWIZZLED]]
    %buffers = ttg.local_alloc {tlx.managed} : () -> !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>
    %view = ttg.memdesc_index %buffers[%index] : !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    ttg.local_store %value, %view : tensor<128x64xf16, #blocked> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %loaded = ttg.local_load %view : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> tensor<128x64xf16, #operand>
    tt.return %loaded : tensor<128x64xf16, #operand>
  }
}
