#ifndef CANARY_OPS_TD
#define CANARY_OPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "core/abi/canary/CanaryTypes.td"

def Canary_TwiceOp : Op<Canary_Dialect, "twice", [Pure, SameOperandsAndResultType]> {
  let summary = "Twice an integer. Folds constants; twice of twice becomes a shift.";
  let arguments = (ins I32:$value);
  let results = (outs I32:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Canary_TouchOp : Op<Canary_Dialect, "touch"> {
  let summary = "Writes memory that nobody knows of, so nothing may remove it.";
  let arguments = (ins Variadic<I32>:$values, DefaultValuedAttr<I64Attr, "1">:$times);
  let results = (outs Res<Canary_Tag, "", [MemWrite]>:$tag);
  let assemblyFormat = "($values^ `:` type($values))? `times` $times attr-dict `->` type($tag)";
  let hasVerifier = 1;
}

#endif // CANARY_OPS_TD
