#include "plugins/layout/Transforms/Conversions.h"
#include "triton/Analysis/Allocation.h"
#include "triton/Analysis/Utility.h"
#include "triton/Conversion/TritonGPUToLLVM/Utility.h"
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

/// The memory of a conversion as one buffer, which Triton's lowering uses part
/// by part.
LinearLayout flattenMemory(const LinearLayout &memory, MLIRContext *context) {
  auto offset = dim(context, "offset"), block = dim(context, "block");
  LinearLayout flat = memory.transposeIns(
      {dim(context, "vector"), dim(context, "bank"), dim(context, "segment"),
       dim(context, "reps"), block});
  int blocks = flat.getInDimSize(block);
  return flat.reshapeIns(
      {{offset, flat.getTotalInDimSize() / blocks}, {block, blocks}});
}

/// The instructions of a warp that access shared memory.
enum class Access { Vector, Matrix, TransposedMatrix };

Access getKind(const ttg::LocalMemOpTile &tile) {
  if (tile.laneContig.empty())
    return Access::Vector;
  return tile.laneContig.front() == 0 ? Access::Matrix
                                      : Access::TransposedMatrix;
}

StringRef getInstruction(Access kind, bool isStore, bool isCuda) {
  if (!isCuda)
    return isStore ? "ds_write" : "ds_read";
  switch (kind) {
  case Access::Vector:
    return isStore ? "st.shared" : "ld.shared";
  case Access::Matrix:
    return isStore ? "stmatrix" : "ldmatrix";
  case Access::TransposedMatrix:
    return isStore ? "stmatrix.trans" : "ldmatrix.trans";
  }
  llvm_unreachable("unknown access");
}

/// Where registers, lanes and warps are in a block's memory.
LinearLayout getOffsets(const LinearLayout &registers,
                        const LinearLayout &memory, MLIRContext *context) {
  return registers.invertAndCompose(memory).sublayout(
      {dim(context, "register"), dim(context, "lane"), dim(context, "warp")},
      {dim(context, "offset")});
}

/// The rows of 16 bytes that ldmatrix and stmatrix address (PTX ISA,
/// "ldmatrix"), counted in rows; nothing if the offsets are not made of such.
std::optional<LinearLayout> getMatrixRows(LinearLayout offsets, Access kind,
                                          int bitWidth, MLIRContext *context) {
  auto registers = dim(context, "register"), lane = dim(context, "lane"),
       offset = dim(context, "offset");
  LinearLayout row;
  if (kind == Access::TransposedMatrix) {
    // The lanes that a row lies across come first, and each thread gets two
    // elements from two rows.
    if (bitWidth != 16 || offsets.getInDimSize(registers) < 2)
      return std::nullopt;
    offsets = tt::ColumnAction({2, 3, 4, 0, 1}, lane, 5).apply(offsets);
    row = LinearLayout::identity1D(8, lane, offset) *
          LinearLayout::identity1D(1, registers, offset);
    row = row.transposeIns({registers, lane});
  } else {
    if (bitWidth > 32)
      return std::nullopt;
    row = LinearLayout::identity1D(32 / bitWidth, registers, offset) *
          LinearLayout::identity1D(4, lane, offset);
  }
  std::optional<tt::ColumnAction> order =
      tt::regPermForDivide(offsets, row, /*left=*/true);
  return order ? divideLeft(order->apply(offsets), row) : std::nullopt;
}

/// Passes over the banks beyond one that eight rows need.
int countRowConflicts(const LinearLayout &rows, Access kind,
                      MLIRContext *context) {
  auto offset = dim(context, "offset");
  int size = rows.getOutDimSize(offset), inBanks = std::min(8, size);
  LinearLayout memory =
      LinearLayout::identity1D(inBanks, dim(context, "bank"), offset) *
      LinearLayout::identity1D(size / inBanks, dim(context, "segment"), offset);
  auto positions = [&](StringRef name) {
    return llvm::map_to_vector(
        rows.getBases().lookup(dim(context, name)),
        [](ArrayRef<int32_t> basis) { return basis.front(); });
  };
  SmallVector<int32_t> together = positions("lane");
  if (kind == Access::Matrix)
    return ttg::bankConflicts(together, together, memory).first;
  // Triton's lowering takes the best register to the two lanes.
  int best = std::numeric_limits<int>::max();
  for (int32_t position : positions("register")) {
    together.push_back(position);
    best = std::min(best, ttg::bankConflicts(together, together, memory).first);
    together.pop_back();
  }
  return best;
}

