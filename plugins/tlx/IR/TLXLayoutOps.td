#ifndef TLX_LAYOUTOPS_TD
#define TLX_LAYOUTOPS_TD

include "plugins/tlx/IR/TLXOpBase.td"

def TLX_RequireLayoutOp : TLX_Op<"require_layout", [
  Pure,
  TypesMatchWith<"the result has the value's type", "value", "result", "$_self">,
]> {
  let summary = "A tensor in a layout that the kernel names.";
  let description = [{
    `tlx-lower` converts the tensor to the layout, and back for its users. The stock passes
    then decide as they do of every conversion: a `local_load` before it gives the layout
    itself, a matrix product behind it that has the same layout takes it as it is, and a
    layout that nothing around has any use for is dropped.

    With `pin` the op stays between the conversions, and the stock passes do not see through it, so
    the layout holds whatever it costs. `tlx-check-layouts` removes it.
  }];
  let arguments = (ins TT_Tensor:$value, AnyAttr:$layout, UnitAttr:$pin);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def TLX_AssertSameLayoutOp : TLX_Op<"assert_same_layout"> {
  let summary = "Fail to compile where a value has another layout than it is to have.";
  let description = [{
    Compares the layout of `value` with that of `other`, or with `layout`, whichever is given: as
    maps from hardware to elements, so that two names of one layout are the same.
    `tlx-check-layouts` does it once all layouts are final, and removes the op.

    `tlx-lower` makes `observe_layout` of those of tensors.
  }];
  // Without an effect it would be dead.
  let arguments = (ins
    Arg<AnyTypeOf<[TT_Tensor, TLX_Buffer, TTG_MemDescType]>, "",
        [MemWrite<DefaultResource>]>:$value,
    Optional<AnyTypeOf<[TT_Tensor, TLX_Buffer, TTG_MemDescType]>>:$other,
    OptionalAttr<AnyAttr>:$layout
  );
  let assemblyFormat = [{
    $value (`as` $other^)? attr-dict `:` type($value) (`as` type($other)^)?
  }];
  let hasVerifier = 1;
}

def TLX_ObserveLayoutOp : TLX_Op<"observe_layout", [
  Elementwise,
  TypesMatchWith<"the result has the value's type", "value", "result", "$_self">,
  MemoryEffects<[MemWrite<DefaultResource>]>,
]> {
  let summary = "Has the layout that a tensor turns out to have.";
  let description = [{
    Stock passes that give a tensor another layout give it to elementwise users as well, of which
    this is one; they need not convert for it. `tlx-check-layouts` then compares the layouts of all
    these ops of a function that have the same number, and the `layout` that one of them may have.
  }];
  let arguments = (ins TT_Tensor:$value, I32Attr:$number, OptionalAttr<AnyAttr>:$layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$value `,` $number attr-dict `:` type($value)";
}

#endif // TLX_LAYOUTOPS_TD
