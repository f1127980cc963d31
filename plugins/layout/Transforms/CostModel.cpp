#include "plugins/layout/Transforms/CostModel.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "triton/Dialect/TritonGPU/IR/LinearLayoutConversions.h"
#include "triton/Tools/LayoutUtils.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace layout {

namespace {

constexpr int64_t barrierCost = 32;
constexpr int64_t bankPassCost = 4;
constexpr int64_t shuffleCost = 6;
constexpr int64_t sectorCost = 2;
constexpr int64_t loopWeight = 8;
constexpr int64_t sectorBytes = 32;

int getBitWidth(RankedTensorType type) {
  Type element = type.getElementType();
  return isa<tt::PointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
}

/// What one instruction of a warp touches in memory.
struct WarpAccess {
  /// Elements of a thread that lie side by side.
  int64_t vector = 1;
  /// Elements of the warp that lie side by side.
  int64_t run = 1;
  /// Such runs in different places.
  int64_t runs = 1;
  int64_t instructions = 1;
};

/// Looks for bases that step along dimension `dim`: registers up to
/// `maxVector` elements, then lanes up to `maxRun`.
WarpAccess getWarpAccess(const tt::LinearLayout &layout, MLIRContext *context,
                         int dim, int64_t maxVector, int64_t maxRun) {
  auto isStep = [&](ArrayRef<int32_t> basis, int64_t step) {
    for (auto [index, position] : llvm::enumerate(basis))
      if (position != (static_cast<int>(index) == dim ? step : 0))
        return false;
    return true;
  };
  auto isBroadcast = [](ArrayRef<int32_t> basis) {
    return llvm::all_of(basis, [](int32_t position) { return position == 0; });
  };
  const auto &registers =
      layout.getBases().find(StringAttr::get(context, "register"))->second;
  const auto &lanes =
      layout.getBases().find(StringAttr::get(context, "lane"))->second;

  WarpAccess access;
  for (size_t i = 0; i < registers.size() && access.vector < maxVector; ++i)
    if (llvm::any_of(registers, [&](const auto &basis) {
          return isStep(basis, access.vector);
        }))
      access.vector *= 2;
  access.run = access.vector;
  SmallVector<ArrayRef<int32_t>> rest;
  for (const auto &basis : lanes)
    if (!isBroadcast(basis))
      rest.push_back(basis);
  while (access.run < maxRun) {
    auto *next = llvm::find_if(rest, [&](ArrayRef<int32_t> basis) {
      return isStep(basis, access.run);
    });
    if (next == rest.end())
      break;
    rest.erase(next);
    access.run *= 2;
  }
  access.runs = int64_t(1) << rest.size();
  access.instructions = (int64_t(1) << registers.size()) / access.vector;
  return access;
}

} // namespace

int64_t CostModel::ofSharedAccess(const SharedAccess &access) const {
  int64_t passes = std::max(1, access.vectorBits / 32) + access.conflicts;
  return access.instructions * (1 + passes * bankPassCost);
}

int64_t CostModel::ofConversion(const Conversion &conversion) const {
  switch (conversion.way) {
  case Way::Nothing:
    return 0;
  case Way::Registers:
    return conversion.registers;
  case Way::Shuffle:
    return conversion.registers * shuffleCost;
  case Way::Shared:
    return ofSharedAccess(conversion.store) + ofSharedAccess(conversion.load) +
           2 * barrierCost;
  }
  llvm_unreachable("unknown way");
}

int64_t CostModel::ofArithmetic(Operation *op, RankedTensorType type) const {
  // These only say which register holds what.
  if (isa<tt::SplatOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp>(op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  return countRegisters(type);
}

int64_t CostModel::ofGlobalAccess(Value pointers, RankedTensorType type,
                                  bool isStore) {
  MLIRContext *context = type.getContext();
  int64_t bytes = std::max(1, getBitWidth(type) / 8);
  tt::LinearLayout layout = ttg::toLinearLayout(type);
  layout = tt::actionRemoveBroadcastedRegs(layout).apply(layout);

  int dim = type.getRank() - 1;
  int64_t contiguity = 1, aligned = 1;
  if (tt::AxisInfo *info = axisInfo.getAxisInfo(pointers)) {
    for (int other = 0; other < info->getRank(); ++other)
      if (info->getContiguity(other) > info->getContiguity(dim))
        dim = other;
    contiguity = info->getContiguity(dim);
    aligned = std::max<int64_t>(1, info->getDivisibility(dim) / bytes);
  }
  int64_t vector = std::min({contiguity, aligned, 16 / bytes});
  WarpAccess access = getWarpAccess(layout, context, dim, vector, contiguity);
  int64_t sectors =
      access.runs * llvm::divideCeil(access.run * bytes, sectorBytes);
  bool isPartial = isStore && access.run * bytes % sectorBytes;
  return access.instructions * (1 + sectors * sectorCost * (isPartial ? 2 : 1));
}

int64_t CostModel::getWeight(Operation *op) {
  int64_t weight = 1;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      weight *= loopWeight;
  return weight;
}

} // namespace layout
