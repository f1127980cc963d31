#include "mlir/Dialect/Arith/IR/Arith.h"
#include "plugins/layout/Transforms/Conversions.h"
#include "plugins/layout/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/IR/LinearLayoutConversions.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace layout {

#define GEN_PASS_DEF_LAYOUTLOWER
#include "plugins/layout/Transforms/Passes.h.inc"

namespace {

StringRef describe(Reach reach) {
  switch (reach) {
  case Reach::Nothing:
    return "moves nothing";
  case Reach::Thread:
    return "moves data between the registers of a thread";
  case Reach::Warp:
    return "moves data between the threads of a warp";
  case Reach::Block:
    return "moves data between warps";
  }
  llvm_unreachable("unknown reach");
}

RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Passes before lowering must have left the layout that was asked for.
template <typename OpT> LogicalResult checkHonoured(OpT op) {
  if (op.getLike())
    return op.emitError("the layout was not resolved; layout-resolve with "
                        "finish must run before");
  Attribute is = getType(op).getEncoding();
  if (is != op.getLayoutAttr())
    return op.emitError("the kernel asks for the layout ")
           << op.getLayoutAttr() << ", but a pass made it " << is;
  return success();
}

Value createConversion(OpBuilder &builder, Location loc, Value source,
                       RankedTensorType type, bool forceShuffle = false) {
  if (source.getType() == type)
    return source;
  return ttg::ConvertLayoutOp::create(builder, loc, type, source, forceShuffle);
}

/// Shared memory holds no pointers and nothing narrower than a byte.
Type getStoredElement(Type element) {
  MLIRContext *context = element.getContext();
  if (isa<tt::PointerType>(element))
    return IntegerType::get(context, 64);
  return element.isInteger(1) ? IntegerType::get(context, 8) : element;
}

Value createRoundTrip(OpBuilder &builder, Location loc, Value source,
                      RankedTensorType type, Attribute shared) {
  Type element = getStoredElement(type.getElementType());
  bool isPointer = isa<tt::PointerType>(type.getElementType());
  bool isStored = element == type.getElementType();
  if (!isStored) {
    auto storedType = getType(source).clone(element);
    source =
        isPointer
            ? Value(tt::PtrToIntOp::create(builder, loc, storedType, source))
            : arith::ExtUIOp::create(builder, loc, storedType, source);
  }
  auto space = ttg::SharedMemorySpaceAttr::get(type.getContext());
  auto bufferType =
      ttg::MemDescType::get(type.getShape(), element, shared, space);
  Value buffer = ttg::LocalAllocOp::create(builder, loc, bufferType, source);
  Value loaded =
      ttg::LocalLoadOp::create(builder, loc, type.clone(element), buffer);
  if (isStored)
    return loaded;
  return isPointer ? Value(tt::IntToPtrOp::create(builder, loc, type, loaded))
                   : arith::TruncIOp::create(builder, loc, type, loaded);
}

class Lowering {
public:
  explicit Lowering(const Target &target) : target(target) {}

  LogicalResult lower(Operation *op) const {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<PinOp, ConvertOp, AssertTrivialOp>(
            [&](auto op) { return lower(op); })
        .Default([](Operation *op) {
          return op->emitOpError("was not resolved; layout-resolve with finish "
                                 "must run before");
        });
  }

private:
  LogicalResult lower(PinOp op) const {
    if (failed(checkHonoured(op)))
      return failure();
    replace(op, op.getSrc());
    return success();
  }

  LogicalResult lower(AssertTrivialOp op) const {
    if (failed(checkHonoured(op)))
      return failure();
    Value source = skipConversions(op.getSrc());
    Reach reach = getReach(getType(source), getType(op));
    if (reach != Reach::Nothing)
      return op.emitError("the conversion is not trivial: it ")
             << describe(reach) << ", from " << getType(source).getEncoding()
             << " to " << getType(op).getEncoding();
    OpBuilder builder(op);
    replace(op, createConversion(builder, op.getLoc(), source, getType(op)));
    return success();
  }

  LogicalResult lower(ConvertOp op) const {
    if (failed(checkHonoured(op)))
      return failure();
    Value source = skipConversions(op.getSrc());
    RankedTensorType from = getType(source), to = getType(op);
    Reach reach = getReach(from, to);
    if ((op.getVia() == Via::Registers && reach > Reach::Thread) ||
        (op.getVia() == Via::Shuffle && reach > Reach::Warp))
      return op.emitError("the conversion cannot go via ")
             << stringifyVia(op.getVia()) << ": it " << describe(reach)
             << ", from " << from.getEncoding() << " to " << to.getEncoding();

    OpBuilder builder(op);
    if (op.getVia() != Via::Shared) {
      bool force = op.getVia() == Via::Shuffle && reach == Reach::Warp;
      replace(op, createConversion(builder, op.getLoc(), source, to, force));
      return success();
    }
    Attribute shared = op.getSharedAttr() ? op.getSharedAttr()
                                          : target.getSharedLayout(from, to);
    replace(op, createRoundTrip(builder, op.getLoc(), source, to, shared));
    return success();
  }

  static void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  const Target &target;
};

/// Erases conversions that lowering left without users.
void eraseUnused(ModuleOp module) {
  SmallVector<ttg::ConvertLayoutOp> converts;
  module.walk([&](ttg::ConvertLayoutOp op) { converts.push_back(op); });
  for (ttg::ConvertLayoutOp op : llvm::reverse(converts))
    if (op->use_empty())
      op.erase();
}

struct Lower : impl::LayoutLowerBase<Lower> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<LayoutDialect>(op->getDialect()))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    FailureOr<Target> target = Target::get(getOperation());
    if (failed(target))
      return signalPassFailure();
    Lowering lowering(*target);
    // The last ones first, since what an op becomes is a conversion that those
    // behind it must not skip.
    for (Operation *op : llvm::reverse(ops))
      if (failed(lowering.lower(op)))
        return signalPassFailure();
    eraseUnused(getOperation());
  }
};

} // namespace
} // namespace layout
