#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Clusters.h"
#include "plugins/tlx/Transforms/LLVMUtils.h"
#include "triton/Conversion/TritonGPUToLLVM/Utility.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/LinearLayoutConversions.h"
#include "triton/Tools/LinearLayout.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
using triton::LinearLayout;

namespace tlx {

namespace {

/// What one thread moves in one instruction at most.
constexpr unsigned maxBytes = 16;

/// Inline assembly with as many results of one type.
SmallVector<Value> createAsmWithResults(OpBuilder &b, Location loc,
                                        StringRef text, StringRef constraints,
                                        ValueRange operands, Type type,
                                        unsigned numResults,
                                        bool hasSideEffects = true) {
  Type result = type;
  if (numResults > 1)
    result = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(numResults, type));
  Value all =
      LLVM::InlineAsmOp::create(
          b, loc, result, operands, text, constraints, hasSideEffects,
          /*is_align_stack=*/false, LLVM::TailCallKind::None,
          LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
          /*operand_attrs=*/ArrayAttr())
          .getResult(0);
  if (numResults == 1)
    return {all};
  SmallVector<Value> results;
  for (unsigned i = 0; i < numResults; ++i)
    results.push_back(LLVM::ExtractValueOp::create(b, loc, all, i));
  return results;
}

/// An address in the shared memory of another block of the cluster.
Value createMapa(OpBuilder &b, Location loc, Value address, Value rank) {
  return createAsmWithResults(b, loc, "mapa.shared::cluster.u32 $0, $1, $2;",
                              "=r,r,r", {address, rank}, b.getI32Type(),
                              /*numResults=*/1, /*hasSideEffects=*/false)
      .front();
}

Value createI32(OpBuilder &b, Location loc, int32_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                  b.getI32IntegerAttr(value));
}

/// Where the elements of a tensor that a thread holds lie in a buffer of
/// another block.
class RemoteElements {
public:
  RemoteElements(IRRewriter &b, Location loc, RankedTensorType tensor,
                 Value buffer, Value rank)
      : b(b), loc(loc), type(cast<ttg::MemDescType>(buffer.getType())),
        layout(getLayout(tensor)) {
    Type element = getElementType();
    auto memory = LLVM::getSharedMemoryObjectFromStruct(
        loc, getConverted(buffer), element, b);
    base = createMapa(b, loc, memory.getBase(), rank);
    Value lane = createAsmWithResults(b, loc, "mov.u32 $0, %laneid;", "=r", {},
                                      b.getI32Type(), /*numResults=*/1,
                                      /*hasSideEffects=*/false)
                     .front();
    Value warp = ttg::WarpIdOp::create(b, loc);
    auto offsets = applyLinearLayout(loc, b, layout,
                                     {{in("register"), createI32(b, loc, 0)},
                                      {in("lane"), lane},
                                      {in("warp"), warp}});
    threadOffset = LLVM::XOrOp::create(b, loc, offsets.front().second,
                                       memory.getShmemOffset(loc, b, type));
    auto copies = layout.getFreeVariableMasks();
    Value lanes = LLVM::AndOp::create(b, loc, lane,
                                      createI32(b, loc, copies[in("lane")]));
    Value warps = LLVM::AndOp::create(b, loc, warp,
                                      createI32(b, loc, copies[in("warp")]));
    isOwner = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq,
                                   LLVM::OrOp::create(b, loc, lanes, warps),
                                   createI32(b, loc, 0));
  }

  Type getElementType() const {
    // Buffers of pointers or odd integers do not exist.
    Type element = type.getElementType();
    unsigned width = element.getIntOrFloatBitWidth();
    return width == 8 ? b.getI8Type() : element;
  }

  unsigned getNumRegisters() const {
    return layout.getInDimSize(in("register"));
  }

  /// The register that holds the same element as this one; the first of them.
  unsigned getFirstCopy(unsigned reg) const {
    return reg & ~layout.getFreeVariableMasks()[in("register")];
  }

  /// How many registers in a row lie in a row in memory.
  unsigned getVectorSize() const {
    unsigned bytes = type.getElementTypeBitWidth() / 8;
    unsigned size = std::min<unsigned>(layout.getNumConsecutiveInOut(),
                                       std::max(1u, maxBytes / bytes));
    // A slice may start at an odd place.
    uint64_t moved = LLVM::SharedMemoryObject::getMaskSpanOffsets(type);
    while (moved & (size - 1))
      size /= 2;
    return size;
  }

  Value getAddress(unsigned reg) const {
    int32_t ofRegister =
        layout.apply({{in("register"), reg}, {in("lane"), 0}, {in("warp"), 0}})
            .front()
            .second;
    Value offset = LLVM::XOrOp::create(b, loc, threadOffset,
                                       createI32(b, loc, ofRegister));
    Value bytes = LLVM::MulOp::create(
        b, loc, offset, createI32(b, loc, type.getElementTypeBitWidth() / 8));
    return LLVM::AddOp::create(b, loc, base, bytes);
  }

  /// True in the one thread that stores an element that several threads hold.
  Value getIsOwner() const { return isOwner; }

