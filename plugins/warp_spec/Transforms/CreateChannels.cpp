#include "plugins/warp_spec/Transforms/Loads.h"
#include "plugins/warp_spec/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/Transforms/PipeliningUtility.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace warp_spec {

#define GEN_PASS_DEF_WARPSPECCREATECHANNELS
#include "plugins/warp_spec/Transforms/Passes.h.inc"

namespace {

/// The loads of one channel, in the order of the program, become copies.
class ChannelBuilder {
public:
  ChannelBuilder(scf::ForOp root, ArrayRef<Operation *> loads)
      : root(root), loads(loads) {
    auto plan = root->getAttrOfType<DictionaryAttr>(planAttrName);
    depth = cast<IntegerAttr>(plan.get("depth")).getInt();
  }

  void build() {
    OpBuilder b(root);
    Location loc = loads.front()->getLoc();
    bool usesTma = isa<tt::DescriptorLoadOp>(loads.front());
    int64_t bytes = 0;
    for (Operation *load : loads) {
      auto type = getFilledAlloc(load).getType();
      auto buffers = tt::getMultiBufferedType(type, depth);
      allocs.push_back(ttg::LocalAllocOp::create(b, load->getLoc(), buffers));
      bytes += getTileBytes(load);
    }
    channel = CreateChannelOp::create(
        b, loc, ChannelType::get(b.getContext(), depth),
        usesTma ? b.getI32IntegerAttr(bytes) : IntegerAttr());
    b.setInsertionPointAfter(root);
    for (Value alloc : allocs)
      ttg::LocalDeallocOp::create(b, loc, alloc);

    // The producer's part stands where the last load's operands are there.
    b.setInsertionPoint(loads.back());
    Value stage = AcquireOp::create(b, loc, b.getI32Type(), channel);
    for (auto [load, alloc] : llvm::zip_equal(loads, allocs))
      createCopy(b, load, tt::createSingleBufferView(b, alloc, stage));
    PublishOp::create(b, loc, channel);

    // The consumers' part follows, in front of the first reader of a tile.
    stage = ReceiveOp::create(b, loc, b.getI32Type(), channel);
    for (auto [load, alloc] : llvm::zip_equal(loads, allocs))
      replaceLoad(b, load, tt::createSingleBufferView(b, alloc, stage));
    // The builder stands in front of the last one until here.
    for (Operation *load : loads)
      load->erase();
  }

private:
  void createCopy(OpBuilder &b, Operation *op, Value buffer) {
    if (auto load = dyn_cast<tt::DescriptorLoadOp>(op)) {
      DescriptorCopyOp::create(b, op->getLoc(), channel, load.getDesc(),
                               load.getIndices(), buffer);
      return;
    }
    auto load = cast<tt::LoadOp>(op);
    ttg::AsyncCopyGlobalToLocalOp::create(
        b, op->getLoc(), load.getPtr(), buffer, load.getMask(), load.getOther(),
        load.getCachePolicyAttr(), load.getIsVolatile());
  }

  void replaceLoad(OpBuilder &b, Operation *load, Value tile) {
    ttg::LocalAllocOp filled = getFilledAlloc(load);
    tt::replaceUsesAndPropagateType(b, filled, tile);
    filled.erase();
    if (!load->use_empty())
      load->getResult(0).replaceAllUsesWith(ttg::LocalLoadOp::create(
          b, load->getLoc(), load->getResult(0).getType(), tile));
  }

  scf::ForOp root;
  ArrayRef<Operation *> loads;
  int64_t depth;
  SmallVector<Value> allocs;
  Value channel;
};

struct CreateChannels : impl::WarpSpecCreateChannelsBase<CreateChannels> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    for (scf::ForOp root : getRoots(getOperation())) {
      llvm::MapVector<int64_t, SmallVector<Operation *>> channels;
      root->walk([&](Operation *op) {
        if (auto channel = op->getAttrOfType<IntegerAttr>(channelAttrName))
          channels[channel.getInt()].push_back(op);
      });
      for (auto &[number, loads] : channels)
        ChannelBuilder(root, loads).build();
    }
  }
};

} // namespace
} // namespace warp_spec
