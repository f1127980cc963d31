#ifndef WARP_SPEC_OPS_TD
#define WARP_SPEC_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "triton/Dialect/Triton/IR/TritonTypes.td"
include "triton/Dialect/TritonGPU/IR/TritonGPUTypes.td"
include "plugins/warp_spec/IR/WarpSpecTypes.td"

// Triton's own TritonGPUMemoryEffects.td needs a newer mlir-tblgen than the SDK's.
def WarpSpec_GlobalMemory : Resource<"::mlir::triton::GlobalMemory">;
def WarpSpec_SharedMemory : Resource<"::mlir::triton::gpu::SharedMemory">;

class WarpSpec_Op<string mnemonic, list<Trait> traits = []> :
    Op<WarpSpec_Dialect, mnemonic, traits>;

def WarpSpec_MarkLoopOp : WarpSpec_Op<"mark_loop"> {
  let summary = "Ask for the next loop to be specialized.";
  let description = [{
    `warp_spec.range` in a kernel creates it in front of the loop. `warp-spec-mark-loops`
    makes it an attribute of the loop.
  }];
  let assemblyFormat = "attr-dict";
}

def WarpSpec_CreateChannelOp : WarpSpec_Op<"create_channel"> {
  let summary = "Make a channel, all of whose stages are empty.";
  let description = [{
    With `bytes` the tiles arrive through TMA, which counts them; without, through `cp.async`
    of every thread of the producer.

    ```mlir
    %ch = warp_spec.create_channel {bytes = 49152 : i32} : !warp_spec.channel<3>
    ```
  }];
  let arguments = (ins OptionalAttr<I32Attr>:$bytes);
  let results = (outs Res<WarpSpec_Channel, "", [MemAlloc<WarpSpec_SharedMemory>]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

class WarpSpec_ChannelOp<string mnemonic> : WarpSpec_Op<mnemonic> {
  // Ops on a channel keep their order.
  let arguments = (ins Arg<WarpSpec_Channel, "", [MemRead<WarpSpec_SharedMemory>,
                                                  MemWrite<WarpSpec_SharedMemory>]>:$channel);
}

def WarpSpec_AcquireOp : WarpSpec_ChannelOp<"acquire"> {
  let summary = "Producer: wait until the next stage is empty.";
  let results = (outs I32:$stage);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
}

def WarpSpec_DescriptorCopyOp : WarpSpec_Op<"descriptor_copy"> {
  let summary = "Producer: start a TMA copy into the acquired stage.";
  let description = [{
    Becomes `cp.async.bulk.tensor` (PTX ISA, "Data Movement and Conversion Instructions:
    cp.async.bulk.tensor") that counts its bytes on the stage's barrier.
  }];
  let arguments = (ins
    Arg<WarpSpec_Channel, "", [MemRead<WarpSpec_SharedMemory>,
                               MemWrite<WarpSpec_SharedMemory>]>:$channel,
    Arg<TT_TensorDescType, "", [MemRead<WarpSpec_GlobalMemory>]>:$descriptor,
    Variadic<I32>:$indices,
    Arg<TTG_MemDescType, "", [MemWrite<WarpSpec_SharedMemory>]>:$destination);
  let assemblyFormat = [{
    $channel `,` $descriptor `[` $indices `]` `,` $destination attr-dict
    `:` type($channel) `,` qualified(type($descriptor)) `->` qualified(type($destination))
  }];
}

def WarpSpec_PublishOp : WarpSpec_ChannelOp<"publish"> {
  let summary = "Producer: the stage is full once the copies into it have ended.";
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
}

def WarpSpec_ReceiveOp : WarpSpec_ChannelOp<"receive"> {
  let summary = "Consumer: wait until the next stage is full.";
  let results = (outs I32:$stage);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
}

def WarpSpec_ReleaseOp : WarpSpec_ChannelOp<"release"> {
  let summary = "Consumer: a stage is empty again.";
  let description = [{
    With `delayed` it is the stage of the loop's iteration before this one, and nothing in
    the loop's first: a product that still runs reads the present one. `release_last` behind
    the loop gives the last stage back.
  }];
  let arguments = (ins Arg<WarpSpec_Channel, "", [MemRead<WarpSpec_SharedMemory>,
                                                  MemWrite<WarpSpec_SharedMemory>]>:$channel,
                       UnitAttr:$delayed);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
  let hasVerifier = 1;
}

def WarpSpec_ReleaseLastOp : WarpSpec_Op<"release_last"> {
  let summary = "Consumer: behind a loop with delayed releases, give its last stage back.";
  let description = "Does nothing if `any` is false: the loop had no iteration.";
  let arguments = (ins Arg<WarpSpec_Channel, "", [MemRead<WarpSpec_SharedMemory>,
                                                  MemWrite<WarpSpec_SharedMemory>]>:$channel,
                       I1:$any);
  let assemblyFormat = "$channel `if` $any attr-dict `:` type($channel)";
}

#endif // WARP_SPEC_OPS_TD
