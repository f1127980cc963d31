//===- CostModel.h - What layouts cost --------------------------*- C++ -*-===//
//
// Estimates in issue slots of a warp, of which a multiprocessor has four in a
// clock. The same for all targets: they compare ways to do one thing, of which
// memory and barriers decide most.
//
//   arithmetic      1 for every register of 32 bits that it fills
//   shared memory   1 for every instruction, and 4 for each pass over the 128
//                   bytes that the banks give in a clock
//   shuffle         6 for every register: such a pass and two selects
//   barrier         32; a conversion through shared memory needs two
//   global memory   1 for every instruction, and 2 for each sector of 32 bytes
//                   that a warp touches with it, since the L2 cache gives a
//                   multiprocessor 64 bytes in a clock; twice that where a
//                   store fills only a part of its sectors
//
// A loop counts 8 times, since its trip count is rarely known. Registers that
// hold what another one holds are free.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_TRANSFORMS_COSTMODEL_H
#define LAYOUT_TRANSFORMS_COSTMODEL_H

#include "mlir/IR/BuiltinTypes.h"
#include "plugins/layout/Transforms/Conversions.h"
#include "triton/Analysis/AxisInfo.h"

namespace layout {

class CostModel {
public:
  CostModel(mlir::ModuleOp module, const Target &target)
      : target(target), axisInfo(module) {}

  int64_t ofConversion(const Conversion &conversion) const;
  /// An elementwise op or one that only renames registers.
  int64_t ofArithmetic(mlir::Operation *op, mlir::RankedTensorType type) const;
  /// A load or store of `type` at pointers that have the axis information of
  /// `pointers`, whose own layout does not count.
  int64_t ofGlobalAccess(mlir::Value pointers, mlir::RankedTensorType type,
                         bool isStore);
  int64_t ofSharedAccess(const SharedAccess &access) const;

  /// How often an op runs, as the model sees it.
  static int64_t getWeight(mlir::Operation *op);

private:
  const Target &target;
  mlir::triton::ModuleAxisInfoAnalysis axisInfo;
};

} // namespace layout

#endif // LAYOUT_TRANSFORMS_COSTMODEL_H
