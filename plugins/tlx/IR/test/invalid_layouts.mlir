// RUN: %plugin_opt --split-input-file --expect-failure %s | %FileCheck %s

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// CHECK: asks for {{.*}}, which is no layout of registers
tt.func @shared(%x: tensor<32x32xf32>) {
  %y = tlx.require_layout %x {layout = #shared} : tensor<32x32xf32>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// CHECK: of a tensor with 2 dimensions
tt.func @rank(%x: tensor<32x32xf32>) {
  %y = tlx.require_layout %x {layout = #blocked} : tensor<32x32xf32>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// CHECK: has the layout {{.*}}, which is none of shared memory
tt.func @registers() {
  %buffers = tlx.local_alloc {layout = #blocked} : !tlx.buffer<2x32xf32>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// CHECK: of 2 dimensions, but one buffer has 1
tt.func @vector() {
  %buffers = tlx.local_alloc {layout = #shared} : !tlx.buffer<2x32xf32>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>

// CHECK: of 1 dimensions, but one buffer has 3
tt.func @reinterpreted(%buffer: !tlx.buffer<32x32xf32>) {
  %same = tlx.local_reinterpret %buffer {layout = #shared} : !tlx.buffer<32x32xf32> -> !tlx.buffer<8x4x32xf32>
  tt.return
}
