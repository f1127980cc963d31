#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Clusters.h"
#include "plugins/tlx/Transforms/LLVMUtils.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton/Conversion/TritonGPUToLLVM/Utility.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/StringExtras.h"
#include <string>

using namespace mlir;

namespace tlx {

#define GEN_PASS_DEF_TLXTOLLVM
#include "plugins/tlx/Transforms/Passes.h.inc"

Value getConverted(Value value) {
  auto cast = value.getDefiningOp<UnrealizedConversionCastOp>();
  return cast ? cast.getInputs().front() : value;
}

Value getAddress(OpBuilder &b, Location loc, Value buffer) {
  return LLVM::ExtractValueOp::create(b, loc, getConverted(buffer), 0);
}

void createAsm(OpBuilder &b, Location loc, StringRef text,
               StringRef constraints, ValueRange operands) {
  LLVM::InlineAsmOp::create(
      b, loc, LLVM::LLVMVoidType::get(b.getContext()), operands, text,
      constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

namespace {

/// Assembly that one lane runs for all, of the warp whose predicate is true:
/// bulk copies count what each thread starts (PTX ISA, "cp.async.bulk").
class ElectedAsm {
public:
  explicit ElectedAsm(Operation *op) : b(op), loc(op->getLoc()) {}

  /// Adds an operand and gives its name in the text.
  std::string use(Value value, char constraint) {
    return useConverted(getConverted(value), constraint);
  }
  std::string useAddress(Value buffer) {
    return useConverted(getAddress(b, loc, buffer), 'r');
  }
  std::string useDescriptor(Value descriptor) {
    Value pointer = getConverted(descriptor);
    // Arguments of tasks are converted later.
    if (!isa<LLVM::LLVMPointerType>(pointer.getType()))
      pointer = UnrealizedConversionCastOp::create(
                    b, loc, LLVM::LLVMPointerType::get(b.getContext()), pointer)
                    .getResult(0);
    return useConverted(pointer, 'l');
  }

  /// Adds an instruction of the L2 cache, which takes a policy where one is
  /// given (PTX ISA, "createpolicy").
  void addCached(const Twine &instruction, const Twine &arguments,
                 triton::EvictionPolicy evict) {
    if (evict == triton::EvictionPolicy::NORMAL)
      return add(instruction + " " + arguments);
    text += ("  .reg .b64 policy;\n  createpolicy.fractional.L2::" +
             triton::stringifyEvictionPolicy(evict) + ".b64 policy, 1.0;\n")
                .str();
    add(instruction + ".L2::cache_hint " + arguments + ", policy");
  }
  void add(const Twine &instruction) {
    text += ("  @elected " + instruction + ";\n").str();
  }

  void create(Value predicate) {
    Value word =
        LLVM::ZExtOp::create(b, loc, b.getI32Type(), getConverted(predicate));
    std::string name = use(word, 'r');
    std::string all = "{\n"
                      "  .reg .pred first, elected;\n"
                      "  elect.sync _|elected, -1;\n"
                      "  setp.ne.b32 first, " +
                      name +
                      ", 0;\n"
                      "  and.pred elected, elected, first;\n" +
                      text + "}";
    createAsm(b, loc, all, StringRef(constraints).drop_back(), operands);
  }

private:
  std::string useConverted(Value value, char constraint) {
    constraints += constraint;
    constraints += ',';
    operands.push_back(value);
    return ("$" + Twine(operands.size() - 1)).str();
  }

  OpBuilder b;
  Location loc;
  SmallVector<Value> operands;
  std::string constraints, text;
};

void convert(AsyncStoreOp op) {
  ElectedAsm text(op);
  std::string to = text.use(op.getDestination(), 'l');
  std::string from = text.useAddress(op.getSource());
  std::string size = text.use(op.getSize(), 'r');
  text.add("cp.async.bulk.global.shared::cta.bulk_group [" + to + "], [" +
           from + "], " + size);
  text.add("cp.async.bulk.commit_group");
  text.create(op.getPredicate());
}

void convert(AsyncBulkLoadOp op) {
  ElectedAsm text(op);
  std::string from = text.use(op.getSource(), 'l');
  std::string to = text.useAddress(op.getDestination());
  std::string size = text.use(op.getSize(), 'r');
  std::string barrier = text.useAddress(op.getBarrier());
  text.addCached("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes",
                 "[" + to + "], [" + from + "], " + size + ", [" + barrier +
                     "]",
                 op.getEvict());
  text.create(op.getPredicate());
}

void convert(AsyncDescriptorPrefetchOp op) {
  ElectedAsm text(op);
  std::string descriptor = text.useDescriptor(op.getDescriptor());
  // The hardware counts dimensions from the contiguous one.
  SmallVector<std::string> offsets;
  for (Value offset : llvm::reverse(op.getOffsets()))
    offsets.push_back(text.use(offset, 'r'));
  text.addCached("cp.async.bulk.prefetch.tensor." + Twine(offsets.size()) +
                     "d.L2.global.tile",
                 "[" + descriptor + ", {" + llvm::join(offsets, ", ") + "}]",
                 op.getEvict());
  text.create(op.getPredicate());
}

void convert(PrefetchDescriptorOp op) {
  ElectedAsm text(op);
  std::string descriptor = text.useDescriptor(op.getDescriptor());
  text.add("prefetch.tensormap [" + descriptor + "]");
  text.create(op.getPredicate());
}

void convert(VoteAnyOp op) {
  IRRewriter b(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getPredicate().getType());
  SmallVector<Value> elements =
      unpackTensorElements(loc, getConverted(op.getPredicate()), b, type);
  Value any = elements.front();
  for (Value element : ArrayRef(elements).drop_front())
    any = LLVM::OrOp::create(b, loc, any, element);
  Value allThreads =
      LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(-1));
  auto vote = LLVM::CallIntrinsicOp::create(
      b, loc, b.getI1Type(), b.getStringAttr("llvm.nvvm.vote.any.sync"),
      ValueRange{allThreads, any});
  op.getResult().replaceAllUsesWith(vote.getResults());
}

struct ToLLVM : impl::TLXToLLVMBase<ToLLVM> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    convertEach<AsyncStoreOp>();
    convertEach<AsyncBulkLoadOp>();
    convertEach<AsyncDescriptorPrefetchOp>();
    convertEach<PrefetchDescriptorOp>();
    convertEach<VoteAnyOp>();
    if (failed(convertClusterOps(getOperation())))
      signalPassFailure();
  }

  template <typename OpTy> void convertEach() {
    getOperation().walk([](OpTy op) {
      convert(op);
      op.erase();
    });
  }
};

} // namespace
} // namespace tlx
