// RUN: %plugin_opt --pass tlx_lower_tasks --split-input-file %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#row = #ttg.slice<{dim = 0, parent = #blocked}>

// What a partition uses becomes a capture, but for constants and what each warp
// makes itself. Layouts have the partition's warps, transposed ones too.
// CHECK-DAG: [[$FOUR:#.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: [[$ONE:#.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
// CHECK-DAG: [[$ONE_T:#.*]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], order = [0, 1]}>
// CHECK-LABEL: tt.func @captures
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @captures(%dst: !tt.ptr<f32>, %n: i32) {
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<32x64xf32, #blocked>
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
    %buffers = tlx.local_alloc : !tlx.buffer<2x32x64xf32>
    // CHECK: [[BUFFERS:%.*]] = tlx.local_alloc
    // CHECK-NEXT: ttng.fence_async_shared {bCluster = false}
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.warp_specialize({{.*}}) attributes {requestedRegisters = array<i32: 208, 32>}
    tlx.async_tasks {
      // CHECK-NEXT: default {
      // CHECK-NEXT: tlx.local_view [[BUFFERS]][{{.*}}]
      // CHECK: tlx.local_store {{.*}} : tensor<32x64xf32, [[$FOUR]]>
      // CHECK-NEXT: ttg.warp_yield
      tlx.async_task default {
        %view = tlx.local_view %buffers[%n] : !tlx.buffer<2x32x64xf32> -> !tlx.buffer<32x64xf32>
        tlx.local_store %zero, %view : tensor<32x64xf32, #blocked> -> !tlx.buffer<32x64xf32>
      }
      // The task with most warps comes first.
      // CHECK: partition0({{.*}}) num_warps(4)
      // CHECK: partition1([[P:%.*]]: !tt.ptr<f32>, [[N:%.*]]: i32, [[CAPTURED:%.*]]: !tlx.buffer<2x32x64xf32>) num_warps(1) {
      tlx.async_task num_warps(1) registers(25) {
        // CHECK: [[C64:%.*]] = arith.constant 64 : i32
        // CHECK: tt.make_range {{.*}} : tensor<64xi32, #ttg.slice<{dim = 0, parent = [[$ONE]]}>>
        // CHECK: arith.muli [[N]], [[C64]]
        // CHECK: tlx.local_view [[CAPTURED]]
        %offset = arith.muli %n, %c64 : i32
        %view = tlx.local_view %buffers[%offset] : !tlx.buffer<2x32x64xf32> -> !tlx.buffer<32x64xf32>
        %tile = tlx.local_load %view : !tlx.buffer<32x64xf32> -> tensor<32x64xf32, #blocked>
        // CHECK: tt.trans {{.*}} : tensor<32x64xf32, [[$ONE]]> -> tensor<64x32xf32, [[$ONE_T]]>
        %t = tt.trans %tile {order = array<i32: 1, 0>} : tensor<32x64xf32, #blocked> -> tensor<64x32xf32, #blocked1>
        // CHECK: tt.splat [[P]]
        %pointers = tt.splat %dst : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #row>
        %to = tt.addptr %pointers, %range : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
        %sum = "tt.reduce"(%tile) <{axis = 0 : i32}> ({
        ^bb0(%a: f32, %b: f32):
          %add = arith.addf %a, %b : f32
          tt.reduce.return %add : f32
        }) : (tensor<32x64xf32, #blocked>) -> tensor<64xf32, #row>
        tt.store %to, %sum : tensor<64x!tt.ptr<f32>, #row>
      }
      tlx.async_task num_warps(4) registers(208) {
        %replica = tlx.task_replica
        %to = tt.addptr %dst, %replica : !tt.ptr<f32>, i32
        %value = arith.constant 1.000000e+00 : f32
        tt.store %to, %value : !tt.ptr<f32>
      } {replica = 3 : i32}
    }
    tt.return
  }
}

// -----

// Tasks that are all default leave nothing to specialize; a replica is a number.
// CHECK-LABEL: tt.func @default_only
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @default_only(%dst: !tt.ptr<i32>) {
    // CHECK-NEXT: [[REPLICA:%.*]] = arith.constant 0 : i32
    // CHECK-NEXT: tt.store %{{.*}}, [[REPLICA]]
    // CHECK-NEXT: tt.return
    tlx.async_tasks {
      tlx.async_task default {
        %replica = tlx.task_replica
        tt.store %dst, %replica : !tt.ptr<i32>
      }
    }
    tt.return
  }
}

// -----

// Without a default task its warps wait. What stands between tasks and has no
// effect runs before them.
// CHECK-LABEL: tt.func @no_default
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @no_default(%dst: !tt.ptr<i32>, %n: i32) {
    // CHECK-NEXT: [[TWICE:%.*]] = arith.addi
    // CHECK-NEXT: ttg.warp_specialize(%{{.*}}, [[TWICE]])
    // CHECK-NEXT: default {
    // CHECK-NEXT: ttg.warp_yield
    tlx.async_tasks {
      %twice = arith.addi %n, %n : i32
      tlx.async_task num_warps(2) first_warp(4) {
        tt.store %dst, %twice : !tt.ptr<i32>
      }
    }
    tt.return
  }
}

// -----

#four = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#reshaped = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>

// What a reshape makes is laid out as its operand says, and converted.
// CHECK-LABEL: tt.func @reshape
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @reshape(%src: !tt.ptr<f32>) {
    tlx.async_tasks {
      tlx.async_task num_warps(8) {
        // CHECK: [[R:%.*]] = tt.reshape
        // CHECK-NEXT: ttg.convert_layout [[R]]
        %pointers = tt.splat %src : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #four>
        %values = tt.load %pointers : tensor<512x!tt.ptr<f32>, #four>
        %tile = tt.reshape %values : tensor<512xf32, #four> -> tensor<64x8xf32, #reshaped>
        %same = ttg.convert_layout %tile : tensor<64x8xf32, #reshaped> -> tensor<64x8xf32, #blocked>
        %p = tt.splat %src : !tt.ptr<f32> -> tensor<64x8x!tt.ptr<f32>, #blocked>
        tt.store %p, %same : tensor<64x8x!tt.ptr<f32>, #blocked>
      }
    }
    tt.return
  }
}
