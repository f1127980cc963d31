#include "mlir/Dialect/Arith/IR/Arith.h"
#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/Lowering.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace tlx {

namespace {

/// Bytes that views of any layout may begin at: the widest swizzle of WGMMA and
/// TMA repeats every 1024 bytes (PTX ISA, "Swizzling modes" of tensors).
Operation *lowerStorage(OpBuilder &b, StorageAliasSpecOp op) {
  constexpr int64_t alignment = 1024;
  int64_t blocks = llvm::divideCeil(*op.getSize(), alignment);
  auto layout = ttg::SwizzledSharedEncodingAttr::get(
      b.getContext(), /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1, /*order=*/{0},
      ttg::CGAEncodingAttr::get1CTALayout(b.getContext(), /*rank=*/1));
  auto type = ttg::MemDescType::get(
      {blocks, alignment}, b.getI8Type(), layout,
      ttg::SharedMemorySpaceAttr::get(b.getContext()), /*mutableMemory=*/true);
  auto alloc = ttg::LocalAllocOp::create(b, op.getLoc(), type);
  alloc.setAlignment(alignment);
  alloc->setAttr(managedAllocAttrName, b.getUnitAttr());
  return alloc;
}

/// Threads write through the generic proxy and the copy reads through the
/// asynchronous one (PTX ISA, "Async proxy").
Operation *lowerStore(OpBuilder &b, AsyncStoreOp op) {
  Location loc = op.getLoc();
  ttng::FenceAsyncSharedOp::create(b, loc, /*bCluster=*/false);
  ttg::BarrierOp::create(b, loc, ttg::AddrSpace::Local);
  return AsyncStoreOp::create(b, loc, op.getDestination(), op->getOperand(1),
                              op.getSize(), createIsFirstWarp(b, loc));
}

Operation *lowerBulkLoad(OpBuilder &b, AsyncBulkLoadOp op) {
  return AsyncBulkLoadOp::create(
      b, op.getLoc(), op.getSource(), op->getOperand(1), op.getSize(),
      op->getOperand(3), createIsFirstWarp(b, op.getLoc()), op.getEvict());
}

Attribute getCachePolicy(AsyncLoadOp op) {
  if (op.getCache() == triton::CacheModifier::NONE &&
      op.getEvict() == triton::EvictionPolicy::NORMAL)
    return {};
  return triton::CachePolicyAttr::get(op.getContext(), op.getCache(),
                                      op.getEvict());
}

} // namespace

Value createIsFirstWarp(OpBuilder &b, Location loc) {
  Value zero = arith::ConstantIntOp::create(b, loc, 0, /*width=*/32);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                               ttg::WarpIdOp::create(b, loc), zero);
}

LogicalResult lowerMemory(triton::FuncOp function) {
  replaceEach<StorageAliasSpecOp>(function, lowerStorage);
  replaceEach<LocalAllocOp>(
      function, [](OpBuilder &b, LocalAllocOp op) -> Operation * {
        Type type = op->getResult(0).getType();
        if (op->getNumOperands())
          return ttg::MemDescReinterpretOp::create(b, op.getLoc(), type,
                                                   op->getOperand(0));
        auto alloc = ttg::LocalAllocOp::create(b, op.getLoc(), type);
        if (!op.getLayout())
          alloc->setAttr(managedAllocAttrName, b.getUnitAttr());
        return alloc;
      });
  replaceEach<LocalViewOp>(function, [](OpBuilder &b, LocalViewOp op) {
    return ttg::MemDescIndexOp::create(b, op.getLoc(),
                                       op->getResult(0).getType(),
                                       op->getOperand(0), op.getIndex());
  });
  replaceEach<LocalSliceOp>(function, [](OpBuilder &b, LocalSliceOp op) {
    return ttg::MemDescSubsliceOp::create(b, op.getLoc(),
                                          op->getResult(0).getType(),
                                          op->getOperand(0), op.getOffsets());
  });
  replaceEach<LocalTransOp>(function, [](OpBuilder &b, LocalTransOp op) {
    return ttg::MemDescTransOp::create(b, op.getLoc(),
                                       op->getResult(0).getType(),
                                       op->getOperand(0), op.getOrder());
  });
  replaceEach<LocalReinterpretOp>(
      function, [](OpBuilder &b, LocalReinterpretOp op) {
        return ttg::MemDescReinterpretOp::create(
            b, op.getLoc(), op->getResult(0).getType(), op->getOperand(0));
      });
  replaceEach<LocalLoadOp>(function, [](OpBuilder &b, LocalLoadOp op) {
    return ttg::LocalLoadOp::create(b, op.getLoc(), op.getType(),
                                    op->getOperand(0));
  });
  replaceEach<LocalStoreOp>(function, [](OpBuilder &b, LocalStoreOp op) {
    return ttg::LocalStoreOp::create(b, op.getLoc(), op.getValue(),
                                     op->getOperand(1));
  });
  replaceEach<AsyncLoadOp>(function, [](OpBuilder &b, AsyncLoadOp op) {
    return ttg::AsyncCopyGlobalToLocalOp::create(
        b, op.getLoc(), op.getPointers(), op->getOperand(1), op.getMask(),
        op.getOther(), getCachePolicy(op), op.getIsVolatile());
  });
  replaceEach<AsyncBulkLoadOp>(function, lowerBulkLoad);
  replaceEach<AsyncStoreOp>(function, lowerStore);
  replaceEach<AsyncCommitOp>(function, [](OpBuilder &b, AsyncCommitOp op) {
    return ttg::AsyncCommitGroupOp::create(b, op.getLoc(), ValueRange());
  });
  return success();
}

} // namespace tlx
