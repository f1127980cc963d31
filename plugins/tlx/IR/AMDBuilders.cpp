#include "mlir/AsmParser/AsmParser.h"
#include "plugins/tlx/IR/BuilderUtils.h"
#include "plugins/tlx/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

// Scheduling hints need no ops of TLX: they have no tensors, so Triton's own
// conversions leave them alone. The ROCDL dialect's C++ classes belong to the
// LLVM that Triton was built with, hence ops and attributes by name.

using namespace mlir;
using triton_plugin::OpCall;

namespace tlx {

namespace {

/// The instruction classes of a mask's bits, lowest first (LLVM AMDGPU usage,
/// llvm.amdgcn.sched.barrier).
constexpr StringLiteral instructionClasses[] = {"non_mem_non_sideeffect",
                                                "valu",
                                                "salu",
                                                "mfma_wmma",
                                                "all_vmem",
                                                "vmem_read",
                                                "vmem_write",
                                                "all_ds",
                                                "ds_read",
                                                "ds_write",
                                                "transcendental",
                                                "ldsdma"};

Attribute getMask(OpCall &call, int64_t mask) {
  SmallVector<StringRef> names;
  for (auto [bit, name] : llvm::enumerate(instructionClasses))
    if (mask & (int64_t(1) << bit))
      names.push_back(name);
  std::string text = "#rocdl<sched_group_mask " +
                     (names.empty() ? "none" : llvm::join(names, "|")) + ">";
  return parseAttribute(text, call.context());
}

Operation *createByName(OpCall &call, StringRef name, ValueRange operands,
                        TypeRange results,
                        ArrayRef<NamedAttribute> attributes) {
  OperationState state(call.loc(), name, operands, results, attributes);
  return call.builder().create(state);
}

} // namespace

Value buildSchedBarrier(OpCall &call) {
  OpBuilder &b = call.builder();
  SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr("mask", getMask(call, call.integer("mask")))};
  createByName(call, "rocdl.sched.barrier", {}, {}, attributes);
  return {};
}

Value buildSchedGroupBarrier(OpCall &call) {
  OpBuilder &b = call.builder();
  auto size = b.getI32IntegerAttr(call.integer("size"));
  auto group = b.getI32IntegerAttr(call.integer("group"));
  createByName(call, "rocdl.sched.group.barrier", {}, {},
               {b.getNamedAttr("mask", getMask(call, call.integer("mask"))),
                b.getNamedAttr("size", size),
                b.getNamedAttr("groupId", group)});
  return {};
}

Value buildIglpOpt(OpCall &call) {
  OpBuilder &b = call.builder();
  auto variant = b.getI32IntegerAttr(call.integer("variant"));
  createByName(call, "rocdl.iglp.opt", {}, {},
               {b.getNamedAttr("variant", variant)});
  return {};
}

Value buildWarpPipelineBorder(OpCall &call) {
  OpBuilder &b = call.builder();
  auto label = b.getStringAttr(call.string("label"));
  SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr("mask", getMask(call, 0)),
      b.getNamedAttr("triton.warp_pipeline.border", label)};
  if (std::optional<int64_t> priority = call.optionalInteger("priority"))
    attributes.push_back(b.getNamedAttr("triton.warp_pipeline.priority",
                                        b.getI32IntegerAttr(*priority)));
  createByName(call, "rocdl.sched.barrier", {}, {}, attributes);
  return {};
}

Value buildReadFirstLane(OpCall &call) {
  Value value = call.value("value");
  OpBuilder &b = call.builder();
  Type type = value.getType();
  auto pointer = dyn_cast<triton::PointerType>(type);
  Value bits = value;
  if (pointer)
    bits = triton::PtrToIntOp::create(b, call.loc(), b.getI64Type(), value);
  Value uniform =
      createByName(call, "rocdl.readfirstlane", bits, bits.getType(), {})
          ->getResult(0);
  if (!pointer)
    return uniform;
  auto result = triton::IntToPtrOp::create(b, call.loc(), pointer, uniform);
  // What is known of the address would end at the integer.
  constexpr StringLiteral divisibility = "tt.divisibility";
  Attribute known;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto function =
            dyn_cast<triton::FuncOp>(argument.getOwner()->getParentOp()))
      known = function.getArgAttr(argument.getArgNumber(), divisibility);
  } else {
    known = value.getDefiningOp()->getAttr(divisibility);
  }
  if (known)
    result->setAttr(divisibility, known);
  return result;
}

} // namespace tlx
