#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Clusters.h"
#include "plugins/tlx/Transforms/LLVMUtils.h"

using namespace mlir;

namespace tlx {

namespace {

/// Both ops are known to LLVM as ones that all threads of a warp execute
/// together, which inline assembly is not.
void convert(ClusterBarrierOp op) {
  OpBuilder b(op);
  for (StringRef name : {"nvvm.cluster.arrive", "nvvm.cluster.wait"}) {
    OperationState state(op.getLoc(), name);
    state.addAttribute("aligned", b.getUnitAttr());
    b.create(state);
  }
  op.erase();
}

void convert(FenceMbarrierInitClusterOp op) {
  OpBuilder b(op);
  createAsm(b, op.getLoc(), "fence.mbarrier_init.release.cluster;", "", {});
  op.erase();
}

void convert(RemoteArriveOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> operands = {getAddress(b, loc, op.getBarrier()),
                                 getConverted(op.getRank())};
  std::string text = "{\n"
                     "  .reg .pred elected;\n"
                     "  .reg .b32 remote;\n"
                     "  bar.warp.sync 0xffffffff;\n"
                     "  elect.sync _|elected, 0xffffffff;\n";
  if (op.getPredicate()) {
    text += "  and.pred elected, elected, $2;\n";
    operands.push_back(getConverted(op.getPredicate()));
  }
  text += ("  mapa.shared::cluster.u32 remote, $0, $1;\n"
           "  @elected mbarrier.arrive." +
           Twine(op.getRelaxed() ? "relaxed" : "release") +
           ".cluster.shared::cluster.b64 _, [remote], " + Twine(op.getCount()) +
           ";\n}")
              .str();
  createAsm(b, loc, text, op.getPredicate() ? "r,r,b" : "r,r", operands);
  op.erase();
}

/// The instructions that the predicate decides about.
LogicalResult collectCopies(Value predicate,
                            llvm::SetVector<LLVM::InlineAsmOp> &copies) {
  for (Operation *user : predicate.getUsers()) {
    if (isa<LLVM::AndOp>(user)) {
      if (failed(collectCopies(user->getResult(0), copies)))
        return failure();
      continue;
    }
    auto assembly = dyn_cast<LLVM::InlineAsmOp>(user);
    if (!assembly || !assembly.getAsmString().contains("cp.async.bulk.tensor"))
      return user->emitError("is no copy through a descriptor, but made of "
                             "one to several blocks");
    copies.insert(assembly);
  }
  return success();
}

/// Adds the blocks to the instruction, which names them behind the barrier
/// (PTX ISA, "cp.async.bulk.tensor").
LogicalResult addTargets(LLVM::InlineAsmOp copy, Value targets) {
  constexpr StringLiteral ownState = "shared::cta.global";
  constexpr StringLiteral clusterState = "shared::cluster.global";
  constexpr StringLiteral bytes = "mbarrier::complete_tx::bytes";
  std::string text = copy.getAsmString().str();
  if (size_t at = text.find(ownState); at != std::string::npos)
    text.replace(at, ownState.size(), clusterState);
  size_t atBytes = text.find(bytes), atBarrier = text.rfind(']');
  if (text.find(clusterState) == std::string::npos ||
      atBytes == std::string::npos || atBarrier < atBytes)
    return copy.emitError("is an unknown form of copy: ") << text;
  SmallVector<Value> operands(copy.getOperands());
  text.insert(atBarrier + 1, ", $" + std::to_string(operands.size()));
  text.insert(atBytes + bytes.size(), ".multicast::cluster");

  OpBuilder b(copy);
  operands.push_back(
      LLVM::TruncOp::create(b, copy.getLoc(), b.getIntegerType(16), targets));
  createAsm(b, copy.getLoc(), text, copy.getConstraints().str() + ",h",
            operands);
  copy.erase();
  return success();
}

LogicalResult convert(MulticastOp op) {
  llvm::SetVector<LLVM::InlineAsmOp> copies;
  if (failed(collectCopies(op.getResult(), copies)))
    return failure();
  for (LLVM::InlineAsmOp copy : copies)
    if (failed(addTargets(copy, op.getTargets())))
      return failure();
  op.getResult().replaceAllUsesWith(op.getPredicate());
  op.erase();
  return success();
}

/// Waiting with the default scope shows what other threads of the same block
/// wrote (PTX ISA, "mbarrier.try_wait").
void widenWaits(ModuleOp module) {
  constexpr StringLiteral wait = "mbarrier.try_wait.parity.shared::cta";
  constexpr StringLiteral wideWait =
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta";
  module.walk([&](LLVM::InlineAsmOp op) {
    std::string text = op.getAsmString().str();
    if (size_t at = text.find(wait); at != std::string::npos)
      op->setAttr(op.getAsmStringAttrName(),
                  StringAttr::get(op.getContext(),
                                  text.replace(at, wait.size(), wideWait)));
  });
}

bool publishesToOthers(Operation *op) {
  if (auto store = dyn_cast<RemoteStoreOp>(op))
    return static_cast<bool>(store.getBarrier());
  auto arrive = dyn_cast<RemoteArriveOp>(op);
  return arrive && !arrive.getRelaxed();
}

} // namespace

LogicalResult convertClusterOps(ModuleOp module) {
  if (auto size = module->getAttrOfType<IntegerAttr>(clusterSizeAttrName)) {
    auto dimension = DenseI32ArrayAttr::get(
        module.getContext(), {static_cast<int32_t>(size.getInt())});
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr("nvvm.kernel"))
        function->setAttr("nvvm.cluster_dim", dimension);
  }
  WalkResult publishes = module.walk([](Operation *op) {
    return publishesToOthers(op) ? WalkResult::interrupt()
                                 : WalkResult::advance();
  });
  if (publishes.wasInterrupted())
    widenWaits(module);

  module.walk([](ClusterBarrierOp op) { convert(op); });
  module.walk([](FenceMbarrierInitClusterOp op) { convert(op); });
  module.walk([](RemoteArriveOp op) { convert(op); });
  module.walk([](RemoteLoadOp op) { convertRemoteLoad(op); });
  WalkResult stores = module.walk(
      [](RemoteStoreOp op) { return WalkResult(convertRemoteStore(op)); });
  if (stores.wasInterrupted())
    return failure();
  SmallVector<MulticastOp> multicasts;
  module.walk([&](MulticastOp op) { multicasts.push_back(op); });
  for (MulticastOp op : multicasts)
    if (failed(convert(op)))
      return failure();
  return success();
}

} // namespace tlx
