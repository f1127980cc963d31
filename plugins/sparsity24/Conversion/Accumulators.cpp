#include "plugins/sparsity24/Conversion/Accumulators.h"

using namespace mlir;

namespace sparsity24 {

namespace {

void forEachPair(int64_t row, int64_t column, int64_t columns,
                 function_ref<void(int64_t, int64_t)> visit) {
  for (int64_t eight = 0; eight < columns; eight += 8)
    for (int64_t half : {0, 8})
      visit(row + half, column + eight);
}

} // namespace

SmallVector<Value> getAccumulatorTile(OpBuilder &builder, Location loc,
                                      const Registers &acc, int64_t row,
                                      int64_t column, int64_t columns,
                                      bool isF16) {
  SmallVector<Value> tile;
  forEachPair(row, column, columns, [&](int64_t r, int64_t c) {
    if (isF16) {
      tile.push_back(acc.getPacked(r, c, 2));
      return;
    }
    tile.push_back(acc.get(r, c));
    tile.push_back(acc.get(r, c + 1));
  });
  return tile;
}

void setAccumulatorTile(OpBuilder &builder, Location loc, Registers &acc,
                        int64_t row, int64_t column, int64_t columns,
                        bool isF16, ArrayRef<Value> tile) {
  forEachPair(row, column, columns, [&](int64_t r, int64_t c) {
    Value pair;
    if (isF16)
      pair = LLVM::BitcastOp::create(
          builder, loc, VectorType::get(2, builder.getF16Type()), tile.front());
    for (int64_t i : {0, 1})
      acc.set(r, c + i,
              isF16 ? LLVM::ExtractElementOp::create(
                          builder, loc, pair, makeInteger(builder, loc, 32, i))
                          .getResult()
                    : tile[i]);
    tile = tile.drop_front(isF16 ? 1 : 2);
  });
}

} // namespace sparsity24
