#ifndef TLX_MEMORYOPS_TD
#define TLX_MEMORYOPS_TD

include "plugins/tlx/IR/TLXOpBase.td"

def TLX_LocalAllocOp : TLX_Op<"local_alloc"> {
  let summary = "Allocate buffers in local memory.";
  let description = [{
    Allocates `shape[0]` buffers of `shape[1:]` elements each. They live until their last use.

    ```mlir
    %bufs = tlx.local_alloc : !tlx.buffer<3x128x64xf16>
    ```
  }];
  let results = (outs Res<TLX_Buffer, "", [MemAlloc<TLX_SharedMemory>]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
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

#endif // TLX_MEMORYOPS_TD
