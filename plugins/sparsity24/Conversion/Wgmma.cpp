#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "plugins/sparsity24/Conversion/Accumulators.h"
#include "plugins/sparsity24/Conversion/Dots.h"
#include "plugins/sparsity24/Conversion/InlinePtx.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace sparsity24 {

namespace {

/// Makes the matrix descriptors of one operand (PTX ISA, "Matrix descriptor").
///
/// The nvmma_shared layout stores blocks of columns one after the other, each
/// as wide as the swizzle. "Rows" and "columns" are those of memory: columns
/// are neighbours.
class Operand {
public:
  Operand(OpBuilder &builder, Location loc, Value memory)
      : builder(builder), loc(loc) {
    auto type = cast<ttg::MemDescType>(memory.getType());
    auto layout = cast<ttg::NVMMASharedEncodingAttr>(type.getEncoding());
    isTransposed = layout.getTransposed();
    rows = type.getDimSize(isTransposed ? 1 : 0);
    swizzle = layout.getSwizzlingByteWidth();
    elementBytes = layout.getElementBitWidth() / 8;
    base = LLVM::PtrToIntOp::create(
        builder, loc, builder.getI32Type(),
        LLVM::ExtractValueOp::create(builder, loc, getLoweredValue(memory), 0));
  }

  /// Moves all descriptors to the tile of this warp group, which begins at
  /// `index * size` along a dimension of the matrix.
  void moveTo(unsigned dimension, Value index, int64_t size) {
    bool alongColumns = (dimension == 1) != isTransposed;
    int64_t columns = getBlockColumns();
    if (!alongColumns || size % columns == 0) {
      int64_t bytes = alongColumns ? getOffset(0, size) : getOffset(size, 0);
      advance(index, bytes);
      return;
    }
    // Several tiles in one block of columns, then the next block.
    Value perBlock = makeInteger(builder, loc, 32, columns / size);
    advance(LLVM::UDivOp::create(builder, loc, index, perBlock),
            getOffset(0, columns));
    advance(LLVM::URemOp::create(builder, loc, index, perBlock),
            size * elementBytes);
  }

  /// The descriptor of the tile at an element of the matrix.
  Value getDescriptor(int64_t row, int64_t column) {
    if (isTransposed)
      std::swap(row, column);
    if (!descriptor)
      descriptor = makeDescriptor();
    return LLVM::AddOp::create(
        builder, loc, descriptor,
        makeInteger(builder, loc, 64, getOffset(row, column) >> 4));
  }

  bool transposed() const { return isTransposed; }

private:
  int64_t getBlockColumns() const { return swizzle / elementBytes; }

  int64_t getOffset(int64_t row, int64_t column) const {
    int64_t columns = getBlockColumns();
    return column / columns * swizzle * rows + row * swizzle +
           column % columns * elementBytes;
  }

  void advance(Value index, int64_t bytes) {
    base = LLVM::AddOp::create(
        builder, loc, base,
        LLVM::MulOp::create(builder, loc, index,
                            makeInteger(builder, loc, 32, bytes)));
  }

  Value makeDescriptor() {
    // Bits 0-13: the address; 16-29: from one block of columns to the next;
    // 32-45: from eight rows to the next; all in 16 bytes. 62-63: the swizzle.
    uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
    uint64_t fixed = (mode << 62) | (uint64_t(swizzle * 8 >> 4) << 32) |
                     (uint64_t(swizzle * rows >> 4) << 16);
    Value address = LLVM::LShrOp::create(
        builder, loc,
        LLVM::AndOp::create(builder, loc, base,
                            makeInteger(builder, loc, 32, 0x3ffff)),
        makeInteger(builder, loc, 32, 4));
    return LLVM::OrOp::create(
        builder, loc,
        LLVM::ZExtOp::create(builder, loc, builder.getI64Type(), address),
        makeInteger(builder, loc, 64, static_cast<int64_t>(fixed)));
  }

  OpBuilder &builder;
  Location loc;
  Value base, descriptor;
  bool isTransposed;
  int64_t rows, swizzle, elementBytes;
};

/// Metadata as the instructions take it, one row of tiles after another: rows r
/// and r + 8 share a register, which serves two steps along K.
SmallVector<Value> packMeta(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Registers meta(builder, loc, tensor);
  SmallVector<Value> packed;
  for (int64_t row = 0; row < type.getDimSize(0); row += 16)
    for (int64_t word = 0; word < type.getDimSize(1); word += 4)
      if (meta.has(row, word))
        packed.push_back(LLVM::BitcastOp::create(
            builder, loc, builder.getI32Type(),
            makeVector(builder, loc,
                       {meta.get(row, word), meta.get(row + 8, word)})));
  return packed;
}

/// The registers that hold_meta has packed, or newly packed ones.
SmallVector<Value> getMetaRegisters(OpBuilder &builder, Location loc,
                                    Value meta) {
  auto type = cast<RankedTensorType>(meta.getType());
  if (type.getElementType().isInteger(16))
    return packMeta(builder, loc, meta);
  Registers registers(builder, loc, meta);
  return llvm::map_to_vector(
      llvm::seq(type.getDimSize(1)),
      [&](int64_t column) { return registers.get(0, column); });
}

/// The number of this thread's warp, from a shuffle so that it is known to be
/// the same in all lanes.
Value getWarp(OpBuilder &builder, Location loc) {
  Type i32 = builder.getI32Type();
  Value thread = NVVM::ThreadIdXOp::create(builder, loc, i32);
  Value warp = LLVM::LShrOp::create(builder, loc, thread,
                                    makeInteger(builder, loc, 32, 5));
  return NVVM::ShflOp::create(
      builder, loc, i32, makeInteger(builder, loc, 32, -1), warp,
      makeInteger(builder, loc, 32, 0), makeInteger(builder, loc, 32, 31),
      NVVM::ShflKind::idx, UnitAttr());
}

} // namespace

