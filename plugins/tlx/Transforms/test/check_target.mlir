// RUN: %plugin_opt --pass tlx_check_target --split-input-file --expect-failure %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 64], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK: async_dot needs wgmma, which sm_90a has and gfx942 has not; use tl.dot on tlx.local_load there
module attributes {ttg.target = "hip:gfx942", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @product(%a: !tlx.buffer<64x64xf16>, %b: !tlx.buffer<64x128xf16>, %c: tensor<64x128xf32, #blocked>) {
    %dot = tlx.async_dot %a, %b, %c : !tlx.buffer<64x64xf16> * !tlx.buffer<64x128xf16> -> tensor<64x128xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK: async_dot needs wgmma, which sm_90a has and sm_89 has not
module attributes {ttg.target = "cuda:89", "ttg.num-warps" = 4 : i32} {
  tt.func @earlier_product(%a: !tlx.buffer<64x64xf16>, %b: !tlx.buffer<64x128xf16>, %c: tensor<64x128xf32, #blocked>) {
    %dot = tlx.async_dot %a, %b, %c : !tlx.buffer<64x64xf16> * !tlx.buffer<64x128xf16> -> tensor<64x128xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

// Later GPUs have other products.
// CHECK: async_dot needs wgmma, which sm_90a has and sm_100 has not
module attributes {ttg.target = "cuda:100", "ttg.num-warps" = 4 : i32} {
  tt.func @later_product(%a: !tlx.buffer<64x64xf16>, %b: !tlx.buffer<64x128xf16>, %c: tensor<64x128xf32, #blocked>) {
    %dot = tlx.async_dot %a, %b, %c : !tlx.buffer<64x64xf16> * !tlx.buffer<64x128xf16> -> tensor<64x128xf32, #blocked>
    tt.return
  }
}

// -----

// CHECK: alloc_barriers needs barriers in memory, which sm_80 has and gfx950 has not; wait for groups of copies (async_load_wait_group), or let halves of a block's waves alternate (warp_pipeline_stage)
module attributes {ttg.target = "hip:gfx950"} {
  tt.func @barriers() {
    %bars = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
    tt.return
  }
}

// -----

// CHECK: arrivals of warps (alloc_warp_barrier) need elect.sync, which sm_90 has and sm_80 has not; use alloc_barriers there
module attributes {ttg.target = "cuda:80"} {
  tt.func @warps(%bar: !tlx.buffer<1xi64>) {
    tlx.barrier_arrive %bar, 1 {warps = 4 : i32} : !tlx.buffer<1xi64>
    tt.return
  }
}

// -----

// CHECK: barrier_expect_bytes needs barriers that count bytes, which sm_90 has and sm_86 has not; copy with async_load, wait with async_load_wait_group and use barrier_arrive there
module attributes {ttg.target = "cuda:86"} {
  tt.func @bytes(%bar: !tlx.buffer<1xi64>) {
    tlx.barrier_expect %bar, 128 : !tlx.buffer<1xi64>
    tt.return
  }
}

// -----

// CHECK: fence_async_shared needs the asynchronous proxy, which sm_90 has and sm_80 has not; leave it out there, where no copy or product reads shared memory past the threads
module attributes {ttg.target = "cuda:80"} {
  tt.func @fence() {
    tlx.fence_async_shared
    tt.return
  }
}

// -----

// CHECK: async_tasks needs hardware barriers of some of a block's warps, which sm_80 has and gfx950 has not; overlap the stages of a loop with tlx.warp_pipeline_stage
module attributes {ttg.target = "hip:gfx950"} {
  tt.func @tasks() {
    tlx.async_tasks {
      tlx.async_task num_warps(4) {
      }
    }
    tt.return
  }
}

// -----

// CHECK: async_task(registers=) needs setmaxnreg, which sm_90a has and sm_80 has not; leave registers out there
module attributes {ttg.target = "cuda:80"} {
  tt.func @registers() {
    tlx.async_tasks {
      tlx.async_task num_warps(4) registers(120) {
      }
    }
    tt.return
  }
}

// -----

// CHECK: this needs clusters of blocks, which sm_90 has and sm_80 has not; let each block work alone there
module attributes {ttg.target = "cuda:80"} {
  tt.func @clusters() {
    tlx.cluster_barrier
    tt.return
  }
}

// -----

// CHECK: this needs clusters of blocks, which sm_90 has and sm_80 has not
module attributes {ttg.target = "cuda:80"} {
  tt.func @cluster_fence() {
    tlx.fence_mbarrier_init_cluster
    tt.return
  }
}

// -----

// CHECK: this needs clusters of blocks, which sm_90 has and sm_80 has not
module attributes {ttg.target = "cuda:80"} {
  tt.func @remote_arrive(%bar: !tlx.buffer<1xi64>, %rank: i32) {
    tlx.remote_arrive %bar at %rank, 1 : !tlx.buffer<1xi64>
    tt.return
  }
}

// -----

// CHECK: this needs clusters of blocks, which sm_90 has and sm_80 has not
module attributes {ttg.target = "cuda:80"} {
  tt.func @remote_store(%buf: !tlx.buffer<64xf16>, %tile: tensor<64xf16>, %rank: i32) {
    tlx.remote_store %tile, %buf at %rank : tensor<64xf16> -> !tlx.buffer<64xf16>
    tt.return
  }
}

// -----

// CHECK: this needs clusters of blocks, which sm_90 has and sm_80 has not
module attributes {ttg.target = "cuda:80"} {
  tt.func @remote_load(%buf: !tlx.buffer<64xf16>, %rank: i32) {
    %0 = tlx.remote_load %buf at %rank : !tlx.buffer<64xf16> -> tensor<64xf16>
    tt.return
  }
}
