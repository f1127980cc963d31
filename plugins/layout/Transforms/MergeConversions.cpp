#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "plugins/layout/Transforms/Conversions.h"
#include "plugins/layout/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace layout {

#define GEN_PASS_DEF_LAYOUTMERGECONVERSIONS
#include "plugins/layout/Transforms/Passes.h.inc"

namespace {

/// A conversion whose way the kernel chose is left alone.
bool isFree(ttg::ConvertLayoutOp op) { return !op.getForceWarpShuffle(); }

/// convert(convert(x)) -> convert(x)
struct FoldChain : OpRewritePattern<ttg::ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ttg::ConvertLayoutOp op,
                                PatternRewriter &rewriter) const override {
    auto source = op.getSrc().getDefiningOp<ttg::ConvertLayoutOp>();
    if (!source || !isFree(op) || !isFree(source))
      return failure();
    if (source.getSrc().getType() == op.getType())
      rewriter.replaceOp(op, source.getSrc());
    else
      rewriter.modifyOpInPlace(
          op, [&] { op.getSrcMutable().assign(source.getSrc()); });
    return success();
  }
};

/// Two conversions of a value into layouts that hold the same elements in the
/// same places: the later one starts from the result of the earlier one, which
/// moves nothing, or is that result.
struct MergeTwins : OpRewritePattern<ttg::ConvertLayoutOp> {
  MergeTwins(MLIRContext *context, DominanceInfo &dominance)
      : OpRewritePattern(context), dominance(dominance) {}

  LogicalResult matchAndRewrite(ttg::ConvertLayoutOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFree(op) ||
        getReach(op.getSrc().getType(), op.getType()) == Reach::Nothing)
      return failure();
    for (Operation *user : op.getSrc().getUsers()) {
      auto other = dyn_cast<ttg::ConvertLayoutOp>(user);
      if (!other || other == op || !isFree(other) ||
          !dominance.properlyDominates(other.getOperation(), op) ||
          getReach(other.getType(), op.getType()) != Reach::Nothing)
        continue;
      if (other.getType() == op.getType())
        rewriter.replaceOp(op, other);
      else
        rewriter.replaceOpWithNewOp<ttg::ConvertLayoutOp>(op, op.getType(),
                                                          other);
      return success();
    }
    return failure();
  }

  DominanceInfo &dominance;
};

struct MergeConversions : impl::LayoutMergeConversionsBase<MergeConversions> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    // One after the other: folding would undo what merging makes.
    RewritePatternSet folding(&getContext()), merging(&getContext());
    folding.add<FoldChain>(&getContext());
    auto &dominance = getAnalysis<DominanceInfo>();
    merging.add<MergeTwins>(&getContext(), dominance);
    if (failed(applyPatternsGreedily(getOperation(), std::move(folding))))
      return signalPassFailure();
    SmallVector<Operation *> converts;
    getOperation().walk(
        [&](ttg::ConvertLayoutOp op) { converts.push_back(op); });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    if (failed(applyOpPatternsGreedily(converts, std::move(merging), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace layout
