#include "plugins/sparsity24/Conversion/InlinePtx.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace sparsity24 {

std::string operandList(unsigned first, unsigned count) {
  SmallVector<std::string> names;
  for (unsigned i = 0; i < count; ++i)
    names.push_back("$" + std::to_string(first + i));
  return llvm::join(names, ", ");
}

SmallVector<Value> emitAccumulating(OpBuilder &builder, Location loc,
                                    StringRef text,
                                    ArrayRef<Value> accumulators,
                                    ArrayRef<Value> inputs,
                                    StringRef constraints) {
  Type element = accumulators[0].getType();
  std::string output = element.isF32() ? "=f" : "=r";
  SmallVector<std::string> allConstraints(accumulators.size(), output);
  for (size_t i = 0; i < accumulators.size(); ++i)
    allConstraints.push_back(std::to_string(i));
  for (char constraint : constraints)
    allConstraints.push_back(std::string(1, constraint));
  SmallVector<Value> operands(accumulators);
  llvm::append_range(operands, inputs);
  auto structType = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), SmallVector<Type>(accumulators.size(), element));
  auto assembly = LLVM::InlineAsmOp::create(
      builder, loc, structType, operands, text, llvm::join(allConstraints, ","),
      /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  SmallVector<Value> results;
  for (size_t i = 0; i < accumulators.size(); ++i)
    results.push_back(
        LLVM::ExtractValueOp::create(builder, loc, assembly.getRes(), i));
  return results;
}

} // namespace sparsity24
