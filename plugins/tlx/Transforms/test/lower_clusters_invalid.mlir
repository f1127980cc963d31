// RUN: %plugin_opt --split-input-file --expect-failure --pass tlx_lower %s | %FileCheck %s

// CHECK: error: names block 2 of the cluster, which has 2 (num_ctas), numbered from 0
module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @rank() {
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %barriers = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
    %barrier = tlx.local_view %barriers[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
    tlx.remote_arrive %barrier at %two, 1 : !tlx.buffer<1xi64>
    tt.return
  }
}

// -----

// CHECK: error: copies to blocks of a cluster, but the kernel has none; launch it with num_ctas=2 or more
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @alone(%descriptor: !tt.tensordesc<64x64xf16>) {
    %zero = arith.constant 0 : i32
    %buffers = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
    %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
    %barriers = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
    %barrier = tlx.local_view %barriers[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
    tlx.async_descriptor_load %descriptor[%zero, %zero], %buffer, %barrier to [%zero] : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    tt.return
  }
}

// -----

// CHECK: error: names block 2 of the cluster
module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @copy(%descriptor: !tt.tensordesc<64x64xf16>) {
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %buffers = tlx.local_alloc : !tlx.buffer<1x64x64xf16>
    %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<1x64x64xf16> -> !tlx.buffer<64x64xf16>
    %barriers = tlx.alloc_barriers 1 : !tlx.buffer<1x1xi64>
    %barrier = tlx.local_view %barriers[%zero] : !tlx.buffer<1x1xi64> -> !tlx.buffer<1xi64>
    tlx.async_descriptor_load %descriptor[%zero, %zero], %buffer, %barrier to [%zero, %two] : !tt.tensordesc<64x64xf16> -> !tlx.buffer<64x64xf16>, !tlx.buffer<1xi64>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// CHECK: error: names block -1 of the cluster
module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @store(%tile: tensor<128xf16, #blocked>) {
    %zero = arith.constant 0 : i32
    %rank = arith.constant -1 : i32
    %buffers = tlx.local_alloc : !tlx.buffer<1x128xf16>
    %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<1x128xf16> -> !tlx.buffer<128xf16>
    tlx.remote_store %tile, %buffer at %rank : tensor<128xf16, #blocked> -> !tlx.buffer<128xf16>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// CHECK: error: names block 3 of the cluster
module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @load() {
    %zero = arith.constant 0 : i32
    %rank = arith.constant 3 : i32
    %buffers = tlx.local_alloc : !tlx.buffer<1x128xf16>
    %buffer = tlx.local_view %buffers[%zero] : !tlx.buffer<1x128xf16> -> !tlx.buffer<128xf16>
    %tile = tlx.remote_load %buffer at %rank : !tlx.buffer<128xf16> -> tensor<128xf16, #blocked>
    tt.return
  }
}
