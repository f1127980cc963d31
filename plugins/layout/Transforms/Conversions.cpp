#include "plugins/layout/Transforms/Conversions.h"
#include "triton/Analysis/Allocation.h"
#include "triton/Analysis/Utility.h"
#include "triton/Dialect/TritonGPU/IR/LinearLayoutConversions.h"
#include "triton/Tools/GenericSwizzling.h"
#include "triton/Tools/LayoutUtils.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;
using tt::LinearLayout;

namespace layout {

namespace {

/// Width in shared memory: Triton stores bools as bytes and pointers as 64-bit
/// integers.
int getBitWidth(RankedTensorType type) {
  Type element = type.getElementType();
  return isa<tt::PointerType>(element)
             ? 64
             : std::max<int>(8, element.getIntOrFloatBitWidth());
}

StringAttr dim(MLIRContext *context, StringRef name) {
  return StringAttr::get(context, name);
}

/// The layout without registers that hold what another one holds, which are
/// not moved.
LinearLayout getDistinct(RankedTensorType type) {
  LinearLayout layout = ttg::toLinearLayout(type);
  return tt::actionRemoveBroadcastedRegs(layout).apply(layout);
}

int64_t countElements(const LinearLayout &layout, MLIRContext *context) {
  return layout.getInDimSize(dim(context, "register"));
}

bool hasMoves(const LinearLayout &conversion, MLIRContext *context,
              StringRef dimension) {
  return llvm::is_contained(conversion.getInDimNames(),
                            dim(context, dimension));
}

/// What a thread can move at once between registers and memory.
int getVectorBits(const LinearLayout &registers, const LinearLayout &memory,
                  int bitWidth) {
  LinearLayout offsets = registers.invertAndCompose(memory);
  int elements = offsets.getNumConsecutiveInOut();
  return std::min(128, elements * bitWidth);
}

} // namespace

StringRef stringifyWay(Way way) {
  switch (way) {
  case Way::Nothing:
    return "nothing";
  case Way::Registers:
    return "registers";
  case Way::Shuffle:
    return "shuffle";
  case Way::Shared:
    return "shared";
  }
  llvm_unreachable("unknown way");
}

Reach getReach(RankedTensorType from, RankedTensorType to) {
  MLIRContext *context = from.getContext();
  LinearLayout conversion = minimalCvtLayout(from, to);
  if (hasMoves(conversion, context, "block") ||
      hasMoves(conversion, context, "warp"))
    return Reach::Block;
  if (hasMoves(conversion, context, "lane"))
    return Reach::Warp;
  if (hasMoves(conversion, context, "register"))
    return Reach::Thread;
  return Reach::Nothing;
}

int64_t countRegisters(RankedTensorType type) {
  return llvm::divideCeil(countElements(getDistinct(type), type.getContext()) *
                              getBitWidth(type),
                          32);
}

FailureOr<Target> Target::get(ModuleOp module) {
  Target target;
  target.info = tt::TargetInfoBase::fromModuleOp(module);
  if (!target.info)
    return module.emitError("the module names no target that this Triton "
                            "knows; it needs the attribute ttg.target");
  return target;
}

Conversion Target::analyze(ttg::ConvertLayoutOp op) const {
  MLIRContext *context = op.getContext();
  RankedTensorType from = op.getSrc().getType(), to = op.getType();
  int bitWidth = getBitWidth(from);
  LinearLayout source = getDistinct(from), target = getDistinct(to);

  Conversion conversion;
  conversion.bytes = from.getNumElements() * bitWidth / 8;
  conversion.registers = countRegisters(from);
  if (getReach(from, to) == Reach::Nothing)
    return conversion;
  if (cvtReordersRegisters(from, to)) {
    conversion.way = Way::Registers;
    return conversion;
  }
  if (!cvtNeedsSharedMemory(op)) {
    conversion.way = Way::Shuffle;
    return conversion;
  }

  conversion.way = Way::Shared;
  int vectorBits = ttg::getVecBitwidthLdSt(source, target, bitWidth);
  auto [loadTile, storeTile] = info->getSharedLdStTiles(vectorBits);
  int banks = info->getSharedMemoryBanks();
  LinearLayout memory = ttg::optimalSwizzlingLdSt(source, target, bitWidth,
                                                  banks, storeTile, loadTile);
  auto [loadConflicts, storeConflicts] = ttg::bankConflictsLdSt(
      source, target, memory, bitWidth, banks, storeTile, loadTile);
  conversion.store = {vectorBits, storeConflicts,
                      countElements(source, context) * bitWidth / vectorBits};
  conversion.load = {vectorBits, loadConflicts,
                     countElements(target, context) * bitWidth / vectorBits};
  conversion.scratchBytes = int64_t(tt::getNumScratchElemsSwizzledCvt(
                                from, to, banks, storeTile, loadTile)) *
                            bitWidth / 8;
  return conversion;
}

Conversion Target::analyze(RankedTensorType from, RankedTensorType to) const {
  // Triton's analysis takes an op; this one stands in no block.
  OpBuilder builder(from.getContext());
  Location loc = builder.getUnknownLoc();
  auto source =
      UnrealizedConversionCastOp::create(builder, loc, from, ValueRange());
  auto op = ttg::ConvertLayoutOp::create(builder, loc, to, source.getResult(0));
  Conversion conversion = analyze(op);
  op.erase();
  source.erase();
  return conversion;
}

SharedAccess Target::analyzeAccess(RankedTensorType registers,
                                   ttg::MemDescType buffer,
                                   bool isStore) const {
  MLIRContext *context = registers.getContext();
  int bitWidth = getBitWidth(registers);
  LinearLayout layout = getDistinct(registers);
  LinearLayout memory = ttg::toLinearLayoutIgnoringPadding(buffer);
  int vectorBits = getVectorBits(layout, memory, bitWidth);
  auto [loadTile, storeTile] = info->getSharedLdStTiles(vectorBits);
  int conflicts = ttg::bankConflictsMemDesc(layout, memory, bitWidth,
                                            info->getSharedMemoryBanks(),
                                            isStore ? storeTile : loadTile);
  return {vectorBits, conflicts,
          countElements(layout, context) * bitWidth / vectorBits};
}

Attribute Target::getSharedLayout(RankedTensorType from,
                                  RankedTensorType to) const {
  MLIRContext *context = from.getContext();
  int bitWidth = getBitWidth(from);
  LinearLayout source = getDistinct(from), target = getDistinct(to);
  int vectorBits = ttg::getVecBitwidthLdSt(source, target, bitWidth);
  auto [loadTile, storeTile] = info->getSharedLdStTiles(vectorBits);
  LinearLayout memory = ttg::optimalSwizzlingLdSt(source, target, bitWidth,
                                                  info->getSharedMemoryBanks(),
                                                  storeTile, loadTile);
  // What Triton's lowering uses part by part is one buffer here.
  auto offset = dim(context, "offset"), block = dim(context, "block");
  memory = memory.transposeIns({dim(context, "vector"), dim(context, "bank"),
                                dim(context, "segment"), dim(context, "reps"),
                                block});
  int blocks = memory.getInDimSize(block);
  memory = memory.reshapeIns(
      {{offset, memory.getTotalInDimSize() / blocks}, {block, blocks}});
  return ttg::SharedLinearEncodingAttr::get(context, memory,
                                            /*layoutAlignment=*/16);
}

} // namespace layout
