#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/BufferNeeds.h"
#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/TiedValues.h"
#include "triton/Analysis/AxisInfo.h"
#include "triton/Dialect/Triton/IR/Utility.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "llvm/ADT/TypeSwitch.h"
#include <optional>

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

namespace {

using Order = SmallVector<unsigned>;

/// The pointers whose data the op puts into a buffer, or null.
Value getPointersWritten(Operation *op) {
  if (auto copy = dyn_cast<AsyncLoadOp>(op))
    return copy.getPointers();
  if (auto store = dyn_cast<LocalStoreOp>(op))
    if (auto load = store.getValue().getDefiningOp<triton::LoadOp>())
      return load.getPtr();
  return {};
}

ttg::MemDescType getMemDescType(ArrayRef<int64_t> shape, Type element,
                                Attribute layout,
                                ArrayRef<int64_t> allocShape) {
  auto space = ttg::SharedMemorySpaceAttr::get(layout.getContext());
  return ttg::MemDescType::get(shape, element, layout, space,
                               /*mutableMemory=*/true, allocShape);
}

/// The number of a buffer's dimensions; one less than the type's where it
/// stands for several buffers.
size_t getBufferRank(ttg::MemDescType type) {
  return cast<ttg::LayoutEncodingTrait>(type.getEncoding()).getRank();
}

/// The layout of the same bytes with elements of another width.
Attribute withElement(Attribute layout, Type element) {
  auto nvmma = dyn_cast<ttg::NVMMASharedEncodingAttr>(layout);
  if (!nvmma)
    return layout;
  return ttg::NVMMASharedEncodingAttr::get(
      layout.getContext(), nvmma.getSwizzlingByteWidth(), nvmma.getTransposed(),
      element.getIntOrFloatBitWidth(), nvmma.getFp4Padded(),
      nvmma.getCGALayout());
}

/// The type of what a view of `source` gives; null, with an error, where there
/// is no such view.
ttg::MemDescType getViewType(Operation *view, BufferType result,
                             ttg::MemDescType source) {
  ArrayRef<int64_t> shape = result.getShape();
  Type element = result.getElementType();
  Attribute layout = source.getEncoding();
  return llvm::TypeSwitch<Operation *, ttg::MemDescType>(view)
      .Case([&](LocalSliceOp) {
        return getMemDescType(shape, element, layout, source.getAllocShape());
      })
      .Case([&](LocalTransOp trans) -> ttg::MemDescType {
        Attribute permuted;
        auto *layouts =
            cast<triton::DialectInferLayoutInterface>(&layout.getDialect());
        if (failed(layouts->inferTransOpEncoding(layout, source.getShape(),
                                                 trans.getOrder(), permuted,
                                                 trans.getLoc())))
          return {};
        return getMemDescType(
            shape, element, permuted,
            triton::applyPermutation(source.getAllocShape(), trans.getOrder()));
      })
      .Case([&](LocalReinterpretOp) {
        return getMemDescType(shape, element, withElement(layout, element),
                              shape);
      })
      .Default([&](Operation *) {
        return getMemDescType(shape, element, layout, shape);
      });
}

/// All buffers that must agree on a layout: allocations, what becomes of them,
/// and whatever else becomes the same values.
class BufferGroup {
public:
  explicit BufferGroup(Value seed) : members(collectTied(seed)) {
    for (Value member : members)
      if (getSources(member).empty())
        roots.push_back(member);
    followViews();
  }

  LogicalResult setLayouts(triton::ModuleAxisInfoAnalysis &axisInfo) {
    if (failed(numberDimensions()) || failed(collectNeeds()))
      return failure();
    if (order.empty())
      order = getOrderOfWriters(axisInfo);
    FailureOr<Attribute> given = getGivenLayout();
    if (failed(given))
      return failure();
    Attribute layout = *given ? *given : chooseLayout();
    for (Value root : roots) {
      auto type = cast<BufferType>(root.getType());
      root.setType(getMemDescType(type.getShape(), type.getElementType(),
                                  layout, type.getShape()));
    }
    return setTypesOfViews();
  }

private:
  /// One way that a buffer takes through the kernel.
  struct Step {
    OpOperand *source;
    Value destination;
  };

