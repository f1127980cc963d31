// RUN: %plugin_opt --pass layout_report %s | %FileCheck %s

#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @kernel(%x: tensor<64x64xf32, #row>, %ptr: tensor<64x64x!tt.ptr<f32>, #column>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK: "bytes": 16384
      // CHECK: "element": "f32"
      // CHECK: "from": "#ttg.blocked<{sizePerThread = [1, 4]
      // CHECK: "line": "{{.*}}report.mlir:[[#@LINE + 10]]"
      // CHECK: "bank_conflicts": 0
      // CHECK: "instruction": "ld.shared"
      // CHECK: "instructions": 8
      // CHECK: "vector_bits": 128
      // CHECK: "loop_depth": 1
      // CHECK: "op": "ttg.convert_layout"
      // CHECK: "scratch_bytes": 16384
      // CHECK: "to": "#ttg.blocked<{sizePerThread = [4, 1]
      // CHECK: "way": "shared"
      %0 = ttg.convert_layout %x : tensor<64x64xf32, #row> -> tensor<64x64xf32, #column>
      tt.store %ptr, %0 : tensor<64x64x!tt.ptr<f32>, #column>
    }
    // A buffer that is filled from registers and read back, without swizzling.
    // CHECK: "bank_conflicts": {{[1-9]}}
    // CHECK: "op": "ttg.local_load"
    %buffer = ttg.local_alloc %x : (tensor<64x64xf32, #row>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    %1 = ttg.local_load %buffer : !ttg.memdesc<64x64xf32, #shared, #smem> -> tensor<64x64xf32, #column>
    tt.store %ptr, %1 : tensor<64x64x!tt.ptr<f32>, #column>
    tt.return
  }
}

// CHECK: "layouts"
// CHECK: "lane"
// CHECK: "target": "cuda:90"
// The module follows as it was.
// CHECK: tt.func @kernel
