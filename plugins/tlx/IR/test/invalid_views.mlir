// RUN: %plugin_opt --split-input-file --expect-failure %s | %FileCheck %s

// Views that cannot be.

// CHECK: takes elements 64 to 192 of dimension 0, which has 128
tt.func @outside(%buffer: !tlx.buffer<128x64xf16>) {
  %slice = tlx.local_slice %buffer [64, 0] : !tlx.buffer<128x64xf16> -> !tlx.buffer<128x64xf16>
  tt.return
}

// -----

// CHECK: takes elements 32 to 96 of dimension 0; a slice must have a power of two as its size and begin at a multiple of it
tt.func @askew(%buffer: !tlx.buffer<128x64xf16>) {
  %slice = tlx.local_slice %buffer [32, 0] : !tlx.buffer<128x64xf16> -> !tlx.buffer<64x64xf16>
  tt.return
}

// -----

// CHECK: takes a slice of '!tlx.buffer<128x64xf16>' with 1 offsets and 2 sizes; both must be 2
tt.func @offsets(%buffer: !tlx.buffer<128x64xf16>) {
  %slice = tlx.local_slice %buffer [0] : !tlx.buffer<128x64xf16> -> !tlx.buffer<64x64xf16>
  tt.return
}

// -----

// CHECK: orders the dimensions as [1, 1], but must name each of 0 to 1 once
tt.func @twice(%buffer: !tlx.buffer<128x64xf16>) {
  %transposed = tlx.local_trans %buffer {order = array<i32: 1, 1>} : !tlx.buffer<128x64xf16> -> !tlx.buffer<64x64xf16>
  tt.return
}

// -----

// CHECK: makes '!tlx.buffer<128x64xf16>' of '!tlx.buffer<128x64xf16>'
tt.func @not_transposed(%buffer: !tlx.buffer<128x64xf16>) {
  %transposed = tlx.local_trans %buffer {order = array<i32: 1, 0>} : !tlx.buffer<128x64xf16> -> !tlx.buffer<128x64xf16>
  tt.return
}

// -----

// CHECK: makes '!tlx.buffer<128x64xf32>' (32768 bytes) of '!tlx.buffer<128x64xf16>' (16384 bytes)
tt.func @larger(%buffer: !tlx.buffer<128x64xf16>) {
  %words = tlx.local_reinterpret %buffer : !tlx.buffer<128x64xf16> -> !tlx.buffer<128x64xf32>
  tt.return
}

// -----

// CHECK: has a size of 0 bytes; it must be positive
tt.func @nothing() {
  %storage = tlx.storage_alias_spec {size = 0 : i64}
  tt.return
}

// -----

// CHECK: has a group that is not {kind = "shared" or "distinct", size = 1 or more, members = [...]}
tt.func @kind() {
  %storage = tlx.storage_alias_spec
  %a = tlx.local_alloc reuse %storage : !tlx.buffer<1x64xf16> reuse !tlx.storage
  tlx.set_buffer_overlap %storage, %a {groups = {kind = "beside", size = 1 : i64, members = [0]}} : !tlx.buffer<1x64xf16>
  tt.return
}

// -----

// CHECK: has a group that is not {kind = "shared" or "distinct", size = 1 or more, members = [...]}: {members = [0], size = 1 : i64}
tt.func @no_kind() {
  %storage = tlx.storage_alias_spec
  %a = tlx.local_alloc reuse %storage : !tlx.buffer<1x64xf16> reuse !tlx.storage
  tlx.set_buffer_overlap %storage, %a {groups = {size = 1 : i64, members = [0]}} : !tlx.buffer<1x64xf16>
  tt.return
}

// -----

// CHECK: has a group that is not {kind = "shared" or "distinct", size = 1 or more, members = [...]}: {kind = "shared", members = [0]}
tt.func @no_size() {
  %storage = tlx.storage_alias_spec
  %a = tlx.local_alloc reuse %storage : !tlx.buffer<1x64xf16> reuse !tlx.storage
  tlx.set_buffer_overlap %storage, %a {groups = {kind = "shared", members = [0]}} : !tlx.buffer<1x64xf16>
  tt.return
}

// -----

