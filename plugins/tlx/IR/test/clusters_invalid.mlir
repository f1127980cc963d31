// RUN: %plugin_opt --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: error: 'tlx.cluster_barrier' op stands in a task, but all warps of the cluster take part
tt.func @task() {
  tlx.async_tasks {
    tlx.async_task num_warps(4) {
      tlx.cluster_barrier
    }
  }
  tt.return
}

// -----

// CHECK: error: 'tlx.remote_arrive' op arrives 0 times; the number must be 1 to 1048575
tt.func @no_arrival(%barrier: !tlx.buffer<1xi64>, %rank: i32) {
  tlx.remote_arrive %barrier at %rank, 0 : !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.remote_arrive' op arrives 1048576 times; the number must be 1 to 1048575
tt.func @many_arrivals(%barrier: !tlx.buffer<1xi64>, %rank: i32) {
  tlx.remote_arrive %barrier at %rank, 1048576 : !tlx.buffer<1xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.remote_arrive' op operand #0 must be one barrier of tlx.alloc_barriers or memory descriptor type
tt.func @no_barrier(%buffer: !tlx.buffer<8xi64>, %rank: i32) {
  tlx.remote_arrive %buffer at %rank, 1 : !tlx.buffer<8xi64>
  tt.return
}

// -----

// CHECK: error: 'tlx.remote_store' op moves a tensor of shape [64], but the buffer's shape is [32]
tt.func @shape(%buffer: !tlx.buffer<32xf16>, %tile: tensor<64xf16>, %rank: i32) {
  tlx.remote_store %tile, %buffer at %rank : tensor<64xf16> -> !tlx.buffer<32xf16>
  tt.return
}

// -----

// CHECK: error: 'tlx.remote_load' op moves elements of 'f32', but the buffer holds 'f16'
tt.func @element(%buffer: !tlx.buffer<32xf16>, %rank: i32) {
  %tile = tlx.remote_load %buffer at %rank : !tlx.buffer<32xf16> -> tensor<32xf32>
  tt.return
}
