#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "plugins/sparsity24/Conversion/Dots.h"
#include "plugins/sparsity24/Conversion/Registers.h"
#include "plugins/sparsity24/Transforms/Layouts.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace sparsity24 {

namespace {

/// The rows of a lane's accumulators in one instruction: four of every 16, or
/// of every 8 where an instruction has 32 rows (AMD CDNA3 ISA, "Dense Matrix
/// Operations").
SmallVector<int64_t> getAccumulatorRows(const Instruction &instruction) {
  SmallVector<int64_t> rows;
  for (int64_t group = 0; group < instruction.m; group += 256 / instruction.m)
    for (int64_t row = 0; row < 4; ++row)
      rows.push_back(group + row);
  return rows;
}

/// Lets a lane's nibbles begin at bit 0. Where two lanes share a word of
/// metadata, the second one's are the upper byte.
Value selectNibbles(OpBuilder &builder, Location loc, Value word,
                    const Instruction &instruction) {
  Value wide = LLVM::ZExtOp::create(builder, loc, builder.getI32Type(), word);
  if (getValuesKWidth(instruction) != 4)
    return wide;
  Value thread = ROCDL::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  Value bit = LLVM::AndOp::create(builder, loc, thread,
                                  makeInteger(builder, loc, 32, instruction.m));
  // The bit is 16 or 32: an eighth or a quarter of it, times two, is 8.
  unsigned shift = instruction.m == 16 ? 1 : 2;
  Value amount = LLVM::LShrOp::create(builder, loc, bit,
                                      makeInteger(builder, loc, 32, shift));
  return LLVM::LShrOp::create(builder, loc, wide, amount);
}

/// A lane's elements of b. For a step along K of twice the width they come from
/// both halves of the step.
Value getB(OpBuilder &builder, Location loc, const Registers &b, int64_t depth,
           int64_t column, const Instruction &instruction) {
  int64_t lanesAlongK = 64 / instruction.m;
  SmallVector<Value> parts;
  for (int64_t k = 0; k < instruction.k; k += 8 * lanesAlongK)
    for (int64_t i = 0; i < 8; ++i)
      parts.push_back(b.get(depth + k + i, column));
  return makeVector(builder, loc, parts);
}

} // namespace

Value lowerToSmfmac(OpBuilder &builder, SparseDotOp dot,
                    const Instruction &instruction) {
  Location loc = dot.getLoc();
  RankedTensorType type = dot.getResult().getType();
  auto layout = cast<ttg::AMDMfmaEncodingAttr>(type.getEncoding());
  bool isBF16 = dot.getB().getType().getElementType().isBF16();
  int64_t valuesWidth = getValuesKWidth(instruction);
  // The intrinsics of gfx942 are older than LLVM's bfloat type.
  bool takesIntegers = isBF16 && valuesWidth == 4;
  std::string name = ("llvm.amdgcn.smfmac.f32." + Twine(instruction.m) + "x" +
                      Twine(instruction.n) + "x" + Twine(instruction.k) +
                      (isBF16 ? ".bf16" : ".f16"))
                         .str();
  auto asOperand = [&](Value vector) -> Value {
    if (!takesIntegers)
      return vector;
    auto vectorType = cast<VectorType>(vector.getType());
    return LLVM::BitcastOp::create(
        builder, loc, vectorType.clone(builder.getI16Type()), vector);
  };

  Registers values(builder, loc, dot.getValues());
  Registers b(builder, loc, dot.getB());
  Registers acc(builder, loc, dot.getAcc());
  Registers meta(builder, loc, dot.getMeta());
  SmallVector<int64_t> accRows = getAccumulatorRows(instruction);
  int64_t stepM = instruction.m * layout.getWarpsPerCTA()[0];
  int64_t stepN = instruction.n * layout.getWarpsPerCTA()[1];
  int64_t depth = dot.getB().getType().getDimSize(0);
  Value zero = makeInteger(builder, loc, 32, 0);

  for (int64_t row = 0; row < type.getDimSize(0); row += stepM)
    for (int64_t column = 0; column < type.getDimSize(1); column += stepN) {
      SmallVector<Value> tile;
      for (int64_t accRow : accRows)
        tile.push_back(acc.get(row + accRow, column));
      Value sum = makeVector(builder, loc, tile);
      for (int64_t k = 0; k < depth; k += instruction.k) {
        Value nibbles =
            selectNibbles(builder, loc, meta.get(row, k / 16), instruction);
        SmallVector<Value> operands = {
            asOperand(values.getVector(row, k / 2, valuesWidth)),
            asOperand(getB(builder, loc, b, k, column, instruction)),
            sum,
            nibbles,
            /*cbsz=*/zero,
            /*abid=*/zero};
        sum =
            LLVM::CallIntrinsicOp::create(builder, loc, sum.getType(),
                                          builder.getStringAttr(name), operands)
                .getResult(0);
      }
      for (auto [index, accRow] : llvm::enumerate(accRows))
        acc.set(row + accRow, column,
                LLVM::ExtractElementOp::create(
                    builder, loc, sum, makeInteger(builder, loc, 32, index)));
    }
  return acc.build();
}

} // namespace sparsity24
