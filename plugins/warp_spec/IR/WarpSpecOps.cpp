#include "mlir/Dialect/SCF/IR/SCF.h"
#include "plugins/warp_spec/IR/WarpSpec.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "plugins/warp_spec/IR/WarpSpecOps.cpp.inc"

namespace warp_spec {

LogicalResult CreateChannelOp::verify() {
  if (getBytes() && *getBytes() == 0)
    return emitOpError("counts no bytes; leave 'bytes' out where cp.async "
                       "fills the channel");
  return success();
}

LogicalResult ReleaseOp::verify() {
  if (getDelayed() && !isa<scf::ForOp>((*this)->getParentOp()))
    return emitOpError("gives back the stage of the iteration before, so it "
                       "must be in the body of an scf.for");
  if (getDelayed() && getChannel().getType().getDepth() < 2)
    return emitOpError("holds two stages at once, but the channel has one");
  return success();
}

} // namespace warp_spec
