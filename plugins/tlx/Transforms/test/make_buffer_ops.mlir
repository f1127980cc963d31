// RUN: %plugin_opt --pass tlx_make_buffer_ops %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @marked
  // CHECK-SAME: %[[POINTER:[a-z0-9]+]]: !tt.ptr<f32>, %[[OFFSETS:[a-z0-9]+]]: tensor<1024xi32, #blocked>, %[[MASK:[a-z0-9]+]]: tensor<1024xi1, #blocked>
  tt.func @marked(%base: !tt.ptr<f32>, %offsets: tensor<1024xi32, #blocked>, %mask: tensor<1024xi1, #blocked>, %buffer: !ttg.memdesc<1024xf32, #shared, #smem, mutable>) {
    %one = arith.constant dense<1.0> : tensor<1024xf32, #blocked>
    %zero = arith.constant dense<0.0> : tensor<1024xf32, #blocked>
    %splat = tt.splat %base : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %pointers = tt.addptr %splat, %offsets {tlx.buffer} : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    // CHECK: %[[NUMBER:.*]] = tt.ptr_to_int %[[POINTER]]
    // CHECK: %[[BASE:.*]] = tt.int_to_ptr %[[NUMBER]]
    // CHECK: %[[VALUE:.*]] = amdg.buffer_load %[[BASE]][%[[OFFSETS]]], %[[MASK]], %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = cg,
    %value = tt.load %pointers, %mask, %one {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : tensor<1024x!tt.ptr<f32>, #blocked>
    // The descriptor gives zeros for what is masked off.
    // CHECK: amdg.buffer_load_to_local %{{.*}}[%[[OFFSETS]]] mask = %[[MASK]] into
    %token = ttg.async_copy_global_to_local %pointers, %buffer mask %mask other %zero : tensor<1024x!tt.ptr<f32>, #blocked> -> <1024xf32, #shared, #smem, mutable>
    // CHECK: amdg.buffer_store %[[VALUE]], %{{.*}}[%[[OFFSETS]]], %[[MASK]]
    tt.store %pointers, %value, %mask : tensor<1024x!tt.ptr<f32>, #blocked>
    // CHECK: amdg.buffer_atomic_rmw fadd, relaxed, gpu, %[[VALUE]], %{{.*}}[%[[OFFSETS]]]
    %old = tt.atomic_rmw fadd, relaxed, gpu, %pointers, %value : (tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xf32, #blocked>) -> tensor<1024xf32, #blocked>
    tt.return
  }

  // CHECK-LABEL: @unmarked
  tt.func @unmarked(%base: !tt.ptr<f32>, %offsets: tensor<1024xi32, #blocked>) -> tensor<1024xf32, #blocked> {
    %splat = tt.splat %base : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %pointers = tt.addptr %splat, %offsets : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    // CHECK: tt.load
    %value = tt.load %pointers : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return %value : tensor<1024xf32, #blocked>
  }
}