private:
  StringAttr in(StringRef name) const {
    return StringAttr::get(b.getContext(), name);
  }

  LinearLayout getLayout(RankedTensorType tensor) const {
    LinearLayout all =
        ttg::toLinearLayout(tensor).invertAndCompose(ttg::toLinearLayout(type));
    return all.sublayout({in("register"), in("lane"), in("warp")},
                         {in("offset")});
  }

  IRRewriter &b;
  Location loc;
  ttg::MemDescType type;
  LinearLayout layout;
  Value base, threadOffset, isOwner;
};

/// Elements as what one instruction moves: 32-bit words, or one narrower
/// integer.
SmallVector<Value> toWords(OpBuilder &b, Location loc,
                           ArrayRef<Value> elements) {
  Type element = elements.front().getType();
  unsigned bits = element.getIntOrFloatBitWidth() * elements.size();
  auto vectorType = VectorType::get(elements.size(), element);
  Value vector = LLVM::UndefOp::create(b, loc, vectorType);
  for (auto [i, value] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(b, loc, vector, value,
                                           createI32(b, loc, i));
  if (bits < 32) {
    Value narrow =
        LLVM::BitcastOp::create(b, loc, b.getIntegerType(bits), vector);
    if (bits < 16)
      narrow = LLVM::ZExtOp::create(b, loc, b.getI16Type(), narrow);
    return {narrow};
  }
  Value words = LLVM::BitcastOp::create(
      b, loc, VectorType::get(bits / 32, b.getI32Type()), vector);
  SmallVector<Value> all;
  for (unsigned i = 0; i < bits / 32; ++i)
    all.push_back(
        LLVM::ExtractElementOp::create(b, loc, words, createI32(b, loc, i)));
  return all;
}

/// The reverse of `toWords`.
SmallVector<Value> fromWords(OpBuilder &b, Location loc, ArrayRef<Value> words,
                             Type element, unsigned size) {
  unsigned bits = element.getIntOrFloatBitWidth() * size;
  Value all = words.front();
  if (bits < 16)
    all = LLVM::TruncOp::create(b, loc, b.getIntegerType(bits), all);
  if (bits >= 32) {
    auto type = VectorType::get(words.size(), b.getI32Type());
    all = LLVM::UndefOp::create(b, loc, type);
    for (auto [i, word] : llvm::enumerate(words))
      all = LLVM::InsertElementOp::create(b, loc, all, word,
                                          createI32(b, loc, i));
  }
  Value vector =
      LLVM::BitcastOp::create(b, loc, VectorType::get(size, element), all);
  SmallVector<Value> elements;
  for (unsigned i = 0; i < size; ++i)
    elements.push_back(
        LLVM::ExtractElementOp::create(b, loc, vector, createI32(b, loc, i)));
  return elements;
}

/// The instruction's ".v2.b32" and the like, for elements of so many bits.
std::string getVectorSuffix(unsigned bits) {
  std::string suffix = bits > 32 ? ".v" + std::to_string(bits / 32) : "";
  return suffix + ".b" + std::to_string(std::min(bits, 32u));
}

} // namespace