Value lowerToWgmma(OpBuilder &builder, AsyncSparseDotOp dot) {
  Location loc = dot.getLoc();
  RankedTensorType type = dot.getResult().getType();
  auto layout = cast<ttg::NvidiaMmaEncodingAttr>(type.getEncoding());
  int64_t instructionN = layout.getInstrShape()[1];
  int64_t warpsM = layout.getWarpsPerCTA()[0];
  int64_t warpsN = layout.getWarpsPerCTA()[1];
  int64_t depth = cast<ShapedType>(dot.getB().getType()).getDimSize(0);
  bool isF16 = type.getElementType().isF16();
  bool isBF16 =
      cast<ShapedType>(dot.getB().getType()).getElementType().isBF16();

  Operand values(builder, loc, dot.getValues());
  Operand b(builder, loc, dot.getB());
  if (warpsM > 4 || warpsN > 1) {
    Value warp = getWarp(builder, loc);
    auto part = [&](Value value, int64_t divisor, int64_t modulus) -> Value {
      value = LLVM::UDivOp::create(builder, loc, value,
                                   makeInteger(builder, loc, 32, divisor));
      return LLVM::URemOp::create(builder, loc, value,
                                  makeInteger(builder, loc, 32, modulus));
    };
    // Four warps make a group; the warps' order is rows, then columns.
    if (warpsM > 4)
      values.moveTo(/*dimension=*/0, part(warp, 4, warpsM / 4), /*size=*/64);
    if (warpsN > 1)
      b.moveTo(/*dimension=*/1, part(warp, warpsM, warpsN), instructionN);
  }

  Registers acc(builder, loc, dot.getAcc());
  SmallVector<Value> meta = getMetaRegisters(builder, loc, dot.getMeta());
  int64_t registersPerRow = llvm::divideCeil(depth, 64);
  unsigned numAccumulators = instructionN / (isF16 ? 4 : 2);
  unsigned first = 2 * numAccumulators;
  auto text = [&](int64_t selector) {
    std::string element = isBF16 ? ".bf16" : ".f16";
    // Scales of 1 for the accumulator and both operands, and transpositions.
    return ("{ .reg .pred p; setp.ne.b32 p, 1, 0; "
            "wgmma.mma_async.sp.sync.aligned.m64n" +
            Twine(instructionN) + "k32" + (isF16 ? ".f16" : ".f32") + element +
            element + " {" + operandList(0, numAccumulators) + "}, " +
            operandList(first, 3) + ", " + Twine(selector) + ", p, 1, 1, " +
            // A is K-major as it is, B is so when it is transposed.
            Twine(values.transposed() ? 1 : 0) + ", " +
            Twine(b.transposed() ? 0 : 1) + "; }")
        .str();
  };

  NVVM::WgmmaFenceAlignedOp::create(builder, loc);
  int64_t stepM = 16 * warpsM, stepN = instructionN * warpsN;
  for (int64_t row = 0; row < type.getDimSize(0); row += stepM)
    for (int64_t column = 0; column < type.getDimSize(1); column += stepN) {
      SmallVector<Value> tile = getAccumulatorTile(builder, loc, acc, row,
                                                   column, instructionN, isF16);
      for (int64_t step = 0; step < depth / 32; ++step) {
        // Two steps share a register of metadata; the selector tells them
        // apart.
        Value words = meta[row / stepM * registersPerRow + step / 2];
        tile = emitAccumulating(builder, loc, text(step % 2), tile,
                                {values.getDescriptor(row, 16 * step),
                                 b.getDescriptor(32 * step, column), words},
                                "llr");
      }
      setAccumulatorTile(builder, loc, acc, row, column, instructionN, isF16,
                         tile);
    }
  NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
  return acc.build();
}

Value lowerHoldMeta(OpBuilder &builder, HoldMetaOp op) {
  Location loc = op.getLoc();
  Registers held(builder, loc, op.getPrevious());
  Value illegal = makeInteger(builder, loc, 32, -1);
  for (auto [column, words] :
       llvm::enumerate(packMeta(builder, loc, op.getMeta()))) {
    Value isIllegal = LLVM::ICmpOp::create(
        builder, loc, LLVM::ICmpPredicate::eq, words, illegal);
    held.set(0, column,
             LLVM::SelectOp::create(builder, loc, isIllegal,
                                    held.get(0, column), words));
  }
  return held.build();
}

} // namespace sparsity24
