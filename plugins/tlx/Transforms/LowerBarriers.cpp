#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "plugins/tlx/Transforms/Clusters.h"
#include "plugins/tlx/Transforms/Lowering.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace tlx {

namespace {

void initBarriers(OpBuilder &b, ttg::LocalAllocOp alloc, int arriveCount) {
  ttg::MemDescType type = alloc.getType();
  auto barrierType = ttg::MemDescType::get(
      type.getShape().drop_front(), type.getElementType(), type.getEncoding(),
      type.getMemorySpace(), /*mutableMemory=*/true);
  for (int64_t i = 0; i < type.getShape()[0]; ++i) {
    Value index =
        arith::ConstantIntOp::create(b, alloc.getLoc(), i, /*width=*/32);
    Value barrier = ttg::MemDescIndexOp::create(b, alloc.getLoc(), barrierType,
                                                alloc, index);
    ttng::InitBarrierOp::create(b, alloc.getLoc(), barrier, arriveCount);
  }
}

/// Shared memory is given away after an allocation's last use, and the
/// compiler does not see who may still signal a barrier.
void keepUntilReturn(triton::FuncOp function, ttg::LocalAllocOp alloc) {
  DominanceInfo dominance(function);
  function.walk([&](triton::ReturnOp op) {
    OpBuilder b(op);
    if (dominance.properlyDominates(alloc.getOperation(), op))
      ttg::LocalDeallocOp::create(b, alloc.getLoc(), alloc);
  });
}

/// Stock's arrival is one thread's, for which all warps of the task wait.
Operation *arriveByWarp(OpBuilder &b, BarrierArriveOp op) {
  // PTX ISA, "bar.warp.sync": what the warp's threads did before is visible
  // to the one that arrives.
  std::string text = "{\n"
                     "  .reg .pred elected;\n"
                     "  bar.warp.sync 0xffffffff;\n"
                     "  elect.sync _|elected, 0xffffffff;\n";
  std::string arrive = "  @elected mbarrier.arrive.shared::cta.b64 _, [$0], ";
  if (getClusterSize(op) > 1) {
    // Inline assembly gets addresses without the bits that name the block.
    text += "  .reg .b32 own;\n"
            "  mov.u32 own, %cluster_ctarank;\n"
            "  mapa.shared::cluster.u32 own, $0, own;\n";
    arrive = "  @elected mbarrier.arrive.shared::cluster.b64 _, [own], ";
  }
  text += arrive + std::to_string(op.getCount()) + ";\n}";
  return ttg::InlineAsmOp::create(b, op.getLoc(), /*resultTypes=*/TypeRange(),
                                  text, "r,~{memory}", /*pure=*/false,
                                  op->getOperand(0));
}

template <typename ArriveOp> WalkResult checkWarpsOf(ArriveOp op) {
  int warps = ttg::lookupNumWarps(op);
  if (!op.getWarps() || static_cast<int>(*op.getWarps()) == warps)
    return WalkResult::advance();
  return op.emitError("arrives in a task of ")
         << warps << " warps at a barrier for tasks of " << *op.getWarps()
         << "; each warp arrives, so tlx.alloc_warp_barrier must know: "
            "num_warps="
         << warps;
}

LogicalResult checkWarps(triton::FuncOp function) {
  WalkResult walk = function.walk([](Operation *op) {
    if (auto arrive = dyn_cast<BarrierArriveOp>(op))
      return checkWarpsOf(arrive);
    if (auto arrive = dyn_cast<RemoteArriveOp>(op))
      return checkWarpsOf(arrive);
    return WalkResult::advance();
  });
  return success(!walk.wasInterrupted());
}

} // namespace

LogicalResult lowerBarriers(triton::FuncOp function) {
  WalkResult walk = function.walk([&](AllocBarriersOp op) -> WalkResult {
    if (op->getParentOp() == function)
      return WalkResult::advance();
    return op.emitError("allocates barriers inside of a loop, a branch or a "
                        "task, where they would be made anew while others "
                        "still use them; move it to the top of the kernel");
  });
  if (walk.wasInterrupted() || failed(checkWarps(function)))
    return failure();

  bool warpsArrive = false;
  function.walk([&](BarrierArriveOp op) { warpsArrive |= !!op.getWarps(); });
  replaceEach<AllocBarriersOp>(function, [&](OpBuilder &b, AllocBarriersOp op) {
    auto alloc =
        ttg::LocalAllocOp::create(b, op.getLoc(), op->getResult(0).getType());
    initBarriers(b, alloc, op.getArriveCount());
    // Stock's analysis of shared memory does not see arrivals of warps.
    if (warpsArrive)
      ttg::BarrierOp::create(b, op.getLoc(), ttg::AddrSpace::Local);
    keepUntilReturn(function, alloc);
    return alloc;
  });
  replaceEach<BarrierWaitOp>(function, [](OpBuilder &b, BarrierWaitOp op) {
    return ttng::WaitBarrierOp::create(b, op.getLoc(), op->getOperand(0),
                                       op.getPhase(), op.getPredicate());
  });
  replaceEach<BarrierArriveOp>(
      function, [](OpBuilder &b, BarrierArriveOp op) -> Operation * {
        if (op.getWarps())
          return arriveByWarp(b, op);
        return ttng::ArriveBarrierOp::create(b, op.getLoc(), op->getOperand(0),
                                             op.getCount());
      });
  replaceEach<BarrierExpectOp>(function, [](OpBuilder &b, BarrierExpectOp op) {
    Value predicate = op.getPredicate();
    if (!predicate)
      predicate =
          arith::ConstantIntOp::create(b, op.getLoc(), true, /*width=*/1);
    return ttng::BarrierExpectOp::create(b, op.getLoc(), op->getOperand(0),
                                         op.getBytes(), predicate);
  });
  replaceEach<FenceAsyncSharedOp>(
      function, [](OpBuilder &b, FenceAsyncSharedOp op) {
        return ttng::FenceAsyncSharedOp::create(b, op.getLoc(),
                                                /*bCluster=*/false);
      });
  return success();
}

} // namespace tlx
