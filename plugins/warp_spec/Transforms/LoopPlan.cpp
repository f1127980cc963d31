#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "plugins/warp_spec/IR/WarpSpec.h"
#include "plugins/warp_spec/Transforms/Loads.h"
#include "plugins/warp_spec/Transforms/Plan.h"
#include "plugins/warp_spec/Transforms/SharedBytes.h"
#include "triton/Dialect/TritonGPU/Transforms/PipeliningUtility.h"
#include "triton_plugin/KernelLine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace warp_spec {

namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability", 9.0: shared memory and registers of a thread block.
constexpr int64_t maxSharedBytes = 227 * 1024;
// Barriers, and what tells warps which partition is theirs.
constexpr int64_t reservedBytes = 1024;
constexpr int64_t maxRegisters = 64 * 1024;
// PTX ISA, "setmaxnreg": counts are multiples of 8 from 24 to 256; a thread
// can't name more than 255 registers.
constexpr int registerStep = 8;
constexpr int maxThreadRegisters = 248;
// A warp that computes coordinates and starts copies.
constexpr int tmaProducerRegisters = 40;
// A thread that copies holds an offset or a pointer for each copy, and perhaps
// its mask.
constexpr int copyProducerBaseRegisters = 32;
constexpr int registersOfCopy = 3;
constexpr int copyBytes = 16;
constexpr int warpSize = 32;
constexpr int warpGroup = 4;

bool isLoad(Operation *op) { return isa<tt::LoadOp, tt::DescriptorLoadOp>(op); }

/// The product in the loop's body that reads the allocation, through views,
/// before the others do; null if none reads it.
Operation *getFirstDot(ttg::LocalAllocOp alloc, Block *body) {
  Operation *first = nullptr;
  SmallVector<Value> worklist = {alloc.getResult()};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (user->hasTrait<OpTrait::MemDescViewTrait>())
        llvm::append_range(worklist, user->getResults());
      else if (isa<ttng::WarpGroupDotOp>(user) && user->getBlock() == body &&
               (!first || user->isBeforeInBlock(first)))
        first = user;
    }
  return first;
}

} // namespace

std::string describeLocation(Operation *op) {
  std::string text = triton_plugin::getKernelLine(op->getLoc());
  if (text.empty())
    llvm::raw_string_ostream(text) << op->getLoc();
  return text;
}

LoopPlan::LoopPlan(scf::ForOp loop, const PlanOptions &options,
                   tt::ModuleAxisInfoAnalysis &axisInfo)
    : loop(loop), options(options), axisInfo(axisInfo) {
  if (findChannels() && chooseRoot())
    chooseProducer();
}

bool LoopPlan::findChannels() {
  auto module = loop->getParentOfType<ModuleOp>();
  if (ttg::TritonGPUDialect::getNumCTAs(module) != 1)
    return refuse("the kernel has clusters (num_ctas > 1)");
  if (int warps = ttg::lookupNumWarps(loop); warps != 4 && warps != 8)
    return refuse("the kernel has " + Twine(warps) +
                  " warps; one or two groups of four (num_warps=4 or 8) can "
                  "consume");
  if (loop->getParentOfType<ttg::WarpSpecializeOp>())
    return refuse("the loop is in a specialized region already");

  // Loads that the same product reads first share a channel.
  llvm::MapVector<std::pair<Operation *, int>, ChannelPlan> byDot;
  for (Operation &op : *loop.getBody()) {
    if (!isLoad(&op))
      continue;
    auto alloc = getFilledAlloc(&op);
    Operation *dot = alloc ? getFirstDot(alloc, loop.getBody()) : nullptr;
    if (!dot)
      continue;
    if (!checkLoad(&op))
      return false;
    bool usesTma = isa<tt::DescriptorLoadOp>(op);
    // A tile that others read too is needed as soon as they read it.
    Operation *reader = op.hasOneUse() ? dot : &op;
    ChannelPlan &channel = byDot[{reader, usesTma}];
    channel.usesTma = usesTma;
    channel.loads.push_back(&op);
    channel.bytes += getTileBytes(&op);
  }
  for (auto &entry : byDot)
    channels.push_back(entry.second);
  if (!channels.empty())
    return true;
  bool hasDot = false, nestedDot = false, nestedLoad = false;
  loop->walk([&](Operation *op) {
    bool isNested = op->getBlock() != loop.getBody();
    hasDot |= isa<ttng::WarpGroupDotOp>(op);
    nestedDot |= isa<ttng::WarpGroupDotOp>(op) && isNested;
    nestedLoad |= isLoad(op) && isNested;
  });
  if (!hasDot)
    return refuse("no matrix product in it runs on wgmma");
  if (nestedLoad)
    return refuse("its loads are under a condition or in a further loop");
  if (nestedDot)
    return refuse("its products are under a condition or in a further loop");
  return refuse("no product in it reads a loaded tile from shared memory");
}

