#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "plugins/tlx/Transforms/Clusters.h"
#include "plugins/tlx/Transforms/Lowering.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

int getClusterSize(Operation *op) {
  auto size = op->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(
      clusterSizeAttrName);
  return size ? size.getInt() : 1;
}

namespace {

/// The blocks that the op names.
ValueRange getRanks(Operation *op) {
  if (auto arrive = dyn_cast<RemoteArriveOp>(op))
    return arrive.getODSOperands(1);
  if (auto load = dyn_cast<AsyncDescriptorLoadOp>(op))
    return load.getTargets();
  if (auto store = dyn_cast<RemoteStoreOp>(op))
    return store.getODSOperands(2);
  if (auto load = dyn_cast<RemoteLoadOp>(op))
    return load.getODSOperands(1);
  return {};
}

LogicalResult checkRanks(Operation *op) {
  int size = getClusterSize(op);
  if (auto load = dyn_cast<AsyncDescriptorLoadOp>(op))
    if (size == 1 && !load.getTargets().empty())
      return op->emitError("copies to blocks of a cluster, but the kernel has "
                           "none; launch it with num_ctas=2 or more");
  for (Value rank : getRanks(op)) {
    std::optional<int64_t> number = getConstantIntValue(rank);
    if (number && (*number < 0 || *number >= size))
      return op->emitError("names block ")
             << *number << " of the cluster, which has " << size
             << " (num_ctas), numbered from 0";
  }
  return success();
}

bool isRemote(Operation *op) { return !getRanks(op).empty(); }

bool hasRemote(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isRemote(inner) ? WalkResult::interrupt()
                               : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Blocks of a cluster start one by one, and each makes its barriers itself:
/// nobody may touch another's memory before all have come this far. Nor may a
/// block end while others still touch its memory.
void synchronizeBlocks(triton::FuncOp function) {
  bool areReady = false, mayBeTouched = false;
  for (Block &block : function.getBody())
    for (Operation &op : llvm::make_early_inc_range(block)) {
      OpBuilder b(&op);
      if (isa<AllocBarriersOp, LocalAllocOp>(op)) {
        areReady = false;
      } else if (isa<ClusterBarrierOp>(op)) {
        if (!areReady)
          FenceMbarrierInitClusterOp::create(b, op.getLoc());
        areReady = true;
        mayBeTouched = false;
      } else if (isa<triton::ReturnOp>(op)) {
        if (mayBeTouched)
          ClusterBarrierOp::create(b, op.getLoc());
      } else if (hasRemote(&op)) {
        if (!areReady) {
          FenceMbarrierInitClusterOp::create(b, op.getLoc());
          ClusterBarrierOp::create(b, op.getLoc());
        }
        areReady = mayBeTouched = true;
      }
    }
}

/// A layout whose threads each have 16 bytes in a row, which one instruction
/// moves.
RankedTensorType getWideType(Operation *op, RankedTensorType type) {
  unsigned rank = type.getRank();
  SmallVector<unsigned> sizes(rank, 1), order;
  for (unsigned dim : llvm::reverse(llvm::seq(rank)))
    order.push_back(dim);
  unsigned bytes = type.getElementTypeBitWidth() / 8;
  sizes.back() =
      std::min<int64_t>(std::max(1u, 16 / bytes), type.getShape().back());
  OpBuilder b(op);
  return type.cloneWithEncoding(ttg::BlockedEncodingAttr::get(
      op->getContext(), type.getShape(), sizes, order, ttg::lookupNumWarps(op),
      ttg::lookupThreadsPerWarp(b),
      ttg::CGAEncodingAttr::get1CTALayout(op->getContext(), rank)));
}

void widen(RemoteStoreOp op) {
  OpBuilder b(op);
  auto type = getWideType(op, cast<RankedTensorType>(op.getValue().getType()));
  op.getValueMutable().assign(
      ttg::ConvertLayoutOp::create(b, op.getLoc(), type, op.getValue()));
}

void widen(RemoteLoadOp op) {
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  auto type = cast<RankedTensorType>(op.getType());
  op.getResult().setType(getWideType(op, type));
  auto converted =
      ttg::ConvertLayoutOp::create(b, op.getLoc(), type, op.getResult());
  op.getResult().replaceAllUsesExcept(converted, converted);
}

} // namespace

LogicalResult lowerClusters(triton::FuncOp function) {
  WalkResult walk =
      function.walk([](Operation *op) { return WalkResult(checkRanks(op)); });
  if (walk.wasInterrupted())
    return failure();
  synchronizeBlocks(function);
  function.walk([](RemoteStoreOp op) { widen(op); });
  function.walk([](RemoteLoadOp op) { widen(op); });
  // What all threads have done comes before the arrival of one.
  function.walk([](RemoteArriveOp op) {
    if (op.getWarps())
      return;
    OpBuilder b(op);
    ttg::BarrierOp::create(b, op.getLoc(), ttg::AddrSpace::Local);
    op.getPredicateMutable().assign(createIsFirstWarp(b, op.getLoc()));
  });
  return success();
}

} // namespace tlx
