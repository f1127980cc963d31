#include "mlir/Dialect/SCF/IR/SCF.h"
#include "plugins/warp_spec/Transforms/Passes.h"
#include "triton/Analysis/AxisInfo.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace warp_spec {

#define GEN_PASS_DEF_WARPSPECKEEPADDRESSES
#include "plugins/warp_spec/Transforms/Passes.h.inc"

namespace {

bool isPointer(Type type) {
  return isa<tt::PointerType>(getElementTypeOrSelf(type));
}

class AddressKeeper {
public:
  explicit AddressKeeper(tt::ModuleAxisInfoAnalysis &axisInfo)
      : axisInfo(axisInfo) {}

  void keep(Region &partition) {
    OpBuilder b = OpBuilder::atBlockBegin(&partition.front());
    for (BlockArgument arg : partition.getArguments())
      if (!arg.use_empty() &&
          (isPointer(arg.getType()) || arg.getType().isInteger(32) ||
           arg.getType().isInteger(64))) {
        Value hidden = hide(b, arg, /*pure=*/false);
        arg.replaceAllUsesExcept(hidden, hidden.getDefiningOp());
      }
    partition.walk([&](scf::ForOp loop) {
      b.setInsertionPoint(loop);
      for (OpOperand &init : loop.getInitsMutable())
        if (isa<RankedTensorType>(init.get().getType()) &&
            isPointer(init.get().getType()))
          init.set(hide(b, init.get(), /*pure=*/true));
    });
  }

private:
  /// The value behind a move that LLVM can't look through. One that is not
  /// `pure` stays where it is, and what is computed from it behind it.
  Value hide(OpBuilder &b, Value value, bool pure) {
    bool isWide = !value.getType().isInteger(32);
    auto move = tt::ElementwiseInlineAsmOp::create(
        b, value.getLoc(), value.getType(),
        isWide ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;",
        isWide ? "=l,l" : "=r,r", pure, /*packed_element=*/1, value);
    // Triton can't look through it either, so it is told what it knew. What is
    // divisible by anything it knows in 64 bits and is told in 32.
    if (tt::AxisInfo *info = axisInfo.getAxisInfo(value)) {
      auto tell = [&](StringRef name, ArrayRef<int64_t> values) {
        move->setAttr(name, b.getI32TensorAttr(llvm::map_to_vector(
                                values, [](int64_t value) -> int32_t {
                                  return std::min<int64_t>(value, 1 << 30);
                                })));
      };
      tell("tt.contiguity", info->getContiguity());
      tell("tt.divisibility", info->getDivisibility());
      tell("tt.constancy", info->getConstancy());
    }
    return move.getResult().front();
  }

  tt::ModuleAxisInfoAnalysis &axisInfo;
};

struct KeepAddresses : impl::WarpSpecKeepAddressesBase<KeepAddresses> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    tt::ModuleAxisInfoAnalysis axisInfo(getOperation());
    AddressKeeper keeper(axisInfo);
    getOperation().walk([&](ttg::WarpSpecializeOp specialized) {
      if (!specialized->hasAttr(channelsAttrName))
        return;
      for (Region *partition : specialized.getPartitionRegions()) {
        bool copies = partition
                          ->walk([](ttg::AsyncCopyGlobalToLocalOp) {
                            return WalkResult::interrupt();
                          })
                          .wasInterrupted();
        if (copies)
          keeper.keep(*partition);
      }
    });
  }
};

} // namespace
} // namespace warp_spec
