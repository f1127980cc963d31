#ifndef CANARY_DIALECT_TD
#define CANARY_DIALECT_TD

include "mlir/IR/OpBase.td"

def Canary_Dialect : Dialect {
  let name = "canary";
  let cppNamespace = "::canary";
  let summary = "Nothing useful: code of the wheel calls it, and it calls code of the wheel.";
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // CANARY_DIALECT_TD
