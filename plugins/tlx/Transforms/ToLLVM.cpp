#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;

namespace tlx {

#define GEN_PASS_DEF_TLXTOLLVM
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// What the stock conversion made of the value; a cast hides it from an op that
/// the conversion does not know.
Value getConverted(Value value) {
  auto cast = value.getDefiningOp<UnrealizedConversionCastOp>();
  return cast ? cast.getInputs().front() : value;
}

/// The first byte of a buffer. A buffer is a struct of its address and the
/// offsets of slices.
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

/// One lane copies for all: cp.async.bulk counts what each thread starts (PTX
/// ISA, "cp.async.bulk").
void convert(AsyncStoreOp op) {
  OpBuilder b(op);
  createAsm(b, op.getLoc(),
            "{\n"
            "  .reg .pred first, elected;\n"
            "  elect.sync _|elected, -1;\n"
            "  setp.ne.b32 first, $3, 0;\n"
            "  and.pred elected, elected, first;\n"
            "  @elected cp.async.bulk.global.shared::cta.bulk_group [$0], "
            "[$1], $2;\n"
            "  @elected cp.async.bulk.commit_group;\n"
            "}",
            "l,r,r,r",
            {getConverted(op->getOperand(0)),
             getAddress(b, op.getLoc(), op->getOperand(1)),
             getConverted(op->getOperand(2)),
             LLVM::ZExtOp::create(b, op.getLoc(), b.getI32Type(),
                                  getConverted(op->getOperand(3)))});
  op.erase();
}

struct ToLLVM : impl::TLXToLLVMBase<ToLLVM> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    getOperation().walk([](AsyncStoreOp op) { convert(op); });
  }
};

} // namespace
} // namespace tlx
