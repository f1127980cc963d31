#include "plugins/sparsity24/IR/Instructions.h"
#include "plugins/sparsity24/IR/Sparsity24.h"
#include "triton_plugin/SharedMemory.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

#define GET_OP_CLASSES
#include "plugins/sparsity24/IR/Sparsity24Ops.cpp.inc"

namespace sparsity24 {

namespace {

/// Columns of the dense matrix that one value, and one word of metadata, stand
/// for.
constexpr int64_t columnsPerValue = 2, columnsPerWord = 16;

LogicalResult verifyCompressed(Operation *op, ShapedType values,
                               RankedTensorType meta) {
  if (values.getRank() != 2 || meta.getRank() != 2)
    return op->emitOpError("needs matrices, but values have ")
           << values.getRank() << " and meta has " << meta.getRank()
           << " dimensions";
  int64_t rows = values.getDimSize(0);
  int64_t columns = values.getDimSize(1) * columnsPerValue;
  if (columns % columnsPerWord != 0)
    return op->emitOpError("has values of shape [")
           << values.getShape() << "], which stand for " << columns
           << " columns, but a word of metadata stands for 16: the columns "
              "must "
              "be a multiple of 16";
  if (meta.getDimSize(0) != rows ||
      meta.getDimSize(1) * columnsPerWord != columns)
    return op->emitOpError("has values of shape [")
           << values.getShape() << "] and meta of shape [" << meta.getShape()
           << "]; these values need meta of shape [" << rows << ", "
           << columns / columnsPerWord << "]";
  return success();
}

LogicalResult verifyDense(Operation *op, RankedTensorType dense,
                          RankedTensorType values, RankedTensorType meta) {
  if (failed(verifyCompressed(op, values, meta)))
    return failure();
  SmallVector<int64_t> expected = {values.getDimSize(0),
                                   values.getDimSize(1) * columnsPerValue};
  if (dense.getShape() != ArrayRef(expected) ||
      dense.getElementType() != values.getElementType())
    return op->emitOpError("has a dense matrix of ")
           << dense.getElementType() << " with shape [" << dense.getShape()
           << "]; the values need " << values.getElementType()
           << " with shape [" << expected << "]";
  return success();
}

/// Dimensions are a DotOpInterface's to verify, which runs before an op's own
/// verifier.
template <typename DotOp> bool haveDotShapes(DotOp dot) {
  auto values = cast<ShapedType>(dot.getValues().getType());
  auto b = cast<ShapedType>(dot.getB().getType());
  return values.getRank() == 2 && b.getRank() == 2 &&
         values.getDimSize(1) * columnsPerValue == b.getDimSize(0);
}

/// What hold_meta makes must be as many registers as the instructions take.
LogicalResult verifyRegisters(Operation *dot, RankedTensorType result,
                              int64_t depth, RankedTensorType meta) {
  auto layout =
      dyn_cast_if_present<ttg::NvidiaMmaEncodingAttr>(result.getEncoding());
  if (!layout)
    return dot->emitOpError("takes metadata in registers, but its result has "
                            "no layout of an instruction");
  SmallVector<int64_t> expected = {
      32 * ttg::lookupNumWarps(dot),
      result.getDimSize(0) / (16 * layout.getWarpsPerCTA()[0]) *
          static_cast<int64_t>(llvm::divideCeil(depth, 64))};
  if (meta.getShape() != ArrayRef(expected))
    return dot->emitOpError("has metadata in registers of shape [")
           << meta.getShape() << "]; this product needs [" << expected << "]";
  return success();
}

template <typename DotOp> LogicalResult verifyDot(DotOp dot) {
  auto values = cast<ShapedType>(dot.getValues().getType());
  auto b = cast<ShapedType>(dot.getB().getType());
  auto meta = cast<RankedTensorType>(dot.getMeta().getType());
  if (failed(meta.getElementType().isInteger(16)
                 ? verifyCompressed(dot, values, meta)
                 : verifyRegisters(dot, dot.getResult().getType(),
                                   b.getDimSize(0), meta)))
    return failure();
  Type element = values.getElementType();
  if (!element.isF16() && !element.isBF16())
    return dot->emitOpError("multiplies elements of ")
           << element << "; float16 or bfloat16 is needed";
  if (element != b.getElementType())
    return dot->emitOpError("multiplies values of ")
           << element << " by b of " << b.getElementType()
           << "; both must have the same type";
  Type accumulator = dot.getResult().getType().getElementType();
  if (accumulator.isF16() && !element.isF16())
    return dot->emitOpError("accumulates products of bf16 in f16; f32 is "
                            "needed");
  // Before sparsity24-accelerate-dot has chosen, it is that pass which
  // complains, with the kernel's line.
  if (!isa_and_present<ttg::MmaEncodingTrait>(
          dot.getResult().getType().getEncoding()))
    return success();
  return findInstruction(dot);
}

} // namespace

FailureOr<const Instruction *> findInstruction(tt::DotOpInterface dot) {
  auto target = dot->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
      ttg::AttrTargetName);
  auto result = cast<RankedTensorType>(dot.getD().getType());
  auto b = cast<ShapedType>(dot.getB().getType());
  Product product = {result.getDimSize(0), result.getDimSize(1),
                     b.getDimSize(0), result.getElementType().isF16(),
                     static_cast<unsigned>(ttg::lookupNumWarps(dot))};
  StringRef name = target ? target.getValue() : StringRef("an unnamed target");
  if (const Instruction *instruction = chooseInstruction(name, product))
    return instruction;
  return dot->emitOpError("multiplies ")
         << product.m << "x" << product.k << " by " << product.k << "x"
         << product.n << " into " << result.getElementType() << " with "
         << product.numWarps << " warps, but " << name << " "
         << describeInstructions(name);
}

