// The probe's classes as Debian's headers have them, without the checks that
// libtriton.so was built with.

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

struct Containers {
  mlir::DenseMap<mlir::Value, mlir::Value> values;
};

extern "C" size_t abiProbe() { return sizeof(Containers); }
