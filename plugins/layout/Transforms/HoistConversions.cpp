#include "mlir/Dialect/SCF/IR/SCF.h"
#include "plugins/layout/Transforms/Conversions.h"
#include "plugins/layout/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace layout {

#define GEN_PASS_DEF_LAYOUTHOISTCONVERSIONS
#include "plugins/layout/Transforms/Passes.h.inc"

namespace {

/// Moves a conversion of a value from outside of the loop in front of it, if
/// its result takes few registers while the loop runs.
void hoistInvariant(scf::ForOp loop, ttg::ConvertLayoutOp op,
                    int64_t maxRegisters) {
  if (loop.isDefinedOutsideOfLoop(op.getSrc()) &&
      countRegisters(op.getType()) <= maxRegisters)
    loop.moveOutOfLoop(op);
}

/// A value that a loop carries in one layout while the body wants another.
struct Carried {
  scf::ForOp loop;
  unsigned index;
  ttg::ConvertLayoutOp first;
  ttg::ConvertLayoutOp last;
};

/// The body converts the argument at once, whoever uses it, and what it yields
/// was converted back last.
std::optional<Carried> matchCarried(scf::ForOp loop, unsigned index) {
  BlockArgument argument = loop.getRegionIterArgs()[index];
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  auto last =
      loop.getYieldedValues()[index].getDefiningOp<ttg::ConvertLayoutOp>();
  if (!type || !argument.hasOneUse() || !last || !last->hasOneUse())
    return std::nullopt;
  auto first = dyn_cast<ttg::ConvertLayoutOp>(*argument.user_begin());
  if (!first || first == last || first.getType() != last.getSrc().getType() ||
      getReach(type, first.getType()) <= Reach::Thread)
    return std::nullopt;
  return Carried{loop, index, first, last};
}

/// Carries the value in the layout of the body: one conversion before and one
/// behind the loop take the place of two inside.
void carryConverted(Carried carried) {
  scf::ForOp loop = carried.loop;
  RankedTensorType type = carried.first.getType();
  OpBuilder builder(loop);
  OpOperand &init = loop.getInitArgsMutable()[carried.index];
  init.set(
      ttg::ConvertLayoutOp::create(builder, loop.getLoc(), type, init.get()));

  Value result = loop.getResult(carried.index);
  auto oldType = cast<RankedTensorType>(result.getType());
  BlockArgument argument = loop.getRegionIterArgs()[carried.index];
  argument.setType(type);
  result.setType(type);
  carried.first->getResult(0).replaceAllUsesWith(argument);
  carried.first->erase();
  (*loop.getYieldedValuesMutable())[carried.index].set(carried.last.getSrc());
  carried.last->erase();

  if (result.use_empty())
    return;
  builder.setInsertionPointAfter(loop);
  auto back =
      ttg::ConvertLayoutOp::create(builder, loop.getLoc(), oldType, result);
  result.replaceAllUsesExcept(back, back);
}

struct HoistConversions : impl::LayoutHoistConversionsBase<HoistConversions> {
  using LayoutHoistConversionsBase::LayoutHoistConversionsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    // Inner loops come first, so that a conversion leaves all it can.
    SmallVector<scf::ForOp> loops;
    module.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
        if (std::optional<Carried> carried = matchCarried(loop, i))
          carryConverted(*carried);
      SmallVector<ttg::ConvertLayoutOp> converts(
          loop.getBody()->getOps<ttg::ConvertLayoutOp>());
      for (ttg::ConvertLayoutOp op : converts)
        hoistInvariant(loop, op, maxRegisters);
    }
  }
};

} // namespace
} // namespace layout