bool LoopPlan::checkLoad(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    if (load.getIsVolatile())
      return refuse("a load is volatile (" + describeLocation(op) + ")");
    if (!tt::canBeConvertedToAsyncLoad(load, axisInfo))
      return refuse("a thread can't copy 4 bytes or more at once for the load "
                    "at " +
                    describeLocation(op) +
                    "; make its rows contiguous and aligned, or load through "
                    "a descriptor");
    return true;
  }
  auto load = cast<tt::DescriptorLoadOp>(op);
  auto alloc = getFilledAlloc(op);
  if (load.getDesc().getType().getSharedLayout() !=
      alloc.getType().getEncoding())
    return refuse("the product reads the tile of " + describeLocation(op) +
                  " in another order than its descriptor writes it");
  return true;
}

std::string LoopPlan::checkRoot(scf::ForOp candidate) {
  SmallVector<Operation *> loads;
  for (const ChannelPlan &channel : channels)
    llvm::append_range(loads, channel.loads);
  ProducerSlice slice(candidate, loads);
  llvm::DenseSet<Operation *> planned(loads.begin(), loads.end());
  SmallVector<Operation *> reads(loads);
  for (Operation *op : slice.ops) {
    if (planned.contains(op) || isa<scf::ForOp>(op))
      continue;
    if (isa<tt::LoadOp>(op)) {
      reads.push_back(op);
      continue;
    }
    if (isa<ttng::WarpGroupDotOp, tt::DotOp>(op))
      return "where to load depends on a matrix product (" +
             describeLocation(op) + ")";
    if (!isMemoryEffectFree(op))
      return "where to load depends on " + op->getName().getStringRef().str() +
             " (" + describeLocation(op) +
             "), which only the consumers can compute";
    if (isa<tt::MakeTensorDescOp>(op))
      return "a descriptor that it loads through is made in it (" +
             describeLocation(op) + ")";
  }

  std::string reason;
  candidate->walk([&](Operation *op) -> WalkResult {
    if (isa<tt::CallOp>(op)) {
      reason = "a function that is not inlined is called in it (" +
               describeLocation(op) + ")";
      return WalkResult::interrupt();
    }
    Value target;
    if (auto store = dyn_cast<tt::StoreOp>(op))
      target = store.getPtr();
    else if (auto store = dyn_cast<tt::DescriptorStoreLikeOpInterface>(op))
      target = store.getDesc();
    else if (isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
      target = op->getOperand(0);
    else
      return WalkResult::advance();
    Value written = getBase(target);
    for (Operation *read : reads) {
      Value base = getBase(read->getOperand(0));
      if (written && base && written != base)
        continue;
      reason = "the store at " + describeLocation(op) +
               " may write what the load at " + describeLocation(read) +
               " reads, which would run ahead of it";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return reason;
}

bool LoopPlan::chooseRoot() {
  if (std::string reason = checkRoot(loop); !reason.empty())
    return refuse(reason);
  SmallVector<scf::ForOp> roots = {loop};
  for (auto outer = dyn_cast<scf::ForOp>(loop->getParentOp());
       outer && checkRoot(outer).empty();
       outer = dyn_cast<scf::ForOp>(outer->getParentOp()))
    roots.push_back(outer);
  // What an outer loop stores needs memory beside the channels.
  while (root = roots.pop_back_val(), !chooseDepth())
    if (roots.empty())
      return false;
  refusal.clear();
  return true;
}

bool LoopPlan::chooseDepth() {
  llvm::DenseSet<Operation *> planned;
  int64_t stageBytes = 0;
  for (const ChannelPlan &channel : channels) {
    planned.insert(channel.loads.begin(), channel.loads.end());
    stageBytes += channel.bytes;
  }
  int64_t other = getOtherSharedBytes(root, planned) + reservedBytes;
  int64_t wanted =
      options.buffers > 0 ? options.buffers : std::max(options.numStages, 2);
  depth = std::min(wanted, (maxSharedBytes - other) / stageBytes);
  sharedBytes = depth * stageBytes;
  if (depth < 2)
    return refuse("two stages of " + Twine(stageBytes) + " bytes and " +
                  Twine(other) + " bytes of other buffers exceed the " +
                  Twine(maxSharedBytes) + " bytes of shared memory");
  return true;
}

void LoopPlan::chooseProducer() {
  bool allTma = llvm::all_of(channels, [](auto &c) { return c.usesTma; });
  producerWarps = allTma ? 1 : warpGroup;
  int needed = allTma ? tmaProducerRegisters : copyProducerBaseRegisters;
  for (const ChannelPlan &channel : channels)
    for (Operation *op : channel.loads)
      if (isa<tt::LoadOp>(op))
        needed += registersOfCopy *
                  llvm::divideCeil(getTileBytes(op),
                                   copyBytes * warpSize * warpGroup);
  int consumerThreads = ttg::lookupNumWarps(loop) * warpSize;
  int producerThreads = warpGroup * warpSize;
  int even = llvm::alignDown(maxRegisters / (consumerThreads + producerThreads),
                             registerStep);
  if (options.producerRegisters > 0)
    needed = options.producerRegisters;
  producerRegisters =
      std::clamp<int>(llvm::alignTo(needed, registerStep), 24, even);
  int left = even * (consumerThreads + producerThreads) -
             producerRegisters * producerThreads;
  consumerRegisters =
      std::min<int>(llvm::alignDown(left / consumerThreads, registerStep),
                    maxThreadRegisters);
}

void LoopPlan::refuseBeside(ArrayRef<scf::ForOp> roots) {
  if (!refusal.empty())
    return;
  for (scf::ForOp other : roots)
    if (other->isAncestor(root) || root->isAncestor(other))
      refuse("the loop at " + describeLocation(other) +
             ", which has the same warps, is specialized");
}

void LoopPlan::annotate() {
  Builder b(loop.getContext());
  root->setAttr(planAttrName,
                b.getDictionaryAttr(
                    {b.getNamedAttr("depth", b.getI32IntegerAttr(depth)),
                     b.getNamedAttr("producer_registers",
                                    b.getI32IntegerAttr(producerRegisters)),
                     b.getNamedAttr("producer_warps",
                                    b.getI32IntegerAttr(producerWarps))}));
  for (auto [index, channel] : llvm::enumerate(channels))
    for (Operation *load : channel.loads)
      load->setAttr(channelAttrName, b.getI32IntegerAttr(index));
}

llvm::json::Object LoopPlan::describe() {
  llvm::json::Object object{{"loop", describeLocation(loop)},
                            {"specialized", refusal.empty()}};
  if (!refusal.empty()) {
    object["reason"] = refusal;
    return object;
  }
  llvm::json::Array list;
  for (const ChannelPlan &channel : channels) {
    llvm::json::Array loads;
    for (Operation *load : channel.loads)
      loads.push_back(describeLocation(load));
    list.push_back(
        llvm::json::Object{{"loads", std::move(loads)},
                           {"bytes", channel.bytes},
                           {"copy", channel.usesTma ? "tma" : "cp.async"}});
  }
  object["root"] = describeLocation(root);
  object["channels"] = std::move(list);
  object["depth"] = depth;
  object["barriers"] = 2 * depth * static_cast<int64_t>(channels.size());
  object["shared_bytes"] = sharedBytes;
  object["producer"] = llvm::json::Object{{"warps", producerWarps},
                                          {"registers", producerRegisters}};
  object["consumers"] = llvm::json::Object{{"warps", ttg::lookupNumWarps(loop)},
                                           {"registers", consumerRegisters}};
  return object;
}

} // namespace warp_spec
