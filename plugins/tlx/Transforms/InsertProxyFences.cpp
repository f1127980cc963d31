#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "plugins/tlx/Transforms/Target.h"
#include "triton/Analysis/BufferRegion.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"
#include "triton/Dialect/TritonNvidiaGPU/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <set>

using namespace mlir;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXINSERTPROXYFENCES
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// Bytes of shared memory, from the first one to the one after the last.
using Bytes = std::pair<int64_t, int64_t>;

constexpr Bytes allBytes = {0, std::numeric_limits<int64_t>::max()};

bool overlap(Bytes a, Bytes b) {
  return a.first < b.second && b.first < a.second;
}

/// The values of which a buffer is one, or a view of one; empty where they are
/// not known.
SmallVector<Value> getSources(Value buffer) {
  if (Operation *op = buffer.getDefiningOp()) {
    if (op->hasTrait<OpTrait::MemDescViewTrait>())
      return {op->getOperand(0)};
    return {};
  }
  auto argument = cast<BlockArgument>(buffer);
  Block *block = argument.getOwner();
  unsigned number = argument.getArgNumber();
  if (block->isEntryBlock()) {
    if (auto partitions =
            dyn_cast<ttg::WarpSpecializePartitionsOp>(block->getParentOp()))
      return {partitions.getExplicitCaptures()[number]};
    return {};
  }
  SmallVector<Value> sources;
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    Value source =
        branch ? branch.getSuccessorOperands(it.getSuccessorIndex())[number]
               : Value();
    if (!source)
      return {};
    sources.push_back(source);
  }
  return sources;
}

Bytes getBytes(ttg::LocalAllocOp alloc) {
  auto offset = alloc->getAttrOfType<IntegerAttr>("allocation.offset");
  ttg::MemDescType type = alloc.getType();
  if (!offset || ttg::isPaddedEncoding(type.getEncoding()))
    return allBytes;
  int64_t elements = ttg::getAllocationElems(
      type.getEncoding(), type.getShape(), type.getAllocShape());
  int64_t bits = type.getElementTypeBitWidth();
  return {offset.getInt(),
          offset.getInt() + llvm::divideCeil(elements * bits, 8)};
}

/// The bytes of all allocations of which a buffer may be a part.
SmallVector<Bytes> getBytes(Value buffer) {
  SmallVector<Bytes> bytes;
  llvm::SetVector<Value> buffers;
  buffers.insert(buffer);
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (auto alloc = buffers[i].getDefiningOp<ttg::LocalAllocOp>()) {
      bytes.push_back(getBytes(alloc));
      continue;
    }
    SmallVector<Value> sources = getSources(buffers[i]);
    if (sources.empty())
      return {allBytes};
    buffers.insert_range(sources);
  }
  return bytes;
}

/// What threads accessed themselves since the last fence, so that what accesses
/// it for them may not see it.
using Unfenced = std::set<Bytes>;

/// Fails where a fence may be missing in the region, with a buffer taken for
/// its whole allocation and any two accesses for a conflict; else the state
/// becomes the one behind the region.
LogicalResult checkFences(Region &region, Unfenced &state);

LogicalResult checkFences(Operation *op, Unfenced &state) {
  if (isa<ttng::FenceAsyncSharedOp>(op)) {
    state.clear();
    return success();
  }
  // The stock pass knows what a called function accesses, and that copies to
  // several blocks need fences of the cluster. Loops are branches by now.
  auto load = dyn_cast<ttng::TMALoadLikeOpInterface>(op);
  bool isTasks =
      isa<ttg::WarpSpecializeOp, ttg::WarpSpecializePartitionsOp>(op);
  if (isa<CallOpInterface>(op) || (load && load.getMulticast()) ||
      (isa<RegionBranchOpInterface>(op) && !isTasks))
    return failure();

  SmallVector<Bytes> accessed;
  for (const triton::MemoryAccess &access : triton::getMemoryAccesses(op)) {
    if (!access.isShared() || access.isShared(ttg::SharedKind::Barrier))
      continue;
    for (Bytes bytes : getBytes(access.value))
      if (!access.isShared(ttg::SharedKind::Async))
        accessed.push_back(bytes);
      else if (llvm::any_of(state, [&](Bytes unfenced) {
                 return overlap(unfenced, bytes);
               }))
        return failure();
  }
  if (auto size = op->getAttrOfType<IntegerAttr>("allocation.size")) {
    auto offset = op->getAttrOfType<IntegerAttr>("allocation.offset");
    accessed.push_back(
        offset ? Bytes(offset.getInt(), offset.getInt() + size.getInt())
               : allBytes);
  }
  state.insert(accessed.begin(), accessed.end());

  // Tasks run side by side: each begins with what was before them.
  Unfenced behind;
  for (Region &region : op->getRegions()) {
    Unfenced inRegion = state;
    if (failed(checkFences(region, inRegion)))
      return failure();
    behind.insert(inRegion.begin(), inRegion.end());
  }
  state.insert(behind.begin(), behind.end());
  return success();
}

LogicalResult checkFences(Region &region, Unfenced &state) {
  if (region.empty())
    return success();
  DenseMap<Block *, Unfenced> before;
  before[&region.front()] = state;
  SmallVector<Block *> worklist = {&region.front()};
  while (!worklist.empty()) {
    Block *block = worklist.pop_back_val();
    Unfenced current = before[block];
    for (Operation &op : *block)
      if (failed(checkFences(&op, current)))
        return failure();
    if (block->getNumSuccessors() == 0)
      state.insert(current.begin(), current.end());
    for (Block *successor : block->getSuccessors()) {
      auto [it, isNew] = before.try_emplace(successor);
      size_t known = it->second.size();
      it->second.insert(current.begin(), current.end());
      if (isNew || it->second.size() != known)
        worklist.push_back(successor);
    }
  }
  return success();
}

struct InsertProxyFences : impl::TLXInsertProxyFencesBase<InsertProxyFences> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    int capability = getComputeCapability(module);
    // The tensor memory of later GPUs has fences of its own.
    bool areThere =
        capability == 90 &&
        llvm::all_of(module.getOps<triton::FuncOp>(),
                     [](triton::FuncOp function) {
                       Unfenced state;
                       return succeeded(checkFences(function.getBody(), state));
                     });
    if (areThere) {
      markAllAnalysesPreserved();
      return;
    }
    OpPassManager stock(ModuleOp::getOperationName());
    stock.addPass(ttng::createTritonGPUProxyFenceInsertion({capability}));
    if (failed(runPipeline(stock, module)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tlx
