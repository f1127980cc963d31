#include "mlir/IR/Matchers.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton/Analysis/AxisInfo.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXMAKEBUFFEROPS
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// On pointers that the kernel promises to be within 2 GiB of one pointer.
constexpr StringLiteral bufferAttrName = "tlx.buffer";

struct Address {
  Value base;
  Value offsets;
};

/// The pointer by way of an integer: Triton's pass that splits pointers into
/// base and offset leaves alone what it does not see to be a pointer, and has
/// no rule for an op that exists before it runs.
Value hidePointer(OpBuilder &builder, Location loc, Value pointer) {
  auto number =
      triton::PtrToIntOp::create(builder, loc, builder.getI64Type(), pointer);
  return triton::IntToPtrOp::create(builder, loc, pointer.getType(), number);
}

/// Takes marked pointers apart into one scalar and 32-bit offsets.
std::optional<Address> getAddress(Value pointers) {
  auto add = pointers.getDefiningOp<triton::AddPtrOp>();
  if (!add || !add->hasAttr(bufferAttrName) ||
      !getElementTypeOrSelf(add.getOffset()).isInteger(32))
    return std::nullopt;
  auto splat = add.getPtr().getDefiningOp<triton::SplatOp>();
  if (!splat)
    return std::nullopt;
  OpBuilder builder(splat);
  return Address{hidePointer(builder, splat.getLoc(), splat.getSrc()),
                 add.getOffset()};
}

/// Loads through a buffer descriptor give zeros for what is masked off, so
/// zeros need no select or second store.
Value withoutZeros(Value other) {
  if (other &&
      (matchPattern(other, m_Zero()) || matchPattern(other, m_PosZeroFloat())))
    return {};
  return other;
}

/// Replaces an access by an op of the AMD dialect, whose classes are in no
/// header. A null operand or attribute is one that is left out.
void replace(Operation *op, StringRef name,
             ArrayRef<std::pair<StringRef, Attribute>> attributes,
             ArrayRef<Value> operands) {
  OpBuilder builder(op);
  OperationState state(op->getLoc(), name);
  state.addTypes(op->getResultTypes());
  SmallVector<int32_t> segments;
  for (Value operand : operands) {
    segments.push_back(operand ? 1 : 0);
    if (operand)
      state.addOperands(operand);
  }
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr(segments));
  for (auto [key, attribute] : attributes)
    if (attribute)
      state.addAttribute(key, attribute);
  op->replaceAllUsesWith(builder.create(state));
  op->erase();
}

struct MakeBufferOps : impl::TLXMakeBufferOpsBase<MakeBufferOps> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    triton::ModuleAxisInfoAnalysis axisInfo(getOperation());
    // Elements that are consecutive and under one mask. Nothing is known of a
    // hidden pointer later on.
    auto getContiguity = [&](Value pointers, Value mask) {
      unsigned elements = axisInfo.getContiguity(pointers);
      if (mask)
        elements = std::min(elements, axisInfo.getMaskAlignment(mask));
      return IntegerAttr::get(IntegerType::get(&getContext(), 32), elements);
    };
    const Value none;
    getOperation().walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case([&](triton::LoadOp load) {
            auto contiguity = getContiguity(load.getPtr(), load.getMask());
            if (auto address = getAddress(load.getPtr()))
              replace(load, "amdg.buffer_load",
                      {{"contiguity", contiguity},
                       {"cachePolicy", load.getCachePolicyAttr()}},
                      {address->base, address->offsets, none, load.getMask(),
                       withoutZeros(load.getOther())});
          })
          .Case([&](triton::StoreOp store) {
            auto contiguity = getContiguity(store.getPtr(), store.getMask());
            if (auto address = getAddress(store.getPtr()))
              replace(store, "amdg.buffer_store",
                      {{"contiguity", contiguity},
                       {"cachePolicy", store.getCachePolicyAttr()}},
                      {store.getValue(), address->base, address->offsets, none,
                       store.getMask()});
          })
          .Case([&](triton::AtomicRMWOp atomic) {
            if (auto address = getAddress(atomic.getPtr()))
              replace(atomic, "amdg.buffer_atomic_rmw",
                      {{"atomic_rmw_op", atomic.getAtomicRmwOpAttr()},
                       {"sem", atomic.getSemAttr()},
                       {"scope", atomic.getScopeAttr()}},
                      {address->base, address->offsets, atomic.getVal(), none,
                       atomic.getMask()});
          })
          .Case([&](ttg::AsyncCopyGlobalToLocalOp copy) {
            if (auto address = getAddress(copy.getSrc()))
              replace(copy, "amdg.buffer_load_to_local",
                      {{"contiguity", copy.getContiguityAttr()},
                       {"cachePolicy", copy.getCachePolicyAttr()}},
                      {copy.getResult(), address->base, address->offsets,
                       copy.getMask(), withoutZeros(copy.getOther()), none});
          });
    });
  }
};

} // namespace
} // namespace tlx
