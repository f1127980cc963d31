#include "plugins/sparsity24/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace tt = mlir::triton;

namespace sparsity24 {

#define GEN_PASS_DEF_SPARSITY24EXPANDCOMPRESSION
#include "plugins/sparsity24/Transforms/Passes.h.inc"

namespace {

/// Builds elementwise ops on tensors that hold one element of every group.
class Expansion {
public:
  explicit Expansion(Operation *op) : builder(op), loc(op->getLoc()) {}

  void lower(DecompressOp op);
  void lower(CompressOp op);

private:
  Value constant(RankedTensorType type, int64_t value) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type, builder.getIntegerAttr(type.getElementType(), value)));
  }
  Value constantLike(Value value, int64_t number) {
    return constant(cast<RankedTensorType>(value.getType()), number);
  }
  Value isEqual(Value value, int64_t number) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value,
                                 constantLike(value, number));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return tt::ReshapeOp::create(builder, loc, shape, value);
  }
  std::pair<Value, Value> split(Value value) {
    auto op = tt::SplitOp::create(builder, loc, value);
    return {op.getOutLHS(), op.getOutRHS()};
  }
  Value join(Value first, Value second) {
    return tt::JoinOp::create(builder, loc, first, second);
  }
  /// The four elements of every group: (rows, groups * 4) -> 4 x (rows,
  /// groups).
  std::array<Value, 4> splitGroups(Value value, int64_t rows, int64_t groups) {
    auto [even, odd] = split(reshape(value, {rows, groups, 2, 2}));
    auto [first, third] = split(even);
    auto [second, fourth] = split(odd);
    return {first, second, third, fourth};
  }
  Value joinGroups(const std::array<Value, 4> &parts, int64_t rows,
                   int64_t columns) {
    return reshape(join(join(parts[0], parts[2]), join(parts[1], parts[3])),
                   {rows, columns});
  }
  Value bitcast(Value value, Type element) {
    auto type = cast<RankedTensorType>(value.getType());
    return tt::BitcastOp::create(builder, loc, type.clone(element), value);
  }

  OpBuilder builder;
  Location loc;
};

void Expansion::lower(DecompressOp op) {
  RankedTensorType values = op.getValues().getType();
  int64_t rows = values.getDimSize(0), groups = values.getDimSize(1) / 2;
  auto [first, second] = split(reshape(
      bitcast(op.getValues(), builder.getI16Type()), {rows, groups, 2}));
  // The nibbles of a word, in the order of the groups.
  std::array<Value, 4> shifted;
  for (int64_t group = 0; group < 4; ++group)
    shifted[group] = arith::ShRUIOp::create(
        builder, loc, op.getMeta(), constantLike(op.getMeta(), 4 * group));
  Value nibbles = joinGroups(shifted, rows, groups);
  Value three = constantLike(nibbles, 3);
  Value firstColumn = arith::AndIOp::create(builder, loc, nibbles, three);
  Value secondColumn = arith::AndIOp::create(
      builder, loc,
      arith::ShRUIOp::create(builder, loc, nibbles, constantLike(nibbles, 2)),
      three);
  Value zero = constantLike(nibbles, 0);
  std::array<Value, 4> columns;
  for (int64_t column = 0; column < 4; ++column)
    columns[column] =
        select(isEqual(firstColumn, column), first,
               select(isEqual(secondColumn, column), second, zero));
  op.replaceAllUsesWith(
      bitcast(joinGroups(columns, rows, groups * 4), values.getElementType()));
  op.erase();
}

void Expansion::lower(CompressOp op) {
  RankedTensorType dense = op.getDense().getType();
  int64_t rows = dense.getDimSize(0), groups = dense.getDimSize(1) / 4;
  std::array<Value, 4> columns =
      splitGroups(bitcast(op.getDense(), builder.getI16Type()), rows, groups);
  std::array<Value, 4> isZero;
  for (auto [zero, column] : llvm::zip(isZero, columns))
    zero = isEqual(column, 0);
  auto both = [&](Value a, Value b) -> Value {
    return arith::AndIOp::create(builder, loc, a, b);
  };
  // The first value is the first that is not zero, but no later than column 2.
  // The second is the next one, or column 3; where the first is followed by
  // zeros alone, any column behind it will do.
  auto number = [&](int64_t value) { return constantLike(columns[0], value); };
  Value firstColumn =
      select(isZero[0], select(isZero[1], number(2), number(1)), number(0));
  Value skipsOne = isZero[1], skipsTwo = both(isZero[1], isZero[2]);
  Value afterZero =
      select(skipsOne, select(skipsTwo, number(3), number(2)), number(1));
  Value afterOne = select(isZero[2], number(3), number(2));
  Value secondColumn =
      select(isEqual(firstColumn, 0), afterZero,
             select(isEqual(firstColumn, 1), afterOne, number(3)));
  Value first = select(isEqual(firstColumn, 0), columns[0],
                       select(isEqual(firstColumn, 1), columns[1], columns[2]));
  Value second =
      select(isEqual(secondColumn, 1), columns[1],
             select(isEqual(secondColumn, 2), columns[2], columns[3]));
  Value values = reshape(join(first, second), {rows, groups * 2});

  Value nibbles = arith::OrIOp::create(
      builder, loc, firstColumn,
      arith::ShLIOp::create(builder, loc, secondColumn, number(2)));
  std::array<Value, 4> parts = splitGroups(nibbles, rows, groups / 4);
  Value meta = parts[0];
  for (int64_t group = 1; group < 4; ++group)
    meta = arith::OrIOp::create(
        builder, loc, meta,
        arith::ShLIOp::create(builder, loc, parts[group],
                              constantLike(meta, 4 * group)));
  op.replaceAllUsesWith(
      ValueRange{bitcast(values, dense.getElementType()), meta});
  op.erase();
}

struct ExpandCompression
    : impl::Sparsity24ExpandCompressionBase<ExpandCompression> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (isa<CompressOp, DecompressOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto compress = dyn_cast<CompressOp>(op))
        Expansion(op).lower(compress);
      else
        Expansion(op).lower(cast<DecompressOp>(op));
    }
  }
};

} // namespace
} // namespace sparsity24
