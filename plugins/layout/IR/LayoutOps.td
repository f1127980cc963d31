#ifndef LAYOUT_OPS_TD
#define LAYOUT_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "triton/Dialect/Triton/IR/TritonInterfaces.td"
include "triton/Dialect/Triton/IR/TritonOpInterfaces.td"
include "triton/Dialect/Triton/IR/TritonTypes.td"
include "plugins/layout/IR/LayoutDialect.td"
include "plugins/layout/IR/LayoutEnums.td"

class Layout_Op<string mnemonic, list<Trait> traits = []>
    : Op<Layout_Dialect, mnemonic, !listconcat(traits, [
        Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType,
        VerifyTensorLayoutsTrait,
      ])>;

// An op whose result has a layout that the kernel names: as an attribute, or as that of another
// tensor.
class Layout_TargetOp<string mnemonic> : Op<Layout_Dialect, mnemonic, [
  Pure, VerifyTensorLayoutsTrait, DeclareOpInterfaceMethods<EfficientLayoutOpInterface>,
]> {
  let results = (outs TT_Tensor:$result);
  let hasVerifier = 1;
}

defvar targetDescription = [{

    The layout is the attribute `layout` or that of the tensor `like`; exactly one of the two
    is there in Triton IR. `layout-resolve` puts it into the result's type and drops `like`.
}];

def Layout_PinOp : Layout_TargetOp<"pin"> {
  let summary = "Hold a value in a layout.";
  let description = !strconcat([{
    The result is the source, in a layout that no pass changes. Conversions stand around the
    op, not in it: what computes the source may take the layout over, as may elementwise
    users of the result.

    ```mlir
    %y = layout.pin %x {layout = #blocked} : tensor<64x64xf16> -> tensor<64x64xf16>
    ```
  }], targetDescription);
  let arguments = (ins TT_Tensor:$src, Optional<TT_Tensor>:$like, OptionalAttr<AnyAttr>:$layout);
  let assemblyFormat = [{
    $src (`like` $like^ `:` type($like))? attr-dict `:` type($src) `->` type($result)
  }];
}

def Layout_ReleaseOp : Layout_Op<"release"> {
  let summary = "End the hold of a pin.";
  let description = [{
    The result is the source in whichever layout suits its users; a pin's layout does not
    spread beyond it.
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def Layout_ConvertOp : Layout_TargetOp<"convert"> {
  let summary = "Move a value into a layout by a chosen way.";
  let description = !strconcat([{
    - `auto`: as `ttg.convert_layout` does.
    - `registers`: within each thread; an error if data has to cross threads.
    - `shuffle`: between the threads of a warp (PTX ISA, "shfl.sync"; AMD ISA,
      "DS_BPERMUTE_B32"), also where Triton prefers shared memory; an error if data has to
      cross warps.
    - `shared`: written to shared memory and read back. `shared` names the layout there;
      without it the layout is the one with the fewest bank conflicts.

    The value also has the target layout where the conversion moves nothing.
  }], targetDescription);
  let arguments = (ins TT_Tensor:$src, Optional<TT_Tensor>:$like, OptionalAttr<AnyAttr>:$layout,
                       DefaultValuedAttr<Layout_Via, "::layout::Via::Auto">:$via,
                       OptionalAttr<AnyAttr>:$shared);
  let assemblyFormat = [{
    $src (`like` $like^ `:` type($like))? (`via` $via^)? attr-dict
    `:` type($src) `->` type($result)
  }];
}

def Layout_AssertTrivialOp : Layout_TargetOp<"assert_trivial"> {
  let summary = "Give a value a layout that it has already.";
  let description = !strconcat([{
    An error if the conversion moves data, within a thread or between threads. Two layouts of
    different names may hold the same elements in the same places.
  }], targetDescription);
  let arguments = (ins TT_Tensor:$src, Optional<TT_Tensor>:$like, OptionalAttr<AnyAttr>:$layout);
  let assemblyFormat = [{
    $src (`like` $like^ `:` type($like))? attr-dict `:` type($src) `->` type($result)
  }];
}

#endif // LAYOUT_OPS_TD
