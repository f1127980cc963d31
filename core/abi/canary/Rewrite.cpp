// Changes IR: patterns that the wheel's drivers call, a dialect conversion, and
// edits by hand.

#include "core/abi/canary/Canary.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
namespace tt = mlir::triton;

namespace canary {
namespace {

struct DropAddOfZero : OpRewritePattern<arith::AddIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddIOp op,
                                PatternRewriter &rewriter) const override {
    if (!matchPattern(op.getRhs(), m_Zero()))
      return rewriter.notifyMatchFailure(op, [](Diagnostic &diagnostic) {
        diagnostic << "the right side is not zero";
      });
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};

/// Counts what the wheel's greedy driver tells it.
struct Counter : RewriterBase::Listener {
  void notifyOperationReplaced(Operation *, ValueRange) override { ++replaced; }
  void notifyOperationErased(Operation *) override { ++erased; }
  void notifyPatternBegin(const Pattern &, Operation *) override { ++tried; }

  int64_t replaced = 0, erased = 0, tried = 0;
};

/// Counts touches up as their tag becomes number 0.
struct CountTouch : OpConversionPattern<TouchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TouchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getTag().getType());
    if (!type)
      return failure();
    rewriter.replaceOpWithNewOp<TouchOp>(op, type, adaptor.getValues(),
                                         op.getTimes() + 1);
    return success();
  }
};

/// Doubles the step of a loop and puts its body in twice.
void unrollByTwo(scf::ForOp loop) {
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  Value step =
      arith::AddIOp::create(rewriter, loc, loop.getStep(), loop.getStep());
  auto twice = scf::ForOp::create(
      rewriter, loc, loop.getLowerBound(), loop.getUpperBound(), step,
      loop.getInitArgs(),
      [&](OpBuilder &builder, Location, Value index, ValueRange arguments) {
        SmallVector<Value> carried(arguments);
        for (int copy = 0; copy < 2; ++copy) {
          IRMapping mapping;
          mapping.map(loop.getInductionVar(), index);
          mapping.map(loop.getRegionIterArgs(), carried);
          for (Operation &op : loop.getBody()->without_terminator())
            builder.clone(op, mapping);
          auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
          for (auto [value, yielded] : llvm::zip(carried, yield.getResults()))
            value = mapping.lookupOrDefault(yielded);
        }
        scf::YieldOp::create(builder, loc, carried);
      });
  rewriter.replaceOp(loop, twice);
}

class Rewrite : public PassWrapper<Rewrite, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Rewrite)

  StringRef getArgument() const override { return "canary-rewrite"; }
  StringRef getName() const override { return "CanaryRewrite"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<CanaryDialect, arith::ArithDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    getOperation()->removeAttr("canary.facts");
    if (failed(simplify()) || failed(convertTags()))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      unrollByTwo(loop);
    cloneLeaf();
  }

private:
  LogicalResult simplify();
  LogicalResult convertTags();
  void cloneLeaf();
};

LogicalResult Rewrite::simplify() {
  RewritePatternSet patterns(&getContext());
  patterns.add<DropAddOfZero>(&getContext(), PatternBenefit(2));
  Counter counter;
  GreedyRewriteConfig config;
  config.setListener(&counter).enableFolding(false).enableConstantCSE(false);
  LogicalResult result =
      applyPatternsGreedily(getOperation(), std::move(patterns), config);
  Builder builder(&getContext());
  getOperation()->setAttr(
      "canary.listener",
      builder.getDenseI64ArrayAttr(
          {counter.replaced, counter.erased, counter.tried}));
  return result;
}

LogicalResult Rewrite::convertTags() {
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](TagType type) -> Type {
    if (type.getId() == 0)
      return type;
    return TagType::get(type.getContext(), 0, type.getPath());
  });
  ConversionTarget target(getContext());
  target.addLegalDialect<arith::ArithDialect, scf::SCFDialect>();
  target.addLegalOp<ModuleOp>();
  target.addDynamicallyLegalOp<TouchOp>(
      [&](TouchOp op) { return converter.isLegal(op.getTag().getType()); });
  RewritePatternSet patterns(&getContext());
  patterns.add<CountTouch>(converter, &getContext());
  return applyPartialConversion(getOperation(), target, std::move(patterns));
}

void Rewrite::cloneLeaf() {
  SymbolTable symbols(getOperation());
  auto leaf = symbols.lookup<tt::FuncOp>("leaf");
  auto copy = cast<tt::FuncOp>(leaf->clone());
  // A name that is taken makes the table find another.
  symbols.insert(copy, std::next(Block::iterator(leaf)));
  // Its body moves to another block and back, and loses an op on the way.
  Block &body = copy.getBody().front();
  Block *rest = body.splitBlock(body.begin());
  for (Operation &op : llvm::make_early_inc_range(*rest))
    if (isa<TwiceOp>(op)) {
      op.getResult(0).replaceAllUsesWith(op.getOperand(0));
      op.erase();
    }
  while (!rest->empty())
    rest->front().moveBefore(&body, body.end());
  rest->erase();
  copy.setPublic();
}

} // namespace

std::unique_ptr<Pass> createRewrite() { return std::make_unique<Rewrite>(); }

} // namespace canary
