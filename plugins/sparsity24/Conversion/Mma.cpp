#include "plugins/sparsity24/Conversion/Accumulators.h"
#include "plugins/sparsity24/Conversion/Dots.h"
#include "plugins/sparsity24/Conversion/InlinePtx.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace sparsity24 {

Value lowerToMma(OpBuilder &builder, SparseDotOp dot) {
  Location loc = dot.getLoc();
  RankedTensorType type = dot.getResult().getType();
  auto layout = cast<ttg::NvidiaMmaEncodingAttr>(type.getEncoding());
  StringRef element =
      dot.getB().getType().getElementType().isBF16() ? "bf16" : "f16";
  bool isF16 = type.getElementType().isF16();
  std::string accumulator = isF16 ? "f16" : "f32";
  unsigned numAccumulators = isF16 ? 2 : 4;

  Registers values(builder, loc, dot.getValues());
  Registers b(builder, loc, dot.getB());
  Registers acc(builder, loc, dot.getAcc());
  Registers meta(builder, loc, dot.getMeta());
  int64_t stepM = 16 * layout.getWarpsPerCTA()[0];
  int64_t stepN = 8 * layout.getWarpsPerCTA()[1];
  int64_t depth = dot.getB().getType().getDimSize(0);

  unsigned first = 2 * numAccumulators;
  auto text = [&](int64_t selector) {
    std::string d = "{" + operandList(0, numAccumulators) + "}";
    return ("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col." +
            accumulator + "." + element + "." + element + "." + accumulator +
            " " + d + ", {" + operandList(first, 4) + "}, {" +
            operandList(first + 4, 4) + "}, " + d + ", " +
            operandList(first + 8, 1) + ", " + Twine(selector) + ";")
        .str();
  };
  for (int64_t row = 0; row < type.getDimSize(0); row += stepM)
    for (int64_t column = 0; column < type.getDimSize(1); column += stepN) {
      SmallVector<Value> tile =
          getAccumulatorTile(builder, loc, acc, row, column, 8, isF16);
      for (int64_t step = 0; step < depth / 32; ++step) {
        SmallVector<Value> inputs;
        for (int64_t k : {0, 8})
          for (int64_t half : {0, 8})
            inputs.push_back(values.getPacked(row + half, 16 * step + k, 2));
        for (int64_t k : {0, 8, 16, 24})
          inputs.push_back(LLVM::BitcastOp::create(
              builder, loc, builder.getI32Type(),
              makeVector(builder, loc,
                         {b.get(32 * step + k, column),
                          b.get(32 * step + k + 1, column)})));
        // Two steps share a register of metadata; the selector tells them
        // apart.
        int64_t word = 4 * (step / 2);
        inputs.push_back(LLVM::BitcastOp::create(
            builder, loc, builder.getI32Type(),
            makeVector(builder, loc,
                       {meta.get(row, word), meta.get(row + 8, word)})));
        tile = emitAccumulating(builder, loc, text(step % 2), tile, inputs,
                                "rrrrrrrrr");
      }
      setAccumulatorTile(builder, loc, acc, row, column, 8, isF16, tile);
    }
  return acc.build();
}

} // namespace sparsity24
