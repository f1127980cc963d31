#ifndef TLX_MEMORYOPS_TD
#define TLX_MEMORYOPS_TD

include "plugins/tlx/IR/TLXOpBase.td"

def TLX_LocalAllocOp : TLX_Op<"local_alloc"> {
  let summary = "Allocate buffers in local memory.";
  let description = [{
    Allocates `shape[0]` buffers of `shape[1:]` elements each. They live until their last use.

    With `reuse` they take the memory of another allocation's buffers, or of a storage that
    several allocations share. `layout` fixes how a buffer's elements lie in memory, which
    `tlx-lower` otherwise decides from the uses.

    ```mlir
    %bufs = tlx.local_alloc : !tlx.buffer<3x128x64xf16>
    %same = tlx.local_alloc reuse %bufs : !tlx.buffer<1x128x128xf32> reuse !tlx.buffer<3x128x64xf16>
    ```
  }];
  let arguments = (ins Optional<AnyTypeOf<[TLX_Buffer, TLX_Storage]>>:$reuse,
                       OptionalAttr<AnyAttr>:$layout);
  let results = (outs Res<TLX_Buffer, "", [MemAlloc<TLX_SharedMemory>]>:$result);
  let assemblyFormat = "(`reuse` $reuse^)? attr-dict `:` type($result) (`reuse` type($reuse)^)?";
  let hasVerifier = 1;
}

