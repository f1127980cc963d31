#ifndef TLX_DOTOPS_TD
#define TLX_DOTOPS_TD

include "plugins/tlx/IR/TLXOpBase.td"

def TLX_AsyncDotOp : TLX_Op<"async_dot", [
  TypesMatchWith<"the result has the accumulator's type", "accumulator", "result", "$_self">,
]> {
  let summary = "Start a matrix product that reads its operands from buffers.";
  let description = [{
    `result = a @ b + accumulator` with `a` of MxK, `b` of KxN; where `useAccumulator` is
    given and false, `result = a @ b`. Until an `async_dot_wait`
    covers it, the result may only be the accumulator of another `async_dot`, and the buffers
    may not be written. `a` may be a tensor in registers.

    Becomes `wgmma.mma_async` (PTX ISA, "Asynchronous warpgroup-level matrix instructions"),
    which sm_90a has.
  }];
  let arguments = (ins
    Arg<AnyTypeOf<[TLX_Buffer, TT_FpIntTensor]>, "", [MemRead<TLX_SharedMemory>]>:$a,
    Arg<TLX_Buffer, "", [MemRead<TLX_SharedMemory>]>:$b,
    TT_FpIntTensor:$accumulator,
    Optional<I1>:$useAccumulator,
    DefaultValuedAttr<TT_InputPrecisionAttr, "::mlir::triton::InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc
  );
  let results = (outs TT_FpIntTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator (`use_acc` $useAccumulator^)? attr-dict `:` type($a) `*` type($b) `->` type($accumulator)
  }];
  let hasVerifier = 1;
}

def TLX_AsyncDotWaitOp : TLX_Op<"async_dot_wait", [
  TypesMatchWith<"the result has the input's type", "input", "result", "$_self">,
]> {
  let summary = "Wait until at most `pendings` matrix products are still running.";
  let description = [{
    The result is the input once its product has ended, and may be used freely.
  }];
  let arguments = (ins TT_FpIntTensor:$input, I32Attr:$pendings);
  let results = (outs TT_FpIntTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif // TLX_DOTOPS_TD