RankedTensorType getMetaRegistersType(Operation *op, Value meta) {
  MLIRContext *context = op->getContext();
  unsigned numWarps = ttg::lookupNumWarps(op), numLanes = 32;
  unsigned numRegisters = ttg::getTotalElemsPerThread(meta.getType()) / 2;
  auto layout = ttg::BlockedEncodingAttr::get(
      context, {1, numRegisters}, {numLanes, 1}, {numWarps, 1}, {1, 0},
      ttg::CGAEncodingAttr::get1CTALayout(context, /*rank=*/2));
  return RankedTensorType::get({numLanes * numWarps, numRegisters},
                               IntegerType::get(context, 32), layout);
}

Value SparseDotOp::getA() { return getValues(); }
Value SparseDotOp::getD() { return getResult(); }
Value AsyncSparseDotOp::getA() { return getValues(); }
Value AsyncSparseDotOp::getD() { return getResult(); }
bool SparseDotOp::verifyDims() { return haveDotShapes(*this); }
bool AsyncSparseDotOp::verifyDims() { return haveDotShapes(*this); }
LogicalResult SparseDotOp::verify() { return verifyDot(*this); }
LogicalResult AsyncSparseDotOp::verify() { return verifyDot(*this); }

void AsyncSparseDotOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand *operand : {&getValuesMutable(), &getBMutable()})
    effects.push_back(triton_plugin::makeSharedEffect<MemoryEffects::Read>(
        *operand, ttg::SharedKind::Async));
}

LogicalResult HoldMetaOp::verify() {
  if (!getMeta().getType().getEncoding())
    return emitOpError("needs metadata with the layout that "
                       "sparsity24-accelerate-dot gives it");
  RankedTensorType expected = getMetaRegistersType(*this, getMeta());
  if (getPrevious().getType() != expected)
    return emitOpError("has metadata in registers of type ")
           << getPrevious().getType() << "; this metadata needs " << expected;
  return success();
}

LogicalResult CompressOp::verify() {
  return verifyDense(*this, getDense().getType(), getValues().getType(),
                     getMeta().getType());
}

LogicalResult DecompressOp::verify() {
  return verifyDense(*this, getDense().getType(), getValues().getType(),
                     getMeta().getType());
}

} // namespace sparsity24
