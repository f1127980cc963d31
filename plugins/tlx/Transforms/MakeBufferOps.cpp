#include "mlir/IR/Matchers.h"
#include "plugins/tlx/Transforms/Passes.h"
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

/// Takes marked pointers apart into one scalar and 32-bit offsets.
std::optional<Address> getAddress(Value pointers) {
  auto add = pointers.getDefiningOp<triton::AddPtrOp>();
  if (!add || !add->hasAttr(bufferAttrName) ||
      !getElementTypeOrSelf(add.getOffset()).isInteger(32))
    return std::nullopt;
  if (auto splat = add.getPtr().getDefiningOp<triton::SplatOp>())
    return Address{splat.getSrc(), add.getOffset()};
  return std::nullopt;
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

void makeBufferOp(Operation *op) {
  const Value none;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](triton::LoadOp load) {
        if (auto address = getAddress(load.getPtr()))
          replace(load, "amdg.buffer_load",
                  {{"cachePolicy", load.getCachePolicyAttr()}},
                  {address->base, address->offsets, none, load.getMask(),
                   withoutZeros(load.getOther())});
      })
      .Case([&](triton::StoreOp store) {
        if (auto address = getAddress(store.getPtr()))
          replace(store, "amdg.buffer_store",
                  {{"cachePolicy", store.getCachePolicyAttr()}},
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
}

struct MakeBufferOps : impl::TLXMakeBufferOpsBase<MakeBufferOps> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    getOperation().walk(makeBufferOp);
  }
};

} // namespace
} // namespace tlx
