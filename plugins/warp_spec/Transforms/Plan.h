//===- Plan.h - How one loop is specialized ---------------------*- C++ -*-===//

#ifndef WARP_SPEC_TRANSFORMS_PLAN_H
#define WARP_SPEC_TRANSFORMS_PLAN_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton/Analysis/AxisInfo.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace warp_spec {

struct PlanOptions {
  int buffers;
  int numStages;
  int producerRegisters;
};

/// Loads whose tiles travel together.
struct ChannelPlan {
  llvm::SmallVector<mlir::Operation *> loads;
  bool usesTma;
  int64_t bytes;
};

/// The plan of one loop, or the reason why there is none.
class LoopPlan {
public:
  LoopPlan(mlir::scf::ForOp loop, const PlanOptions &options,
           mlir::triton::ModuleAxisInfoAnalysis &axisInfo);

  /// Empty if the loop can be specialized.
  const std::string &getRefusal() const { return refusal; }
  mlir::scf::ForOp getRoot() { return root; }

  /// Refuses if one of the roots that have a plan is around or in this one:
  /// its warps are given away.
  void refuseBeside(llvm::ArrayRef<mlir::scf::ForOp> roots);

  /// Writes the plan onto the root and the loads.
  void annotate();
  llvm::json::Object describe();

private:
  bool refuse(const llvm::Twine &reason) {
    refusal = reason.str();
    return false;
  }
  bool findChannels();
  bool checkLoad(mlir::Operation *load);
  /// Empty if the producer of `candidate` may run ahead of its consumers.
  std::string checkRoot(mlir::scf::ForOp candidate);
  bool chooseRoot();
  /// Stages of the channels that fit beside what else `root` needs.
  bool chooseDepth();
  void chooseProducer();

  mlir::scf::ForOp loop, root;
  const PlanOptions &options;
  mlir::triton::ModuleAxisInfoAnalysis &axisInfo;
  llvm::SmallVector<ChannelPlan> channels;
  std::string refusal;
  int64_t depth = 0, sharedBytes = 0;
  int producerWarps = 0, producerRegisters = 0, consumerRegisters = 0;
};

/// "file:line" of an op in the kernel, or the location as MLIR prints it.
std::string describeLocation(mlir::Operation *op);

} // namespace warp_spec

#endif // WARP_SPEC_TRANSFORMS_PLAN_H
