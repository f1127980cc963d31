#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/TiedValues.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace tlx {

namespace {

/// All values that a value comes from or becomes, itself included.
void collectSame(llvm::SetVector<Value> &same, size_t first) {
  // The set grows while it is walked.
  for (size_t i = first; i < same.size(); ++i) {
    Value value = same[i];
    for (OpOperand *source : getSources(value))
      same.insert(source->get());
    for (OpOperand &use : value.getUses())
      same.insert_range(getDestinations(use));
  }
}

/// The layout of a descriptor's block, which may have leading dimensions of one
/// element that the buffer lacks.
Attribute getBlockLayout(Attribute layout, int64_t rank) {
  auto nvmma = dyn_cast<ttg::NVMMASharedEncodingAttr>(layout);
  if (!nvmma || nvmma.getCGALayout().getRank() == rank)
    return layout;
  return ttg::NVMMASharedEncodingAttr::get(
      layout.getContext(), nvmma.getSwizzlingByteWidth(), nvmma.getTransposed(),
      nvmma.getElementBitWidth(), nvmma.getFp4Padded(),
      ttg::CGAEncodingAttr::get1CTALayout(layout.getContext(), rank));
}

/// Which descriptors must have one layout.
class Descriptors {
public:
  LogicalResult collectSlots(ModuleOp module) {
    WalkResult walk = module.walk([&](AllocDescriptorsOp slots) {
      return WalkResult(collectSlots(slots));
    });
    return success(!walk.wasInterrupted());
  }

  /// Gives a descriptor, with all values that are the same, the layout of a
  /// buffer.
  LogicalResult setLayout(Operation *op, Value descriptor,
                          Attribute bufferLayout) {
    for (Value value : getSame(descriptor)) {
      auto type = cast<tt::TensorDescType>(value.getType());
      Attribute layout = getBlockLayout(bufferLayout, type.getShape().size());
      if (type.getSharedLayout() && type.getSharedLayout() != layout)
        return op->emitError("copies a buffer of layout ")
               << layout << " through a descriptor that is used with "
               << type.getSharedLayout()
               << " elsewhere; use one descriptor for each layout";
      value.setType(tt::TensorDescType::get(type.getShape(),
                                            type.getElementType(), layout));
    }
    return success();
  }

  /// Gives a descriptor that no buffer is copied through the layout that stock
  /// Triton gives one by default.
  LogicalResult setDefaultLayout(Operation *op, Value descriptor) {
    auto type = cast<tt::TensorDescType>(descriptor.getType());
    if (type.getSharedLayout())
      return success();
    size_t rank = type.getShape().size();
    auto rows = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, rank)));
    auto cgaLayout =
        ttg::CGAEncodingAttr::get1CTALayout(type.getContext(), rank);
    auto layout = ttg::NVMMASharedEncodingAttr::get(
        type.getContext(), type.getShape(), rows, cgaLayout,
        type.getElementType(), /*fp4Padded=*/false);
    return setLayout(op, descriptor, layout);
  }

private:
  /// Descriptors of one type in the slots of one allocation.
  using Family = SmallVector<Value>;

  LogicalResult collectSlots(AllocDescriptorsOp alloc) {
    llvm::SetVector<Value> slots;
    slots.insert(alloc.getResult());
    collectSame(slots, 0);
    llvm::MapVector<Type, Family> made;
    SmallVector<ReinterpretDescriptorOp> taken;
    for (Value slot : slots)
      for (Operation *user : slot.getUsers()) {
        if (auto make = dyn_cast<MakeDescriptorOp>(user))
          made[make.getType()].push_back(make.getResult());
        else if (auto reinterpret = dyn_cast<ReinterpretDescriptorOp>(user))
          taken.push_back(reinterpret);
      }
    for (ReinterpretDescriptorOp op : taken) {
      auto family = made.find(op.getType());
      if (family == made.end())
        return op.emitError("takes a descriptor of ")
               << op.getType().getElementType() << " blocks of shape ["
               << op.getType().getShape()
               << "] out of slots where make_tensor_descriptor makes none; "
                  "make "
                  "it with the same block_shape and dtype";
      family->second.push_back(op.getResult());
    }
    for (auto &[type, family] : made) {
      for (Value descriptor : family)
        slotOf[descriptor] = families.size();
      families.push_back(std::move(family));
    }
    return success();
  }

  llvm::SetVector<Value> getSame(Value descriptor) const {
    llvm::SetVector<Value> same;
    same.insert(descriptor);
    for (size_t done = 0; done < same.size();) {
      size_t first = done;
      collectSame(same, first);
      done = same.size();
      for (size_t i = first; i < done; ++i)
        if (auto found = slotOf.find(same[i]); found != slotOf.end())
          same.insert_range(families[found->second]);
    }
    return same;
  }

  SmallVector<Family> families;
  DenseMap<Value, size_t> slotOf;
};

/// The descriptor and the buffer of a copy; null for any other op.
std::pair<Value, Value> getCopied(Operation *op) {
  if (auto load = dyn_cast<AsyncDescriptorLoadOp>(op))
    return {load.getDescriptor(), load.getDestinationMutable().get()};
  if (auto store = dyn_cast<AsyncDescriptorStoreOp>(op))
    return {store.getDescriptor(), store.getSourceMutable().get()};
  return {};
}

} // namespace

LogicalResult setDescriptorLayouts(ModuleOp module) {
  Descriptors descriptors;
  if (failed(descriptors.collectSlots(module)))
    return failure();
  WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
    auto [descriptor, buffer] = getCopied(op);
    if (!descriptor)
      return WalkResult::advance();
    return descriptors.setLayout(
        op, descriptor, cast<ttg::MemDescType>(buffer.getType()).getEncoding());
  });
  if (walk.wasInterrupted())
    return failure();
  // These are lowered with the layout, whoever uses the descriptor else.
  walk = module.walk([&](Operation *op) -> WalkResult {
    Value descriptor;
    if (auto prefetch = dyn_cast<AsyncDescriptorPrefetchOp>(op))
      descriptor = prefetch.getDescriptor();
    else if (isa<MakeDescriptorOp, ReinterpretDescriptorOp>(op))
      descriptor = op->getResult(0);
    else
      return WalkResult::advance();
    return descriptors.setDefaultLayout(op, descriptor);
  });
  if (walk.wasInterrupted())
    return failure();
  for (auto function : module.getOps<tt::FuncOp>())
    if (!function.isExternal())
      function.setType(FunctionType::get(
          module.getContext(), function.getBody().front().getArgumentTypes(),
          function.getResultTypes()));
  return success();
}

} // namespace tlx
