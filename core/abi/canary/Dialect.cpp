#include "core/abi/canary/Canary.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "core/abi/canary/CanaryDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "core/abi/canary/CanaryTypes.cpp.inc"

#define GET_OP_CLASSES
#include "core/abi/canary/CanaryOps.cpp.inc"

namespace canary {
namespace {

/// The stock inliner asks it, through the virtual table, for each op.
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *op, Region *, bool,
                       IRMapping &) const override {
    return isa<TwiceOp>(op);
  }
};

/// The stock canonicalizer runs it: twice(twice(x)) is x << 2.
struct FuseTwice : OpRewritePattern<TwiceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TwiceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getValue().getDefiningOp<TwiceOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not twice of twice");
    Value two = arith::ConstantOp::create(rewriter, op.getLoc(),
                                          rewriter.getI32IntegerAttr(2));
    rewriter.replaceOpWithNewOp<arith::ShLIOp>(op, inner.getValue(), two);
    return success();
  }
};

} // namespace

void CanaryDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "core/abi/canary/CanaryTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/abi/canary/CanaryOps.cpp.inc"
      >();
  addInterfaces<Inliner>();
}

Operation *CanaryDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

OpFoldResult TwiceOp::fold(FoldAdaptor adaptor) {
  auto constant = dyn_cast_or_null<IntegerAttr>(adaptor.getValue());
  if (!constant)
    return {};
  return IntegerAttr::get(getType(), constant.getValue() * 2);
}

void TwiceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<FuseTwice>(context);
}

LogicalResult TouchOp::verify() {
  if (getTimes() > 0)
    return success();
  return emitOpError("must touch once or more, not ") << getTimes() << " times";
}

} // namespace canary
