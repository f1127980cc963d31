// RUN: %plugin_opt --pass tlx_lower --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: has 1024 bytes, but what shares it needs 16384
// CHECK: 8192 bytes a buffer
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @too_small() {
    %storage = tlx.storage_alias_spec {size = 1024 : i64}
    %a = tlx.local_alloc reuse %storage : !tlx.buffer<2x64x64xf16> reuse !tlx.storage
    tt.return
  }
}

// -----

// CHECK: takes memory of a storage whose overlap does not name it; add it to a reuse_group
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @forgotten() {
    %storage = tlx.storage_alias_spec
    %a = tlx.local_alloc reuse %storage : !tlx.buffer<2x64xf16> reuse !tlx.storage
    %b = tlx.local_alloc reuse %storage : !tlx.buffer<2x64xf16> reuse !tlx.storage
    tlx.set_buffer_overlap %storage, %a {groups = {kind = "shared", size = 1 : i64, members = [0]}} : !tlx.buffer<2x64xf16>
    tt.return
  }
}

// -----

// CHECK: has 3 buffers, of which groups of 2 share memory; the number must be a multiple of it
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @odd() {
    %storage = tlx.storage_alias_spec
    %a = tlx.local_alloc reuse %storage : !tlx.buffer<3x64xf16> reuse !tlx.storage
    tlx.set_buffer_overlap %storage, %a {groups = {kind = "shared", size = 2 : i64, members = [0]}} : !tlx.buffer<3x64xf16>
    tt.return
  }
}
