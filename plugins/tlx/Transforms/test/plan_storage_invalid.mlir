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

// -----

// CHECK: sets the overlap of a storage a second time; name all of its buffers in one call
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @twice() {
    %storage = tlx.storage_alias_spec
    %a = tlx.local_alloc reuse %storage : !tlx.buffer<2x64xf16> reuse !tlx.storage
    tlx.set_buffer_overlap %storage, %a {groups = {kind = "shared", size = 1 : i64, members = [0]}} : !tlx.buffer<2x64xf16>
    tlx.set_buffer_overlap %storage, %a {groups = {kind = "distinct", size = 1 : i64, members = [0]}} : !tlx.buffer<2x64xf16>
    tt.return
  }
}

// -----

// CHECK: uses all buffers of an allocation that set_buffer_overlap spreads over a storage; take one with tlx.local_view first
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @all_of_them() {
    %storage = tlx.storage_alias_spec
    %a = tlx.local_alloc reuse %storage : !tlx.buffer<2x64xf16> reuse !tlx.storage
    tlx.set_buffer_overlap %storage, %a {groups = {kind = "shared", size = 1 : i64, members = [0]}} : !tlx.buffer<2x64xf16>
    %words = tlx.local_reinterpret %a : !tlx.buffer<2x64xf16> -> !tlx.buffer<2x32xf32>
    tt.return
  }
}

// -----

// CHECK: reuses a buffer that may be one of several allocations; name the allocation itself
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @one_of_several(%c: i1) {
    %a = tlx.local_alloc : !tlx.buffer<2x64xf16>
    %b = tlx.local_alloc : !tlx.buffer<2x64xf16>
    %either = scf.if %c -> !tlx.buffer<2x64xf16> {
      scf.yield %a : !tlx.buffer<2x64xf16>
    } else {
      scf.yield %b : !tlx.buffer<2x64xf16>
    }
    %same = tlx.local_alloc reuse %either : !tlx.buffer<2x64xf16> reuse !tlx.buffer<2x64xf16>
    tt.return
  }
}
