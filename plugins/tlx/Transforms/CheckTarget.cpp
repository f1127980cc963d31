#include "plugins/tlx/Transforms/Passes.h"
#include "plugins/tlx/Transforms/Target.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXCHECKTARGET
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// What an op needs that not every GPU has, and what to do without it.
struct Need {
  StringRef what;
  StringRef firstToHaveIt;
  /// Compute capabilities that have it, as 90 for sm_90; no AMD GPU has it.
  int first;
  int last;
  StringRef instead;
};

constexpr int anyLater = std::numeric_limits<int>::max();

std::optional<Need> getNeed(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Need>>(op)
      .Case([](AsyncDotOp) {
        return Need{"async_dot needs wgmma", "sm_90a", 90, 90,
                    "use tl.dot on tlx.local_load there"};
      })
      .Case([](AllocBarriersOp) {
        return Need{"alloc_barriers needs barriers in memory", "sm_80", 80,
                    anyLater,
                    "wait for groups of copies (async_load_wait_group), or let "
                    "halves of a block's waves alternate "
                    "(warp_pipeline_stage)"};
      })
      .Case([](BarrierArriveOp arrive) -> std::optional<Need> {
        if (!arrive.getWarps())
          return std::nullopt;
        return Need{"arrivals of warps (alloc_warp_barrier) need elect.sync",
                    "sm_90", 90, anyLater, "use alloc_barriers there"};
      })
      .Case([](BarrierExpectOp) {
        return Need{"barrier_expect_bytes needs barriers that count bytes",
                    "sm_90", 90, anyLater,
                    "copy with async_load, wait with async_load_wait_group and "
                    "use barrier_arrive there"};
      })
      .Case<ClusterBarrierOp, FenceMbarrierInitClusterOp, RemoteArriveOp,
            RemoteStoreOp, RemoteLoadOp>([](Operation *) {
        return Need{"this needs clusters of blocks", "sm_90", 90, anyLater,
                    "let each block work alone there"};
      })
      .Case([](FenceAsyncSharedOp) {
        return Need{"fence_async_shared needs the asynchronous proxy", "sm_90",
                    90, anyLater,
                    "leave it out there, where no copy or product reads shared "
                    "memory past the threads"};
      })
      .Case([](AsyncTasksOp) {
        return Need{"async_tasks needs hardware barriers of some of a block's "
                    "warps",
                    "sm_80", 80, anyLater,
                    "overlap the stages of a loop with "
                    "tlx.warp_pipeline_stage"};
      })
      .Case([](AsyncTaskOp task) -> std::optional<Need> {
        if (!task.getRegisters())
          return std::nullopt;
        return Need{"async_task(registers=) needs setmaxnreg", "sm_90a", 90,
                    anyLater, "leave registers out there"};
      })
      .Default(std::nullopt);
}

/// The name of a target as users know it: sm_90 for "cuda:90".
std::string getTargetName(StringRef target) {
  StringRef name = target;
  if (name.consume_front("cuda:"))
    return ("sm_" + name).str();
  name.consume_front("hip:");
  return name.str();
}

struct CheckTarget : impl::TLXCheckTargetBase<CheckTarget> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    auto attr = module->getAttrOfType<StringAttr>(ttg::AttrTargetName);
    if (!attr)
      return;
    StringRef target = attr.getValue();
    int capability = getComputeCapability(module);
    WalkResult walk =
        module.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
          std::optional<Need> need = getNeed(op);
          if (!need || (capability >= need->first && capability <= need->last))
            return WalkResult::advance();
          return op->emitError(need->what)
                 << ", which " << need->firstToHaveIt << " has and "
                 << getTargetName(target) << " has not; " << need->instead;
        });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tlx
