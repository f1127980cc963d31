#ifndef TLX_DESCRIPTOROPS_TD
#define TLX_DESCRIPTOROPS_TD

include "plugins/tlx/IR/TLXOpBase.td"

def TLX_AllocDescriptorsOp : TLX_Op<"alloc_descriptors"> {
  let summary = "Slots in global memory for descriptors that the kernel makes.";
  let description = [{
    Each program has `num` slots of its own, of 128 bytes at multiples of 128 (PTX ISA,
    "tensormap"). They live until the kernel ends.

    ```mlir
    %slots = tlx.alloc_descriptors 3 : !tt.ptr<i8>
    %slot = tlx.descriptor_slot %slots[%i] : !tt.ptr<i8>
    %a = tlx.make_descriptor %slot, %base, [%m, %k], [%stride, %one]
      : !tt.ptr<i8>, !tt.ptr<f16> -> !tt.tensordesc<128x64xf16>
    ```
  }];
  let arguments = (ins I32Attr:$num);
  let results = (outs Res<TT_Ptr, "", [MemAlloc<TLX_GlobalMemory>]>:$result);
  let assemblyFormat = "$num attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TLX_DescriptorSlotOp : TLX_Op<"descriptor_slot", [
  Pure,
  TypesMatchWith<"a slot has the type of all slots", "slots", "result", "$_self">,
]> {
  let summary = "One slot of an allocation.";
  let description = [{
    The index may be a run-time value; it must be smaller than the number of slots, which is
    not checked at run time.
  }];
  let arguments = (ins TT_Ptr:$slots, I32:$index);
  let results = (outs TT_Ptr:$result);
  let assemblyFormat = "$slots `[` $index `]` attr-dict `:` type($slots)";
}

def TLX_MakeDescriptorOp : TLX_Op<"make_descriptor", [SameVariadicOperandSize]> {
  let summary = "Make a descriptor in a slot.";
  let description = [{
    Overwrites the slot, so no copy may still use the descriptor that was there. The threads of
    the task may use the result at once (PTX ISA, "tensormap.replace" and
    "tensormap.cp_fenceproxy"); another task takes it out of the slot with
    `reinterpret_descriptor`.

    Descriptors of one shape and element type in one allocation all get the layout of the
    buffers that any of them fills or empties.
  }];
  let arguments = (ins
    Arg<TT_Ptr, "", [MemWrite<TLX_GlobalMemory>]>:$slot,
    TT_Ptr:$base,
    Variadic<I32>:$shape,
    Variadic<I64>:$strides,
    DefaultValuedAttr<TT_PaddingOptionAttr, "::mlir::triton::PaddingOption::PAD_ZERO">:$padding
  );
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $slot `,` $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict
    `:` type($slot) `,` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TLX_ReinterpretDescriptorOp : TLX_Op<"reinterpret_descriptor"> {
  let summary = "The descriptor that was made in a slot.";
  let description = [{
    A barrier, or the order of the task, must have told that it was made. The threads of the task
    then see it (PTX ISA, "fence.proxy.tensormap").
  }];
  let arguments = (ins Arg<TT_Ptr, "", [MemRead<TLX_GlobalMemory>]>:$slot);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = "$slot attr-dict `:` type($slot) `->` type($result)";
}

def TLX_AsyncDescriptorLoadOp : TLX_Op<"async_descriptor_load", [AttrSizedOperandSegments]> {
  let summary = "Start a copy of one block of a tensor in global memory into a buffer.";
  let description = [{
    One thread gives the copy to the tensor memory accelerator (PTX ISA,
    "cp.async.bulk.tensor"). The barrier is told of the bytes as they come; it must have been
    told by `barrier_expect` how many to wait for. Elements outside of the tensor are filled
    with the descriptor's padding, and count as bytes too.

    With `targets` the block goes to all these blocks of the cluster, to the place in each that
    `destination` has in this one, and each one's barrier at the place of `barrier` is told.
  }];
  let arguments = (ins
    Arg<TT_TensorDescType, "", [MemRead<TLX_GlobalMemory>]>:$descriptor,
    Variadic<I32>:$offsets,
    Arg<TLX_Buffer, "", [MemWrite<TLX_SharedMemory>]>:$destination,
    Arg<TLX_Barrier, "", [MemWrite<TLX_SharedMemory>]>:$barrier,
    Optional<I1>:$predicate,
    Variadic<I32>:$targets,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::mlir::triton::EvictionPolicy::NORMAL">:$evict
  );
  let assemblyFormat = [{
    $descriptor `[` $offsets `]` `,` $destination `,` $barrier (`if` $predicate^)?
    (`to` `[` $targets^ `]`)? attr-dict
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

def TLX_AsyncDescriptorPrefetchOp : TLX_Op<"async_descriptor_prefetch", [
  AttrSizedOperandSegments,
]> {
  let summary = "Start to bring one block of a tensor into the L2 cache.";
  let description = [{
    One thread asks the tensor memory accelerator (PTX ISA, "cp.async.bulk.prefetch.tensor");
    nobody waits for it. `tlx-lower` makes one such op for each box that the block is copied in,
    with a predicate that is true in one warp, and `tlx-to-llvm` the instructions.
  }];
  // What it writes is a cache; without an effect it would be dead.
  let arguments = (ins
    Arg<TT_TensorDescType, "", [MemRead<TLX_GlobalMemory>, MemWrite<TLX_GlobalMemory>]>:$descriptor,
    Variadic<I32>:$offsets,
    Optional<I1>:$predicate,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::mlir::triton::EvictionPolicy::NORMAL">:$evict
  );
  let assemblyFormat = [{
    $descriptor `[` $offsets `]` (`if` $predicate^)? attr-dict `:` type($descriptor)
  }];
  let hasVerifier = 1;
}

def TLX_PrefetchDescriptorOp : TLX_Op<"prefetch_descriptor"> {
  let summary = "Bring a descriptor itself into the cache that copies read it from.";
  let description = [{
    `prefetch.tensormap` (PTX ISA, "prefetch"), by one thread of the warp whose predicate is true,
    which `tlx-lower` adds.
  }];
  let arguments = (ins
    Arg<TT_TensorDescType, "", [MemRead<TLX_GlobalMemory>, MemWrite<TLX_GlobalMemory>]>:$descriptor,
    Optional<I1>:$predicate
  );
  let assemblyFormat = "$descriptor (`if` $predicate^)? attr-dict `:` type($descriptor)";
}

#endif // TLX_DESCRIPTOROPS_TD
