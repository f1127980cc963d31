//===- Conversions.h - What layout conversions cost -------------*- C++ -*-===//
//
// Everything here comes from Triton's own analysis of linear layouts, which
// also lowers the conversions.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_TRANSFORMS_CONVERSIONS_H
#define LAYOUT_TRANSFORMS_CONVERSIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "triton/Conversion/TritonGPUToLLVM/TargetInfoBase.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"

namespace layout {

/// How a conversion moves data.
enum class Way { Nothing, Registers, Shuffle, Shared };

llvm::StringRef stringifyWay(Way way);

/// How far data has to move from one layout to the other; whichever way Triton
/// then takes.
enum class Reach { Nothing, Thread, Warp, Block };

Reach getReach(mlir::RankedTensorType from, mlir::RankedTensorType to);

/// Registers of 32 bits that hold a thread's part of a tensor, without those
/// that hold what another one holds.
int64_t countRegisters(mlir::RankedTensorType type);

/// One access to shared memory by all threads of a block.
struct SharedAccess {
  /// Its kind of instruction, as the assembly of the target calls it.
  llvm::StringRef instruction;
  /// Bits that a thread moves with one instruction.
  int vectorBits = 0;
  /// Passes over the memory banks that an instruction needs beyond the fewest
  /// for its width.
  int conflicts = 0;
  int64_t instructions = 0;
};

/// What a conversion costs.
struct Conversion {
  Way way = Way::Nothing;
  /// Bytes of the tensor.
  int64_t bytes = 0;
  /// Registers of 32 bits a thread of the source.
  int64_t registers = 0;
  SharedAccess store, load;
  int64_t scratchBytes = 0;
};

/// What lowering knows of a module's target.
class Target {
public:
  /// The target of a module; fails with an error where there is none.
  static mlir::FailureOr<Target> get(mlir::ModuleOp module);

  Conversion analyze(mlir::triton::gpu::ConvertLayoutOp op) const;
  /// A conversion that is not there, with Triton's choice of the way.
  Conversion analyze(mlir::RankedTensorType from,
                     mlir::RankedTensorType to) const;
  /// An access to a buffer from registers of a layout.
  SharedAccess analyzeAccess(mlir::RankedTensorType registers,
                             mlir::triton::gpu::MemDescType buffer,
                             bool isStore) const;
  /// The shared-memory layout through which a conversion meets the fewest bank
  /// conflicts.
  mlir::Attribute getSharedLayout(mlir::RankedTensorType from,
                                  mlir::RankedTensorType to) const;

private:
  std::shared_ptr<mlir::triton::TargetInfoBase> info;
};

} // namespace layout

#endif // LAYOUT_TRANSFORMS_CONVERSIONS_H
