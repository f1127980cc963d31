//===- Places.h - Which buffer or barrier a value is ------------*- C++ -*-===//

#ifndef TLX_TRANSFORMS_PLACES_H
#define TLX_TRANSFORMS_PLACES_H

#include "plugins/tlx/IR/TLX.h"
#include <optional>

namespace tlx {

/// One buffer or barrier of an allocation.
struct Place {
  mlir::Operation *allocation;
  mlir::Value index;
};

/// Where a buffer or barrier, or a view of one, lies. Nothing where it may be
/// one of several, or all of an allocation.
std::optional<Place> getPlace(mlir::Value view);

/// True if both are the same value or the same constant.
bool isSameIndex(mlir::Value a, mlir::Value b);

/// True if both are constants, but not the same.
bool isOtherIndex(mlir::Value a, mlir::Value b);

} // namespace tlx

#endif // TLX_TRANSFORMS_PLACES_H
