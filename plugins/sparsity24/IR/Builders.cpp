#include "plugins/sparsity24/IR/Builders.h"
#include "plugins/sparsity24/IR/Sparsity24.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using triton_plugin::OpCall;

namespace sparsity24 {

namespace {

using TensorValue = TypedValue<RankedTensorType>;

TensorValue getMatrix(OpCall &call, StringRef argument,
                      function_ref<bool(Type)> isElement, StringRef elements) {
  Value value = call.value(argument);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && type.getRank() == 2 && isElement(type.getElementType()))
    return cast<TensorValue>(value);
  std::string found;
  llvm::raw_string_ostream(found) << value.getType();
  call.fail("argument '" + argument + "' must be a matrix of " + elements +
            ", but is " + found);
}

TensorValue getOperand(OpCall &call, StringRef argument) {
  return getMatrix(
      call, argument, [](Type type) { return type.isF16() || type.isBF16(); },
      "float16 or bfloat16");
}

TensorValue getMeta(OpCall &call) {
  return getMatrix(
      call, "meta", [](Type type) { return type.isInteger(16); }, "int16");
}

void checkShapes(OpCall &call, RankedTensorType values, RankedTensorType b,
                 RankedTensorType acc) {
  auto fail = [&](const Twine &problem) {
    auto text = [](RankedTensorType type) {
      return (Twine("[") + Twine(type.getDimSize(0)) + ", " +
              Twine(type.getDimSize(1)) + "]")
          .str();
    };
    call.fail(problem + ": values " + text(values) + ", b " + text(b) +
              ", acc " + text(acc));
  };
  if (b.getDimSize(0) != 2 * values.getDimSize(1))
    fail("b needs two rows for every column of values");
  if (acc.getDimSize(0) != values.getDimSize(0) ||
      acc.getDimSize(1) != b.getDimSize(1))
    fail("acc needs the rows of values and the columns of b");
}

} // namespace

Value buildSparseDot(OpCall &call) {
  TensorValue values = getOperand(call, "values"), b = getOperand(call, "b");
  TensorValue acc = getMatrix(
      call, "acc", [](Type type) { return type.isF16() || type.isF32(); },
      "float32 or float16");
  checkShapes(call, values.getType(), b.getType(), acc.getType());
  return call.create<SparseDotOp>(acc.getType(), values, b, acc, getMeta(call));
}

Value buildCompress(OpCall &call) {
  TensorValue dense = getOperand(call, "dense");
  RankedTensorType type = dense.getType();
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  if (columns % 16 != 0)
    call.fail("argument 'dense' has " + Twine(columns) +
              " columns; a multiple of 16 is needed");
  auto values =
      RankedTensorType::get({rows, columns / 2}, type.getElementType());
  auto meta =
      RankedTensorType::get({rows, columns / 16}, call.builder().getI16Type());
  return call.create<CompressOp>(values, meta, dense).getValues();
}

Value buildCompressMeta(OpCall &call) {
  if (auto op = call.value("values").getDefiningOp<CompressOp>())
    return op.getMeta();
  call.fail("argument 'values' must come from compress");
}

Value buildDecompress(OpCall &call) {
  TensorValue values = getOperand(call, "values");
  RankedTensorType type = values.getType();
  auto dense = RankedTensorType::get(
      {type.getDimSize(0), type.getDimSize(1) * 2}, type.getElementType());
  return call.create<DecompressOp>(dense, values, getMeta(call));
}

} // namespace sparsity24
