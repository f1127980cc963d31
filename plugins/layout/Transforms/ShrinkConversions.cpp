#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "plugins/layout/Transforms/Conversions.h"
#include "plugins/layout/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace layout {

#define GEN_PASS_DEF_LAYOUTSHRINKCONVERSIONS
#include "plugins/layout/Transforms/Passes.h.inc"

namespace {

int64_t countBits(RankedTensorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth();
}

/// Conversions that move nothing between threads cost the same everywhere.
bool isWorthMoving(ttg::ConvertLayoutOp op) {
  return !op.getForceWarpShuffle() &&
         !isa<tt::PointerType>(op.getType().getElementType()) &&
         getReach(op.getSrc().getType(), op.getType()) > Reach::Thread;
}

/// narrow(convert(x)) -> convert(narrow(x))
struct SinkBelowNarrowing : OpRewritePattern<ttg::ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ttg::ConvertLayoutOp op,
                                PatternRewriter &rewriter) const override {
    if (!op->hasOneUse() || !isWorthMoving(op))
      return failure();
    Operation *user = *op->user_begin();
    if (!isa<arith::TruncFOp, arith::TruncIOp, arith::FPToSIOp, arith::FPToUIOp,
             tt::FpToFpOp>(user) ||
        op->getBlock() != user->getBlock())
      return failure();
    auto narrow = cast<RankedTensorType>(user->getResult(0).getType());
    if (countBits(narrow) >= countBits(op.getType()))
      return failure();

    rewriter.setInsertionPoint(user);
    Operation *moved = rewriter.clone(*user);
    moved->setOperand(0, op.getSrc());
    moved->getResult(0).setType(
        narrow.cloneWithEncoding(op.getSrc().getType().getEncoding()));
    rewriter.replaceOpWithNewOp<ttg::ConvertLayoutOp>(user, narrow,
                                                      moved->getResult(0));
    rewriter.eraseOp(op);
    return success();
  }
};

/// convert(widen(x)) -> widen(convert(x))
struct HoistAboveWidening : OpRewritePattern<ttg::ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ttg::ConvertLayoutOp op,
                                PatternRewriter &rewriter) const override {
    Operation *source = op.getSrc().getDefiningOp();
    if (!source || !source->hasOneUse() || !isWorthMoving(op) ||
        !isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
             arith::UIToFPOp, tt::FpToFpOp, tt::BroadcastOp, tt::ExpandDimsOp>(
            source))
      return failure();
    auto narrow = cast<RankedTensorType>(source->getOperand(0).getType());
    if (countBits(narrow) > countBits(op.getType()))
      return failure();
    Attribute layout = inferSrcEncoding(source, op.getType().getEncoding());
    if (!layout)
      return failure();

    rewriter.setInsertionPoint(op);
    auto converted = ttg::ConvertLayoutOp::create(
        rewriter, op.getLoc(), narrow.cloneWithEncoding(layout),
        source->getOperand(0));
    Operation *moved = rewriter.clone(*source);
    moved->setOperand(0, converted);
    moved->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, moved->getResult(0));
    rewriter.eraseOp(source);
    return success();
  }
};

struct ShrinkConversions
    : impl::LayoutShrinkConversionsBase<ShrinkConversions> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    RewritePatternSet patterns(&getContext());
    patterns.add<SinkBelowNarrowing, HoistAboveWidening>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace layout