// CHECK: has a group that is not {kind = "shared" or "distinct", size = 1 or more, members = [...]}: {kind = "shared", members = [0], size = 0 : i64}
tt.func @size() {
  %storage = tlx.storage_alias_spec
  %a = tlx.local_alloc reuse %storage : !tlx.buffer<1x64xf16> reuse !tlx.storage
  tlx.set_buffer_overlap %storage, %a {groups = {kind = "shared", size = 0 : i64, members = [0]}} : !tlx.buffer<1x64xf16>
  tt.return
}

// -----

// CHECK: has a group that is not {kind = "shared" or "distinct", size = 1 or more, members = [...]}: {kind = "shared", members = [], size = 1 : i64}
tt.func @no_members() {
  %storage = tlx.storage_alias_spec
  %a = tlx.local_alloc reuse %storage : !tlx.buffer<1x64xf16> reuse !tlx.storage
  tlx.set_buffer_overlap %storage, %a {groups = {kind = "shared", size = 1 : i64, members = []}} : !tlx.buffer<1x64xf16>
  tt.return
}

// -----

// CHECK: has a group that is not {kind = "shared" or "distinct", size = 1 or more, members = [...]}: {kind = "shared", size = 1 : i64}
tt.func @no_list() {
  %storage = tlx.storage_alias_spec
  %a = tlx.local_alloc reuse %storage : !tlx.buffer<1x64xf16> reuse !tlx.storage
  tlx.set_buffer_overlap %storage, %a {groups = {kind = "shared", size = 1 : i64}} : !tlx.buffer<1x64xf16>
  tt.return
}

// -----

// CHECK: places buffer 1, which it has not
tt.func @behind_the_last() {
  %storage = tlx.storage_alias_spec
  %a = tlx.local_alloc reuse %storage : !tlx.buffer<1x64xf16> reuse !tlx.storage
  tlx.set_buffer_overlap %storage, %a {groups = {kind = "shared", size = 1 : i64, members = [1]}} : !tlx.buffer<1x64xf16>
  tt.return
}

// -----

// CHECK: places buffer -1, which it has not
tt.func @before_the_first() {
  %storage = tlx.storage_alias_spec
  %a = tlx.local_alloc reuse %storage : !tlx.buffer<1x64xf16> reuse !tlx.storage
  tlx.set_buffer_overlap %storage, %a {groups = {kind = "shared", size = 1 : i64, members = [-1]}} : !tlx.buffer<1x64xf16>
  tt.return
}

// -----

// CHECK: places buffer 0 twice
tt.func @two_places() {
  %storage = tlx.storage_alias_spec
  %a = tlx.local_alloc reuse %storage : !tlx.buffer<1x64xf16> reuse !tlx.storage
  tlx.set_buffer_overlap %storage, %a {groups = {kind = "shared", size = 1 : i64, members = [0, 0]}} : !tlx.buffer<1x64xf16>
  tt.return
}

// -----

// CHECK: places buffer 0, which was not allocated with reuse= of this storage
tt.func @elsewhere() {
  %storage = tlx.storage_alias_spec
  %a = tlx.local_alloc : !tlx.buffer<1x64xf16>
  tlx.set_buffer_overlap %storage, %a {groups = {kind = "shared", size = 1 : i64, members = [0]}} : !tlx.buffer<1x64xf16>
  tt.return
}

// -----

// CHECK: copies 24 bytes; the number must be a multiple of 16
tt.func @odd_size(%p: !tt.ptr<f16>, %buffer: !tlx.buffer<64xf16>) {
  %size = arith.constant 24 : i32
  tlx.async_store %p, %buffer, %size : !tt.ptr<f16>, !tlx.buffer<64xf16>
  tt.return
}

// -----

// CHECK: copies 256 bytes of 128
tt.func @more_than_there_is(%p: !tt.ptr<f16>, %buffer: !tlx.buffer<64xf16>) {
  %size = arith.constant 256 : i32
  tlx.async_store %p, %buffer, %size : !tt.ptr<f16>, !tlx.buffer<64xf16>
  tt.return
}

// -----

// CHECK: takes a view of '!tlx.buffer<64xf16>', which is one buffer already
tt.func @of_one(%buffer: !tlx.buffer<64xf16>, %index: i32) {
  %view = tlx.local_view %buffer[%index] : !tlx.buffer<64xf16> -> !tlx.buffer<64xf16>
  tt.return
}
