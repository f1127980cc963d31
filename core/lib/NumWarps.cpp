#include "triton_plugin/NumWarps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/Triton/IR/Utility.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace triton_plugin {

namespace {

/// Maps layouts to another number of warps. Which dimensions the warps lie on
/// follows from the layout alone, so that layouts derived from one another
/// (slices, transpositions, operands of dots) still are.
class LayoutMap {
public:
  LayoutMap(Region &region, int numWarps)
      : numWarps(numWarps), context(region.getContext()) {
    OpBuilder builder(region);
    threadsPerWarp = ttg::lookupThreadsPerWarp(builder);
    numCTAs = ttg::lookupNumCTAs(builder);
  }

  Type map(Type type) const {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.getEncoding())
      return type;
    return tensor.cloneWithEncoding(
        mapLayout(tensor.getEncoding(), tensor.getShape()));
  }

private:
  Attribute mapLayout(Attribute layout, ArrayRef<int64_t> shape) const {
    if (auto blocked = dyn_cast<ttg::BlockedEncodingAttr>(layout))
      return mapBlocked(blocked);
    if (auto slice = dyn_cast<ttg::SliceEncodingAttr>(layout)) {
      SmallVector<int64_t> parentShape(shape);
      parentShape.insert(parentShape.begin() + slice.getDim(), 1);
      return ttg::SliceEncodingAttr::get(
          context, slice.getDim(),
          cast<ttg::DistributedEncodingTrait>(
              mapLayout(slice.getParent(), parentShape)));
    }
    if (auto operand = dyn_cast<ttg::DotOperandEncodingAttr>(layout))
      return ttg::DotOperandEncodingAttr::get(
          context, operand.getOpIdx(), mapLayout(operand.getParent(), shape),
          operand.getKWidth());
    // Only what a reshape makes has another layout here; see convertInferred.
    return ttg::getDefaultBlockedEncoding(context, shape, numWarps,
                                          threadsPerWarp, numCTAs);
  }

  Attribute mapBlocked(ttg::BlockedEncodingAttr layout) const {
    SmallVector<unsigned> warps(layout.getWarpsPerCTA());
    unsigned had = product(warps);
    // The slowest dimension is the one that the warps lie on first.
    for (unsigned dim : llvm::reverse(layout.getOrder()))
      while (had > numWarps && warps[dim] > 1) {
        warps[dim] /= 2;
        had /= 2;
      }
    warps[layout.getOrder().back()] *= numWarps / had;
    return ttg::BlockedEncodingAttr::get(
        context, layout.getSizePerThread(), layout.getThreadsPerWarp(), warps,
        layout.getOrder(), layout.getCGALayout());
  }

  unsigned numWarps;
  int threadsPerWarp;
  int numCTAs;
  MLIRContext *context;
};

/// The layout of what these make is fixed by their operand's.
void convertInferred(Operation *op) {
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  Attribute layout = inferDstEncoding(op, source.getEncoding());
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    if (type.getEncoding() == layout)
      continue;
    result.setType(type.cloneWithEncoding(layout));
    auto converted =
        ttg::ConvertLayoutOp::create(builder, op->getLoc(), type, result);
    result.replaceAllUsesExcept(converted, converted);
  }
}

} // namespace

void setNumWarps(Region &region, int numWarps) {
  LayoutMap layouts(region, numWarps);
  SmallVector<Operation *> inferred;
  region.walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(layouts.map(result.getType()));
    for (Region &nested : op->getRegions())
      for (Block &block : nested)
        for (BlockArgument argument : block.getArguments())
          argument.setType(layouts.map(argument.getType()));
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto value = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            value.reshape(cast<ShapedType>(constant.getType())));
    if (isa<tt::TransOp, tt::ReshapeOp, tt::JoinOp, tt::SplitOp>(op))
      inferred.push_back(op);
  });
  for (Operation *op : inferred)
    convertInferred(op);
}

} // namespace triton_plugin