def TLX_StorageAliasSpecOp : TLX_Op<"storage_alias_spec"> {
  let summary = "Memory that several allocations share.";
  let description = [{
    Every `local_alloc` that reuses the result starts at the first byte of the same memory,
    unless `set_buffer_overlap` says otherwise. The memory is as large as they need; `size`
    is the most bytes that they may need.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$size);
  let results = (outs Res<TLX_Storage, "", [MemAlloc<TLX_SharedMemory>]>:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def TLX_SetBufferOverlapOp : TLX_Op<"set_buffer_overlap"> {
  let summary = "Say which buffers of a storage share their bytes.";
  let description = [{
    `groups` is a tree. A leaf is the number of an operand in `buffers`. An inner node is a
    dictionary: `kind` is "shared" (the members start at the same byte) or "distinct" (they
    lie one behind the other), `members` are its nodes, and `size` is how many consecutive
    buffers of each member belong to one instance of the group. Instance `i` of the whole tree
    holds buffers `i * size` to `(i + 1) * size - 1` of each allocation, and lies behind
    instance `i - 1`.

    ```mlir
    tlx.set_buffer_overlap %storage, %a, %b, %c {groups = {
      kind = "shared", size = 1, members = [0, {kind = "distinct", size = 1, members = [1, 2]} ]
    } } : ...
    ```
  }];
  let arguments = (ins Arg<TLX_Storage, "", [MemWrite<TLX_SharedMemory>]>:$storage,
                       Variadic<TLX_Buffer>:$buffers,
                       DictionaryAttr:$groups);
  let assemblyFormat = "$storage `,` $buffers attr-dict `:` type($buffers)";
  let hasVerifier = 1;
}

def TLX_LocalViewOp : TLX_Op<"local_view", [Pure]> {
  let summary = "One buffer of an allocation.";
  let description = [{
    The index may be a run-time value; it must be smaller than the number of buffers, which
    is not checked at run time.
  }];
  let arguments = (ins TLX_Buffer:$source, I32:$index);
  let results = (outs TLX_Buffer:$result);
  let assemblyFormat = "$source `[` $index `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TLX_LocalSliceOp : TLX_Op<"local_slice", [Pure]> {
  let summary = "A rectangular part of a buffer.";
  let description = [{
    Offsets and sizes are known at compile time, since the swizzle of the memory has to stay
    the same for every part.

    ```mlir
    %half = tlx.local_slice %buffer[0, 64] : !tlx.buffer<128x128xf16> -> !tlx.buffer<128x64xf16>
    ```
  }];
  let arguments = (ins TLX_Buffer:$source, DenseI32ArrayAttr:$offsets);
  let results = (outs TLX_Buffer:$result);
  let assemblyFormat = "$source $offsets attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TLX_LocalTransOp : TLX_Op<"local_trans", [Pure]> {
  let summary = "A buffer with its dimensions in another order.";
  let description = [{
    Dimension `i` of the result is dimension `order[i]` of the source. No data moves.
  }];
  let arguments = (ins TLX_Buffer:$source, DenseI32ArrayAttr:$order);
  let results = (outs TLX_Buffer:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TLX_LocalReinterpretOp : TLX_Op<"local_reinterpret", [Pure]> {
  let summary = "The bytes of a buffer as elements of another type or shape.";
  let description = [{
    The result must not be larger than the source. Where both have as many dimensions, rows
    stay rows: element `[i, j]` of the result lies in the bytes of row `i`. Otherwise the result
    has the bytes in the order in which they lie in memory. With `layout` the result has that
    layout, whatever its source's.
  }];
  let arguments = (ins TLX_Buffer:$source, OptionalAttr<AnyAttr>:$layout);
  let results = (outs TLX_Buffer:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TLX_LocalLoadOp : TLX_Op<"local_load"> {
  let summary = "Read a buffer into registers.";
  let arguments = (ins Arg<TLX_Buffer, "", [MemRead<TLX_SharedMemory>]>:$source,
                       Optional<TTG_AsyncToken>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$source (`token` $token^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TLX_LocalStoreOp : TLX_Op<"local_store"> {
  let summary = "Write registers into a buffer.";
  let arguments = (ins TT_Tensor:$value,
                       Arg<TLX_Buffer, "", [MemWrite<TLX_SharedMemory>]>:$destination);
  let assemblyFormat = "$value `,` $destination attr-dict `:` type($value) `->` type($destination)";
  let hasVerifier = 1;
}

def TLX_AsyncLoadOp : TLX_Op<"async_load", [
  AttrSizedOperandSegments,
  OptionalTypesMatchWith<"the mask has the pointers' shape", "pointers", "mask",
                         "::mlir::triton::getI1SameShape($_self)">,
  OptionalTypesMatchWith<"other has the type the pointers point to", "pointers", "other",
                         "::mlir::triton::getPointeeType($_self)">,
]> {
  let summary = "Start a copy from global memory into a buffer.";
  let description = [{
    Elements whose mask is false are filled with `other`, or with zero if there is none. The
    data is in the buffer after an `async_wait` that covers the group it was committed to.

    Where the hardware has no asynchronous copy of the width that the pointers allow (less
    than 4 bytes a thread, or AMD before gfx950), `tlx-legalize-async-copy` makes it a load
    and a store, with the same result.
  }];
  let arguments = (ins
    Arg<TT_PtrTensor, "", [MemRead<TLX_GlobalMemory>]>:$pointers,
    Arg<TLX_Buffer, "", [MemWrite<TLX_SharedMemory>]>:$destination,
    Optional<TT_BoolTensor>:$mask,
    Optional<TT_Tensor>:$other,
    DefaultValuedAttr<TT_CacheModifierAttr, "::mlir::triton::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::mlir::triton::EvictionPolicy::NORMAL">:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile
  );
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $pointers `,` $destination (`mask` $mask^)? (`other` $other^)? attr-dict
    `:` type($pointers) `->` type($destination)
  }];
  let hasVerifier = 1;
}

def TLX_AsyncCommitOp : TLX_Op<"async_commit"> {
  let summary = "Close a group of asynchronous copies.";
  let description = [{
    All copies started since the last commit become one group. The tokens document which
    copies are meant; hardware groups by order alone.
  }];
  let arguments = (ins Variadic<TTG_AsyncToken>:$tokens);
  let results = (outs TTG_AsyncToken:$result);
  let assemblyFormat = "(`tokens` $tokens^)? attr-dict";
}

def TLX_AsyncWaitOp : TLX_Op<"async_wait"> {
  let summary = "Wait until at most `pendings` groups of copies are still running.";
  let arguments = (ins Variadic<TTG_AsyncToken>:$tokens, I32Attr:$pendings);
  let results = (outs TTG_AsyncToken:$result);
  let assemblyFormat = "(`tokens` $tokens^)? attr-dict";
  let hasVerifier = 1;
}

def TLX_AsyncStoreOp : TLX_Op<"async_store"> {
  let summary = "Start a copy of a buffer's first bytes to global memory.";
  let description = [{
    Copies `size` bytes, a multiple of 16, in the order in which they lie in memory; both sides
    are aligned to 16 bytes. The copy has ended after an `async_descriptor_store_wait` that covers
    it.

    `tlx-lower` adds `predicate`, true in the warp that starts the copy. `tlx-to-llvm` makes it
    `cp.async.bulk` (PTX ISA, "cp.async.bulk"), which sm_90 has.
  }];
  let arguments = (ins
    Arg<TT_Ptr, "", [MemWrite<TLX_GlobalMemory>]>:$destination,
    Arg<AnyTypeOf<[TLX_Buffer, TTG_MemDescType]>, "", [MemRead<TLX_SharedMemory>]>:$source,
    I32:$size,
    Optional<I1>:$predicate
  );
  let assemblyFormat = [{
    $destination `,` $source `,` $size (`if` $predicate^)? attr-dict
    `:` type($destination) `,` type($source)
  }];
  let hasVerifier = 1;
}

def TLX_AsyncBulkLoadOp : TLX_Op<"async_bulk_load", [
  DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
]> {
  let summary = "Start a copy of consecutive bytes of global memory into a buffer.";
  let description = [{
    Copies `size` bytes, a multiple of 16, to where the buffer begins; both sides are aligned to 16
    bytes. The barrier is told of the bytes as they come; it must have been told by
    `barrier_expect` how many to wait for.

    `tlx-lower` adds `predicate`, true in the warp that starts the copy. `tlx-to-llvm` makes it
    `cp.async.bulk` (PTX ISA, "cp.async.bulk"), which sm_90 has.
  }];
  let arguments = (ins
    TT_Ptr:$source,
    AnyTypeOf<[TLX_Buffer, TTG_MemDescType]>:$destination,
    I32:$size,
    AnyTypeOf<[TLX_Barrier, TTG_MemDescType]>:$barrier,
    Optional<I1>:$predicate,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::mlir::triton::EvictionPolicy::NORMAL">:$evict
  );
  let assemblyFormat = [{
    $source `,` $destination `,` $size `,` $barrier (`if` $predicate^)? attr-dict
    `:` type($source) `->` type($destination) `,` type($barrier)
  }];
  let hasVerifier = 1;
}

#endif // TLX_MEMORYOPS_TD
