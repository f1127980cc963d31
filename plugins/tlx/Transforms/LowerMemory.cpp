#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/Lowering.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

LogicalResult lowerMemory(triton::FuncOp function) {
  replaceEach<LocalAllocOp>(function, [](OpBuilder &b, LocalAllocOp op) {
    auto alloc =
        ttg::LocalAllocOp::create(b, op.getLoc(), op->getResult(0).getType());
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
        op.getOther(), /*cachePolicy=*/Attribute(), op.getIsVolatile());
  });
  replaceEach<AsyncCommitOp>(function, [](OpBuilder &b, AsyncCommitOp op) {
    return ttg::AsyncCommitGroupOp::create(b, op.getLoc(), ValueRange());
  });
  return success();
}

} // namespace tlx
