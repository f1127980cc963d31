#ifndef TLX_DESCRIPTOROPS_TD
#define TLX_DESCRIPTOROPS_TD

include "plugins/tlx/IR/TLXOpBase.td"

def TLX_AsyncDescriptorLoadOp : TLX_Op<"async_descriptor_load", [AttrSizedOperandSegments]> {
  let summary = "Start a copy of one block of a tensor in global memory into a buffer.";
  let description = [{
    One thread gives the copy to the tensor memory accelerator (PTX ISA,
    "cp.async.bulk.tensor"). The barrier is told of the bytes as they come; it must have been
    told by `barrier_expect` how many to wait for. Elements outside of the tensor are filled
    with the descriptor's padding, and count as bytes too.
  }];
  let arguments = (ins
    Arg<TT_TensorDescType, "", [MemRead<TLX_GlobalMemory>]>:$descriptor,
    Variadic<I32>:$offsets,
    Arg<TLX_Buffer, "", [MemWrite<TLX_SharedMemory>]>:$destination,
    Arg<TLX_Barrier, "", [MemWrite<TLX_SharedMemory>]>:$barrier,
    Optional<I1>:$predicate,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::mlir::triton::EvictionPolicy::NORMAL">:$evict
  );
  let assemblyFormat = [{
    $descriptor `[` $offsets `]` `,` $destination `,` $barrier (`if` $predicate^)? attr-dict
    `:` type($descriptor) `->` type($destination) `,` type($barrier)
  }];
  let hasVerifier = 1;
}

def TLX_AsyncDescriptorStoreOp : TLX_Op<"async_descriptor_store"> {
  let summary = "Start a copy of a buffer into one block of a tensor in global memory.";
  let description = [{
    With `reduce`, the elements in global memory are combined with the buffer's, each
    atomically (PTX ISA, "cp.reduce.async.bulk.tensor"). What lies outside of the tensor is not
    written. The buffer may be written again after an `async_descriptor_store_wait`.
  }];
  let arguments = (ins
    Arg<TT_TensorDescType, "", [MemRead<TLX_GlobalMemory>, MemWrite<TLX_GlobalMemory>]>:$descriptor,
    Variadic<I32>:$offsets,
    Arg<TLX_Buffer, "", [MemRead<TLX_SharedMemory>]>:$source,
    OptionalAttr<TT_DescriptorReduceKindAttr>:$reduce,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::mlir::triton::EvictionPolicy::NORMAL">:$evict
  );
  let assemblyFormat = [{
    $descriptor `[` $offsets `]` `,` $source attr-dict `:` type($descriptor) `,` type($source)
  }];
  let hasVerifier = 1;
}

def TLX_AsyncDescriptorStoreWaitOp : TLX_Op<"async_descriptor_store_wait", [
  MemoryEffects<[MemRead<TLX_SharedMemory>, MemWrite<TLX_SharedMemory>]>,
]> {
  let summary = "Wait until at most `pendings` stores through descriptors are still running.";
  let description = [{
    With `readOnly` until they have read their buffers; else until others see what they wrote
    (PTX ISA, "cp.async.bulk.wait_group").
  }];
  let arguments = (ins I32Attr:$pendings, UnitAttr:$readOnly);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif // TLX_DESCRIPTOROPS_TD
