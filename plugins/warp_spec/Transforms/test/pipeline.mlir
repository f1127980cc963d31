// One loop through all passes, each run on what the ones before it leave.

// RUN: %plugin_opt --pass warp_spec_plan=num-stages=3 %s | %FileCheck %s --check-prefix=PLAN
// RUN: %plugin_opt --pass warp_spec_plan=num-stages=3 --pass warp_spec_create_channels %s | %FileCheck %s --check-prefix=CHANNELS
// RUN: %plugin_opt --pass warp_spec_plan=num-stages=3 --pass warp_spec_create_channels --pass warp_spec_release_stages %s | %FileCheck %s --check-prefix=RELEASE
// RUN: %plugin_opt --pass warp_spec_plan=num-stages=3 --pass warp_spec_create_channels --pass warp_spec_release_stages --pass warp_spec_partition %s | %FileCheck %s --check-prefix=PARTITION
// RUN: %plugin_opt --pass warp_spec_plan=num-stages=3 --pass warp_spec_create_channels --pass warp_spec_release_stages --pass warp_spec_partition --pass warp_spec_lower %s | %FileCheck %s --check-prefix=LOWER

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @gemm(%a: !tt.tensordesc<64x64xf16, #shared>, %b: !tt.tensordesc<64x64xf16, #shared>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %result = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %0 = tt.descriptor_load %a[%c0, %k] : !tt.tensordesc<64x64xf16, #shared> -> tensor<64x64xf16, #blocked>
      %1 = ttg.local_alloc %0 : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %2 = tt.descriptor_load %b[%k, %c0] : !tt.tensordesc<64x64xf16, #shared> -> tensor<64x64xf16, #blocked>
      %3 = ttg.local_alloc %2 : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %4 = ttng.warp_group_dot %1, %3, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %4 : tensor<64x64xf32, #mma>
    }
    tt.return %result : tensor<64x64xf32, #mma>
  }
}

// PLAN: warp_spec.report
// PLAN-COUNT-2: tt.descriptor_load {{.*}} {warp_spec.channel = 0 : i32}
// PLAN: warp_spec.plan = {depth = 3 : i32, producer_registers = 40 : i32, producer_warps = 1 : i32}

// CHANNELS-COUNT-2: ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16
// CHANNELS: %[[CHANNEL:.*]] = warp_spec.create_channel {bytes = 16384 : i32} : <3>
// CHANNELS: scf.for
// CHANNELS: warp_spec.acquire %[[CHANNEL]]
// CHANNELS-COUNT-2: warp_spec.descriptor_copy %[[CHANNEL]]
// CHANNELS: warp_spec.publish %[[CHANNEL]]
// CHANNELS: warp_spec.receive %[[CHANNEL]]
// CHANNELS: ttng.warp_group_dot

// RELEASE: ttng.warp_group_dot
// RELEASE-NEXT: warp_spec.release %{{.*}} : <3>

// PARTITION: ttg.warp_specialize
// PARTITION: default {
// PARTITION-NOT: warp_spec.acquire
// PARTITION: warp_spec.receive
// PARTITION: partition0
// PARTITION-SAME: num_warps(1)
// PARTITION-NOT: ttng.warp_group_dot
// PARTITION: warp_spec.acquire
// PARTITION-COUNT-2: warp_spec.descriptor_copy
// PARTITION: warp_spec.publish

// LOWER-COUNT-3: ttng.init_barrier %{{.*}}, 1 :
// LOWER-COUNT-3: ttng.init_barrier %{{.*}}, 4 :
// LOWER: ttg.barrier local
// LOWER: default {
// LOWER: scf.for {{.*}} iter_args(%{{.*}}, %[[STAGE:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) ->
// LOWER: ttng.wait_barrier
// LOWER: ttng.warp_group_dot
// LOWER: mbarrier.arrive
// The ring has three stages.
// LOWER: %[[NEXT:.*]] = arith.addi %[[STAGE]], %{{.*}} : i32
// LOWER-NEXT: %[[DEPTH:.*]] = arith.constant 3 : i32
// LOWER-NEXT: arith.cmpi eq, %[[NEXT]], %[[DEPTH]] : i32
// LOWER: partition0
// LOWER: ttng.wait_barrier
// LOWER: ttng.barrier_expect %{{.*}}, 16384,
// LOWER-COUNT-2: ttng.async_tma_copy_global_to_local
// LOWER-NOT: warp_spec.{{acquire|publish|receive|release}}
