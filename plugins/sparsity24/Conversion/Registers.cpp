#include "plugins/sparsity24/Conversion/Registers.h"
#include "mlir/IR/BuiltinOps.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/LinearLayoutConversions.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace sparsity24 {

Value getLoweredValue(Value operand) {
  auto conversion = operand.getDefiningOp<UnrealizedConversionCastOp>();
  if (!conversion || conversion.getInputs().size() != 1)
    return {};
  return conversion.getInputs()[0];
}

Value makeInteger(OpBuilder &builder, Location loc, unsigned bits,
                  int64_t value) {
  auto type = builder.getIntegerType(bits);
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, value));
}

Value makeVector(OpBuilder &builder, Location loc, ArrayRef<Value> elements) {
  auto type = VectorType::get(static_cast<int64_t>(elements.size()),
                              elements[0].getType());
  Value vector = LLVM::UndefOp::create(builder, loc, type);
  for (auto [index, element] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(
        builder, loc, vector, element, makeInteger(builder, loc, 32, index));
  return vector;
}

Registers::Registers(OpBuilder &builder, Location loc, Value tensor)
    : builder(builder), loc(loc),
      type(cast<RankedTensorType>(tensor.getType())) {
  Value structure = getLoweredValue(tensor);
  structType = cast<LLVM::LLVMStructType>(structure.getType());
  for (size_t i = 0; i < structType.getBody().size(); ++i)
    elements.push_back(
        LLVM::ExtractValueOp::create(builder, loc, structure, i));

  tt::LinearLayout layout = ttg::toLinearLayout(type);
  auto dimension = [&](StringRef name) {
    return StringAttr::get(type.getContext(), name);
  };
  for (int32_t i = 0; i < static_cast<int32_t>(elements.size()); ++i) {
    auto place = layout.apply({{dimension("register"), i},
                               {dimension("lane"), 0},
                               {dimension("warp"), 0},
                               {dimension("block"), 0}});
    indices.try_emplace({place[0].second, place[1].second}, i);
  }
}

int64_t Registers::indexOf(int64_t row, int64_t column) const {
  auto found = indices.find({row, column});
  assert(found != indices.end() && "the layout lacks an element");
  return found->second;
}

bool Registers::has(int64_t row, int64_t column) const {
  return indices.contains({row, column});
}

Value Registers::get(int64_t row, int64_t column) const {
  return elements[indexOf(row, column)];
}

void Registers::set(int64_t row, int64_t column, Value element) {
  elements[indexOf(row, column)] = element;
}

Value Registers::getVector(int64_t row, int64_t column, int64_t count) const {
  SmallVector<Value> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(get(row, column + i));
  return makeVector(builder, loc, parts);
}

Value Registers::getPacked(int64_t row, int64_t column, int64_t count) const {
  unsigned bits = count * type.getElementTypeBitWidth();
  return LLVM::BitcastOp::create(builder, loc, builder.getIntegerType(bits),
                                 getVector(row, column, count));
}

Value Registers::build() const {
  Value structure = LLVM::UndefOp::create(builder, loc, structType);
  for (auto [index, element] : llvm::enumerate(elements))
    structure = LLVM::InsertValueOp::create(builder, loc, structure, element,
                                            static_cast<int64_t>(index));
  return UnrealizedConversionCastOp::create(builder, loc, type, structure)
      .getResult(0);
}

} // namespace sparsity24
