// RUN: %plugin_opt --pass tlx_lower %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#wanted = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>

// CHECK-DAG: #[[$WANTED:.*]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: #[[$PADDED:.*]] = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [32, 32]}>
// CHECK-LABEL: @named
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @named(%x: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked> {
    // CHECK: %[[THERE:.*]] = ttg.convert_layout %{{.*}} : {{.*}} -> tensor<32x32xf32, #[[$WANTED]]>
    // CHECK: %[[BACK:.*]] = ttg.convert_layout %[[THERE]]
    %y = tlx.require_layout %x {layout = #wanted} : tensor<32x32xf32, #blocked>
    // A layout that the kernel gives is not TLX's to change.
    // CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x32x32xf32, #[[$PADDED]], #smem, mutable>
    %buffers = tlx.local_alloc {layout = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [32, 32]}>} : !tlx.buffer<2x32x32xf32>
    // CHECK: tt.return %[[BACK]]
    tt.return %y : tensor<32x32xf32, #blocked>
  }

  // A pinned layout stays between conversions that stock passes cannot fold.
  // CHECK-LABEL: @pinned
  tt.func @pinned(%x: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked> {
    // CHECK: %[[THERE:.*]] = ttg.convert_layout
    // CHECK: %[[HELD:.*]] = tlx.require_layout %[[THERE]] {layout = #[[$WANTED]], pin} : tensor<32x32xf32, #[[$WANTED]]>
    // CHECK: ttg.convert_layout %[[HELD]]
    %y = tlx.require_layout %x {layout = #wanted, pin} : tensor<32x32xf32, #blocked>
    // CHECK: tlx.observe_layout %[[HELD]], 0 {layout = #[[$WANTED]]} : tensor<32x32xf32, #[[$WANTED]]>
    tlx.assert_same_layout %y {layout = #wanted} : tensor<32x32xf32, #blocked>
    tt.return %y : tensor<32x32xf32, #blocked>
  }

  // Tensors are observed by ops that stock passes lay out as they do the
  // tensors, and buffers by the op itself.
  // CHECK-LABEL: @asserted
  // CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<{{[^%]*}}, %[[Y:[a-z0-9]*]]: tensor
  tt.func @asserted(%x: tensor<32x32xf32, #blocked>, %y: tensor<32x32xf32, #blocked>) {
    // CHECK: tlx.observe_layout %[[X]], 0 :
    // CHECK: tlx.observe_layout %[[Y]], 0 :
    tlx.assert_same_layout %x as %y : tensor<32x32xf32, #blocked> as tensor<32x32xf32, #blocked>
    // CHECK: tlx.observe_layout %[[X]], 1 {layout = #[[$WANTED]]} :
    tlx.assert_same_layout %x {layout = #wanted} : tensor<32x32xf32, #blocked>
    // CHECK: tlx.assert_same_layout %{{.*}} {layout = #{{.*}}} : !ttg.memdesc<2x32x32xf32
    %buffers = tlx.local_alloc : !tlx.buffer<2x32x32xf32>
    tlx.assert_same_layout %buffers {layout = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>} : !tlx.buffer<2x32x32xf32>
    tt.return
  }
}