LogicalResult convertRemoteStore(RemoteStoreOp op) {
  IRRewriter b(op);
  Location loc = op.getLoc();
  auto tensor = cast<RankedTensorType>(op.getValue().getType());
  Value rank = getConverted(op.getRank());
  RemoteElements places(b, loc, tensor, op.getDestination(), rank);
  SmallVector<Value> values =
      unpackTensorElements(loc, getConverted(op.getValue()), b, tensor);
  Value barrier;
  if (op.getBarrier())
    barrier = createMapa(b, loc, getAddress(b, loc, op.getBarrier()), rank);

  unsigned size = places.getVectorSize();
  unsigned width = tensor.getElementTypeBitWidth() * size;
  if (barrier && width < 32)
    return op.emitError("async_remote_shmem_store would store ")
           << width / 8
           << " bytes at once, but st.async takes 4, 8 or 16 (PTX ISA, "
              "\"st.async\"); give the buffer more elements in its last "
              "dimension, or use remote_shmem_store";
  for (unsigned reg = 0; reg < places.getNumRegisters(); reg += size) {
    if (places.getFirstCopy(reg) != reg)
      continue;
    SmallVector<Value> words =
        toWords(b, loc, ArrayRef(values).slice(reg, size));
    std::string text = "@$0 ", constraints = "b,r";
    text += barrier ? "st.async.shared::cluster.mbarrier::complete_tx::bytes"
                    : "st.shared::cluster";
    text += getVectorSuffix(width) + " [$1], {";
    SmallVector<Value> operands = {places.getIsOwner(), places.getAddress(reg)};
    for (auto [i, word] : llvm::enumerate(words)) {
      text += (i ? ", $" : "$") + std::to_string(operands.size());
      constraints += width < 32 ? ",h" : ",r";
      operands.push_back(word);
    }
    text += "}";
    if (barrier) {
      text += ", [$" + std::to_string(operands.size()) + "]";
      constraints += ",r";
      operands.push_back(barrier);
    }
    createAsm(b, loc, text + ";", constraints, operands);
  }
  op.erase();
  return success();
}

void convertRemoteLoad(RemoteLoadOp op) {
  IRRewriter b(op);
  Location loc = op.getLoc();
  auto tensor = cast<RankedTensorType>(op.getType());
  RemoteElements places(b, loc, tensor, op.getSource(),
                        getConverted(op.getRank()));
  Type element = places.getElementType();
  unsigned size = places.getVectorSize();
  unsigned width = tensor.getElementTypeBitWidth() * size;
  unsigned numWords = std::max(1u, width / 32);
  Type word = width < 32 ? b.getI16Type() : b.getI32Type();
  std::string text = "ld.shared::cluster" + getVectorSuffix(width) + " {";
  std::string constraints;
  for (unsigned i = 0; i < numWords; ++i) {
    text += (i ? ", $" : "$") + std::to_string(i);
    constraints += width < 32 ? "=h," : "=r,";
  }
  text += "}, [$" + std::to_string(numWords) + "];";
  constraints += "r";

  SmallVector<Value> values;
  for (unsigned reg = 0; reg < places.getNumRegisters(); reg += size) {
    // The struct of a tensor has each element once.
    if (places.getFirstCopy(reg) != reg)
      continue;
    SmallVector<Value> words = createAsmWithResults(
        b, loc, text, constraints, places.getAddress(reg), word, numWords);
    llvm::append_range(values, fromWords(b, loc, words, element, size));
  }
  auto structType = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(values.size(), element));
  Value all = LLVM::UndefOp::create(b, loc, structType);
  for (auto [i, value] : llvm::enumerate(values))
    all = LLVM::InsertValueOp::create(b, loc, all, value, i);
  op.getResult().replaceAllUsesWith(
      UnrealizedConversionCastOp::create(b, loc, tensor, all).getResult(0));
  op.erase();
}

} // namespace tlx
