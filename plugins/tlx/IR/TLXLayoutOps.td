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
  }];
  let arguments = (ins TT_Tensor:$value, AnyAttr:$layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif // TLX_LAYOUTOPS_TD