SharedAccess getAccess(const tt::TargetInfoBase &info,
                       const LinearLayout &registers,
                       const LinearLayout &memory, int bitWidth, bool isStore,
                       Access kind) {
  MLIRContext *context = registers.getInDimNames().begin()->getContext();
  LinearLayout offsets = getOffsets(registers, memory, context);
  int64_t bits = countElements(registers, context) * bitWidth;
  SharedAccess access;
  access.instruction = getInstruction(kind, isStore, info.isCuda());
  if (kind == Access::Vector) {
    access.vectorBits =
        tt::largestVectorisation(context, offsets, bitWidth).first * bitWidth;
    // Less than the banks' width has no conflicts; Triton's analysis needs it.
    int banks = info.getSharedMemoryBanks();
    if (memory.getInDimSize(dim(context, "offset")) * bitWidth >= banks * 32) {
      auto [loadTile, storeTile] = info.getSharedLdStTiles(access.vectorBits);
      access.conflicts = ttg::bankConflictsMemDesc(
          registers, memory, bitWidth, banks, isStore ? storeTile : loadTile);
    }
  } else {
    // A thread holds 32 bits of each of the one, two or four matrices.
    access.vectorBits = std::min<int64_t>(128, bits);
    std::optional<LinearLayout> rows =
        getMatrixRows(offsets, kind, bitWidth, context);
    assert(rows && "the layouts do not fit the instruction");
    access.conflicts = countRowConflicts(*rows, kind, context);
  }
  access.instructions = bits / access.vectorBits;
  return access;
}

/// What Triton's lowering for NVIDIA makes of an access to a buffer.
Access chooseAccess(const tt::TargetInfoBase &info,
                    const LinearLayout &registers, const LinearLayout &memory,
                    ttg::MemDescType buffer, int bitWidth, bool isStore) {
  MLIRContext *context = buffer.getContext();
  bool hasMatrices = isStore ? info.supportStMatrix() : info.supportLdMatrix();
  if (!hasMatrices || ttg::isPaddedEncoding(buffer.getEncoding()) ||
      !registers.invertAndCompose(memory).isTrivialOver(
          {dim(context, "block")}))
    return Access::Vector;
  LinearLayout offsets = getOffsets(registers, memory, context);
  for (Access kind : {Access::Matrix, Access::TransposedMatrix})
    if (getMatrixRows(offsets, kind, bitWidth, context))
      return kind;
  return Access::Vector;
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
  if (info->isCuda()) {
    bool crossesBlocks =
        !target.invertAndCompose(source).isTrivialOver({dim(context, "block")});
    auto [stores, loads] = ttg::getSrcDstTiles(*info, bitWidth, crossesBlocks);
    auto [memory, chosen] =
        ttg::optimalSwizzling(source, target, stores, loads, bitWidth);
    LinearLayout flat = flattenMemory(memory, context);
    conversion.store =
        getAccess(*info, source, flat, bitWidth, /*isStore=*/true,
                  getKind(stores[chosen.first]));
    conversion.load =
        getAccess(*info, target, flat, bitWidth, /*isStore=*/false,
                  getKind(loads[chosen.second]));
    // Every block has its part; repetitions share one.
    conversion.scratchBytes =
        int64_t(memory.getTotalOutDimSize()) /
        (memory.getInDimSize(dim(context, "reps")) *
         product(ttg::getCTASplitNum(from.getEncoding()))) *
        bitWidth / 8;
    return conversion;
  }
  int vectorBits = ttg::getVecBitwidthLdSt(source, target, bitWidth);
  auto [loadTile, storeTile] = info->getSharedLdStTiles(vectorBits);
  int banks = info->getSharedMemoryBanks();
  LinearLayout flat =
      flattenMemory(ttg::optimalSwizzlingLdSt(source, target, bitWidth, banks,
                                              storeTile, loadTile),
                    context);
  conversion.store = getAccess(*info, source, flat, bitWidth, /*isStore=*/true,
                               Access::Vector);
  conversion.load = getAccess(*info, target, flat, bitWidth, /*isStore=*/false,
                              Access::Vector);
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
  int bitWidth = getBitWidth(registers);
  LinearLayout layout = getDistinct(registers);
  LinearLayout memory = ttg::toLinearLayoutIgnoringPadding(buffer);
  return getAccess(
      *info, layout, memory, bitWidth, isStore,
      chooseAccess(*info, layout, memory, buffer, bitWidth, isStore));
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
  return ttg::SharedLinearEncodingAttr::get(context,
                                            flattenMemory(memory, context),
                                            /*layoutAlignment=*/16);
}

} // namespace layout