  /// Lists the steps such that each starts where one before it ended.
  void followViews() {
    SmallVector<Value> reached(roots);
    DenseSet<Value> seen(roots.begin(), roots.end());
    for (size_t i = 0; i < reached.size(); ++i)
      for (OpOperand &use : reached[i].getUses())
        for (Value destination : getDestinations(use)) {
          steps.push_back({&use, destination});
          if (seen.insert(destination).second)
            reached.push_back(destination);
        }
  }

  /// Which dimension of the allocation each dimension of a buffer is. The
  /// number of buffers is no dimension.
  LogicalResult numberDimensions() {
    for (Value root : roots) {
      size_t rank = cast<BufferType>(root.getType()).getShape().size() -
                    (standsForSeveral(root) ? 1 : 0);
      dimensions[root] = llvm::to_vector(llvm::seq<unsigned>(0, rank));
    }
    for (auto &[source, destination] : steps) {
      Order numbers = dimensions.at(source->get());
      if (auto trans = dyn_cast<LocalTransOp>(source->getOwner())) {
        if (numbers.size() != trans.getOrder().size())
          return trans.emitError("transposes several buffers; take one of them "
                                 "with tlx.local_view first");
        numbers = triton::applyPermutation(numbers, trans.getOrder());
      }
      auto [known, isNew] = dimensions.try_emplace(destination, numbers);
      if (!isNew && known->second != numbers)
        return source->getOwner()->emitError(
            "merges a buffer and a transposed one into one value; transpose "
            "after it");
    }
    return success();
  }

  static bool standsForSeveral(Value root) {
    auto reinterpret = root.getDefiningOp<LocalReinterpretOp>();
    if (!reinterpret)
      return true;
    // Its source has got its layout already, as it comes first.
    auto source = cast<ttg::MemDescType>(reinterpret->getOperand(0).getType());
    return source.getRank() > static_cast<int64_t>(getBufferRank(source));
  }

  /// An order of a member's dimensions as one of the roots' dimensions.
  Order toRoot(Value member, ArrayRef<unsigned> memberOrder) const {
    const Order &numbers = dimensions.at(member);
    return llvm::map_to_vector(memberOrder,
                               [&](unsigned dim) { return numbers[dim]; });
  }

  LogicalResult collectNeeds() {
    Operation *first = nullptr;
    for (Value member : members)
      for (OpOperand &use : member.getUses()) {
        BufferNeed need = getBufferNeed(use);
        nvmma |= need.nvmma;
        plain = need.plain ? use.getOwner() : plain;
        if (need.order.empty())
          continue;
        Order wanted = toRoot(member, need.order);
        if (!first) {
          first = use.getOwner();
          order = wanted;
        } else if (order != wanted) {
          InFlightDiagnostic error =
              use.getOwner()->emitError(
                  "needs another order of the buffer's dimensions in memory "
                  "than ")
              << first->getName()
              << " of the same buffer; TMA fills buffers with their last "
                 "dimension contiguous, and wgmma reads elements of other than "
                 "16 bits with K contiguous only";
          error.attachNote(first->getLoc()) << "the other one is here";
          return error;
        }
      }
    if (nvmma && plain)
      return plain->emitError("copies the bytes of a buffer as they lie in "
                              "memory, but wgmma or TMA have them swizzled; "
                              "copy them through a descriptor");
    return success();
  }

  /// The order of the global memory that the buffers are filled from where all
  /// writers agree, so that each can move several elements at once; else rows.
  Order getOrderOfWriters(triton::ModuleAxisInfoAnalysis &axisInfo) const {
    Order rows = llvm::to_vector(llvm::reverse(
        llvm::seq<unsigned>(0, dimensions.at(roots.front()).size())));
    Order common;
    for (Value member : members)
      for (OpOperand &use : member.getUses()) {
        Value pointers = getPointersWritten(use.getOwner());
        auto *info = pointers ? axisInfo.getAxisInfo(pointers) : nullptr;
        if (!info)
          continue;
        Order wanted = toRoot(member, getOrderFromContiguity(llvm::to_vector(
                                          info->getContiguity())));
        if (!common.empty() && common != wanted)
          return rows;
        common = wanted;
      }
    return common.empty() ? rows : common;
  }

