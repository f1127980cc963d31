// RUN: %plugin_opt --pass tlx_legalize_async_copy --split-input-file %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Nothing is known about the pointers: 2 bytes each.
  // CHECK-LABEL: @narrow
  tt.func @narrow(%pointers: tensor<64x64x!tt.ptr<f16>, #blocked>, %mask: tensor<64x64xi1, #blocked>, %buffer: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // A copy fills masked elements with zeros, so the load must.
    // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf16, #blocked>
    // CHECK: %[[VALUE:.*]] = tt.load %{{.*}}, %{{.*}}, %[[ZERO]]
    // CHECK: ttg.local_store %[[VALUE]]
    // CHECK-NOT: async_copy
    %token = ttg.async_copy_global_to_local %pointers, %buffer mask %mask : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    // CHECK: ttg.async_commit_group
    %group = ttg.async_commit_group
    tt.return
  }

  // CHECK-LABEL: @wide
  tt.func @wide(%pointers: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %buffer: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // CHECK: ttg.async_copy_global_to_local
    // CHECK-NOT: tt.load
    %token = ttg.async_copy_global_to_local %pointers, %buffer : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    tt.return
  }

  // One element of 4 bytes is wide enough.
  // CHECK-LABEL: @four_bytes
  tt.func @four_bytes(%pointers: tensor<64x64x!tt.ptr<f32>, #blocked>, %buffer: !ttg.memdesc<64x64xf32, #shared, #smem, mutable>) {
    // CHECK: ttg.async_copy_global_to_local
    %token = ttg.async_copy_global_to_local %pointers, %buffer : tensor<64x64x!tt.ptr<f32>, #blocked> -> <64x64xf32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

// gfx942 has no useful direct load to LDS.
// CHECK-LABEL: @gfx942
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @gfx942(%pointers: tensor<64x64x!tt.ptr<f32>, #blocked>, %buffer: !ttg.memdesc<64x64xf32, #shared, #smem, mutable>) {
    // CHECK: tt.load
    // CHECK: ttg.local_store
    // CHECK-NOT: async_copy
    %token = ttg.async_copy_global_to_local %pointers, %buffer : tensor<64x64x!tt.ptr<f32>, #blocked> -> <64x64xf32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

// A direct load to LDS leaves masked elements as they were.
// CHECK-LABEL: @gfx950
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @gfx950(%pointers: tensor<64x64x!tt.ptr<f32>, #blocked>, %mask: tensor<64x64xi1, #blocked>, %buffer: !ttg.memdesc<64x64xf32, #shared, #smem, mutable>) {
    // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #blocked>
    // CHECK: ttg.async_copy_global_to_local {{.*}} other %[[ZERO]]
    %token = ttg.async_copy_global_to_local %pointers, %buffer mask %mask : tensor<64x64x!tt.ptr<f32>, #blocked> -> <64x64xf32, #shared, #smem, mutable>
    tt.return
  }

  // 128 bytes are not what the 64 lanes of a wave write.
  // CHECK-LABEL: @small
  tt.func @small(%pointers: tensor<4x8x!tt.ptr<f32>, #blocked>, %buffer: !ttg.memdesc<4x8xf32, #shared, #smem, mutable>) {
    // CHECK: tt.load
    // CHECK-NOT: async_copy
    %token = ttg.async_copy_global_to_local %pointers, %buffer : tensor<4x8x!tt.ptr<f32>, #blocked> -> <4x8xf32, #shared, #smem, mutable>
    tt.return
  }
}
