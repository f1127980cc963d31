#ifndef CANARY_TYPES_TD
#define CANARY_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "core/abi/canary/CanaryDialect.td"

def Canary_Tag : TypeDef<Canary_Dialect, "Tag"> {
  let mnemonic = "tag";
  let summary = "A type with two parameters, unique in the wheel's context.";
  let parameters = (ins "int64_t":$id, ArrayRefParameter<"int64_t">:$path);
  let assemblyFormat = "`<` $id `,` `[` $path `]` `>`";
}

#endif // CANARY_TYPES_TD
