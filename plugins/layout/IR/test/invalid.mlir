// RUN: %plugin_opt --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: 'layout.pin' op has neither a layout nor a tensor to take one from
tt.func @no_layout(%x: tensor<64xf16>) {
  %0 = layout.pin %x : tensor<64xf16> -> tensor<64xf16>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK: 'layout.pin' op has a layout and a tensor to take one from; give one of the two
tt.func @two_layouts(%x: tensor<64xf16>) {
  %0 = layout.pin %x like %x : tensor<64xf16> {layout = #blocked} : tensor<64xf16> -> tensor<64xf16>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK: 'layout.convert' op needs a layout of rank 2 for a tensor of shape [64, 64], but got #ttg.blocked
tt.func @other_rank(%x: tensor<64x64xf16>) {
  %0 = layout.convert %x {layout = #blocked} : tensor<64x64xf16> -> tensor<64x64xf16>
  tt.return
}

// -----

// CHECK: 'layout.assert_trivial' op takes the layout of a tensor of rank 1 for a tensor of rank 2
tt.func @other_rank_of_tensor(%x: tensor<64x64xf16>, %y: tensor<64xf16>) {
  %0 = layout.assert_trivial %x like %y : tensor<64xf16> : tensor<64x64xf16> -> tensor<64x64xf16>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// CHECK: 'layout.pin' op needs a layout of registers, but got #ttg.swizzled_shared
tt.func @shared(%x: tensor<64xf16>) {
  %0 = layout.pin %x {layout = #shared} : tensor<64xf16> -> tensor<64xf16>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// CHECK: 'layout.convert' op names a layout of shared memory, but goes via shuffle
tt.func @shared_way(%x: tensor<64xf16>) {
  %0 = layout.convert %x via shuffle {layout = #blocked, shared = #shared} : tensor<64xf16> -> tensor<64xf16>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK: 'layout.convert' op needs a layout of shared memory to go through, but got #ttg.blocked
tt.func @registers_as_memory(%x: tensor<64xf16>) {
  %0 = layout.convert %x via shared {layout = #blocked, shared = #blocked} : tensor<64xf16> -> tensor<64xf16>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK: 'layout.pin' op makes 'tensor<32xf16>' of 'tensor<64xf16>'
tt.func @other_shape(%x: tensor<64xf16>) {
  %0 = layout.pin %x {layout = #blocked} : tensor<64xf16> -> tensor<32xf16>
  tt.return
}
