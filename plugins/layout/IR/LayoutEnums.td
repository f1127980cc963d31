#ifndef LAYOUT_ENUMS_TD
#define LAYOUT_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def Layout_Via : I32EnumAttr<"Via", "the way by which a conversion moves data", [
  I32EnumAttrCase<"Auto", 0, "auto">,
  I32EnumAttrCase<"Registers", 1, "registers">,
  I32EnumAttrCase<"Shuffle", 2, "shuffle">,
  I32EnumAttrCase<"Shared", 3, "shared">,
]> {
  let cppNamespace = "::layout";
}

#endif // LAYOUT_ENUMS_TD