  /// The layout that the kernel gives one of the allocations; null if none.
  FailureOr<Attribute> getGivenLayout() const {
    Attribute given;
    for (Value root : roots) {
      std::optional<Attribute> layout;
      if (auto alloc = root.getDefiningOp<LocalAllocOp>())
        layout = alloc.getLayout();
      else if (auto reinterpret = root.getDefiningOp<LocalReinterpretOp>())
        layout = reinterpret.getLayout();
      if (!layout)
        continue;
      Operation *op = root.getDefiningOp();
      if (given && given != *layout)
        return op->emitError("has another layout than an allocation whose "
                             "buffers become the same values");
      given = *layout;
      if (nvmma && !isa<ttg::NVMMASharedEncodingAttr>(given))
        return op->emitError("has the layout ")
               << given
               << ", but wgmma and TMA read and write nvmma_shared only; leave "
                  "layout= out";
    }
    return given;
  }

  Attribute chooseLayout() const {
    MLIRContext *context = roots.front().getContext();
    size_t rank = order.size();
    auto cgaLayout = ttg::CGAEncodingAttr::get1CTALayout(context, rank);
    if (!nvmma)
      // tlx-swizzle-buffers refines it.
      return ttg::SwizzledSharedEncodingAttr::get(
          context, /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1, order, cgaLayout);
    // Narrow rows have narrow swizzles, which wider ones can have too.
    ttg::NVMMASharedEncodingAttr narrowest;
    for (Value root : roots) {
      auto type = cast<BufferType>(root.getType());
      auto layout = ttg::NVMMASharedEncodingAttr::get(
          context, type.getShape().take_back(rank), order, cgaLayout,
          type.getElementType(), /*fp4Padded=*/false);
      if (!narrowest ||
          layout.getSwizzlingByteWidth() < narrowest.getSwizzlingByteWidth())
        narrowest = layout;
    }
    return narrowest;
  }

  LogicalResult setTypesOfViews() {
    for (auto &[source, destination] : steps) {
      auto sourceType = cast<ttg::MemDescType>(source->get().getType());
      ttg::MemDescType type = sourceType;
      Operation *op = source->getOwner();
      if (isa<LocalReinterpretOp>(op) &&
          sourceType.getShape() !=
              sourceType.getAllocShape().take_back(sourceType.getRank()))
        return op->emitError("reinterprets a slice; take the slice of what the "
                             "whole buffer is reinterpreted as");
      if (auto buffer = dyn_cast<BufferType>(destination.getType());
          buffer && isa_and_present<TLXDialect>(op->getDialect()))
        type = getViewType(op, buffer, sourceType);
      if (!type)
        return failure();
      if (!isa<BufferType>(destination.getType()) &&
          destination.getType() != type)
        return op->emitError("merges a buffer and a slice into one value; take "
                             "the slice after it");
      destination.setType(type);
    }
    return success();
  }

  llvm::SetVector<Value> members;
  SmallVector<Value> roots;
  SmallVector<Step> steps;
  DenseMap<Value, Order> dimensions;
  Order order;
  bool nvmma = false;
  /// An op that needs the buffers' bytes in the order of the elements.
  Operation *plain = nullptr;
};

LogicalResult checkCalls(ModuleOp module) {
  WalkResult calls = module.walk([](triton::CallOp call) -> WalkResult {
    auto isBuffer = [](Type type) { return isa<BufferType>(type); };
    if (llvm::any_of(call->getOperandTypes(), isBuffer) ||
        llvm::any_of(call->getResultTypes(), isBuffer))
      return call.emitError("passes a buffer to a function that is not "
                            "inlined; remove noinline from it");
    return WalkResult::advance();
  });
  return success(!calls.wasInterrupted());
}

} // namespace

LogicalResult setBufferLayouts(ModuleOp module) {
  if (failed(checkCalls(module)))
    return failure();
  triton::ModuleAxisInfoAnalysis axisInfo(module);
  WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
    for (Value result : op->getResults())
      if (isa<BufferType>(result.getType()) && getSources(result).empty() &&
          failed(BufferGroup(result).setLayouts(axisInfo)))
        return failure();
    return WalkResult::advance();
  });
  return success(!walk.wasInterrupted());
}

} // namespace tlx
