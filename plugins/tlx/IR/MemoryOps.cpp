#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "plugins/tlx/IR/TLX.h"
#include "triton_plugin/SharedMemory.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

namespace {

LogicalResult verifySame(Operation *op, BufferType buffer, Type tensorType,
                         Type element) {
  auto tensor = cast<RankedTensorType>(tensorType);
  if (tensor.getShape() != buffer.getShape())
    return op->emitOpError("moves a tensor of shape [")
           << tensor.getShape() << "] but the buffer's shape is ["
           << buffer.getShape() << "]";
  if (element != buffer.getElementType())
    return op->emitOpError("moves elements of ")
           << element << " but the buffer holds " << buffer.getElementType();
  return success();
}

/// Checks one node of the tree of `set_buffer_overlap` and marks the buffers
/// below it as placed.
LogicalResult verifyGroup(SetBufferOverlapOp op, Attribute node,
                          MutableArrayRef<bool> placed) {
  if (auto leaf = dyn_cast<IntegerAttr>(node)) {
    int64_t index = leaf.getInt();
    if (index < 0 || index >= static_cast<int64_t>(placed.size()))
      return op.emitOpError("places buffer ") << index << ", which it has not";
    if (std::exchange(placed[index], true))
      return op.emitOpError("places buffer ") << index << " twice";
    return success();
  }
  auto group = dyn_cast<DictionaryAttr>(node);
  auto kind = group ? group.getAs<StringAttr>("kind") : StringAttr();
  auto size = group ? group.getAs<IntegerAttr>("size") : IntegerAttr();
  auto members = group ? group.getAs<ArrayAttr>("members") : ArrayAttr();
  if (!kind || !size || !members || members.empty() || size.getInt() < 1 ||
      (kind.getValue() != "shared" && kind.getValue() != "distinct"))
    return op.emitOpError("has a group that is not {kind = \"shared\" or "
                          "\"distinct\", size = 1 or more, members = [...]}: ")
           << node;
  for (Attribute member : members)
    if (failed(verifyGroup(op, member, placed)))
      return failure();
  return success();
}

/// Checks the number of bytes of a copy from or to a buffer, where it is known.
LogicalResult verifyBulkSize(Operation *op, Value size, Type type) {
  std::optional<int64_t> bytes = getConstantIntValue(size);
  if (!bytes)
    return success();
  if (*bytes < 0 || *bytes % 16 != 0)
    return op->emitOpError("copies ")
           << *bytes << " bytes; the number must be a multiple of 16";
  auto buffer = dyn_cast<BufferType>(type);
  if (buffer && *bytes > buffer.getNumBytes())
    return op->emitOpError("copies ")
           << *bytes << " bytes of " << buffer.getNumBytes();
  return success();
}

/// Checks the layout, if there is one, of buffers with that many dimensions.
LogicalResult verifyLayout(Operation *op, Attribute layout, size_t rank) {
  if (!layout)
    return success();
  if (!isa<ttg::SharedEncodingTrait>(layout))
    return op->emitOpError("has the layout ")
           << layout << ", which is none of shared memory";
  size_t found = cast<ttg::LayoutEncodingTrait>(layout).getRank();
  if (found != rank)
    return op->emitOpError("has the layout ")
           << layout << " of " << found << " dimensions, but one buffer has "
           << rank;
  return success();
}

} // namespace

LogicalResult LocalAllocOp::verify() {
  if (getType().getShape().size() < 2)
    return emitOpError("needs the number of buffers and a shape, but got [")
           << getType().getShape() << "]";
  for (int64_t size : getType().getShape().drop_front())
    if (!llvm::isPowerOf2_64(size))
      return emitOpError("allocates buffers of shape [")
             << getType().getShape().drop_front()
             << "], but every dimension must be a power of two";
  return verifyLayout(*this, getLayoutAttr(), getType().getShape().size() - 1);
}

LogicalResult StorageAliasSpecOp::verify() {
  if (getSize() && static_cast<int64_t>(*getSize()) <= 0)
    return emitOpError("has a size of ")
           << static_cast<int64_t>(*getSize()) << " bytes; it must be positive";
  return success();
}

LogicalResult SetBufferOverlapOp::verify() {
  SmallVector<bool> placed(getBuffers().size());
  if (failed(verifyGroup(*this, getGroups(), placed)))
    return failure();
  for (auto [index, buffer] : llvm::enumerate(getBuffers())) {
    if (!placed[index])
      return emitOpError("has buffer ") << index << " in no group";
    auto alloc = buffer.getDefiningOp<LocalAllocOp>();
    if (!alloc || alloc.getReuse() != getStorage())
      return emitOpError("places buffer ")
             << index
             << ", which was not allocated with reuse= of this storage";
  }
  return success();
}

LogicalResult LocalViewOp::verify() {
  BufferType source = getSource().getType(), result = getType();
  if (source.getShape().size() < 2)
    return emitOpError("takes a view of ")
           << source << ", which is one buffer already";
  if (source.getShape().drop_front() != result.getShape() ||
      source.getElementType() != result.getElementType())
    return emitOpError("makes ") << result << " of " << source;
  std::optional<int64_t> index = getConstantIntValue(getIndex());
  if (index && (*index < 0 || *index >= source.getShape()[0]))
    return emitOpError("takes buffer ")
           << *index << " of " << source.getShape()[0];
  return success();
}

LogicalResult LocalSliceOp::verify() {
  BufferType source = getSource().getType(), result = getType();
  size_t rank = source.getShape().size();
  if (getOffsets().size() != rank || result.getShape().size() != rank)
    return emitOpError("takes a slice of ")
           << source << " with " << getOffsets().size() << " offsets and "
           << result.getShape().size() << " sizes; both must be " << rank;
  if (source.getElementType() != result.getElementType())
    return emitOpError("makes ") << result << " of " << source;
  for (auto [dim, offset, size, whole] :
       llvm::enumerate(getOffsets(), result.getShape(), source.getShape())) {
    if (offset < 0 || offset + size > whole)
      return emitOpError("takes elements ")
             << offset << " to " << offset + size << " of dimension " << dim
             << ", which has " << whole;
    if (!llvm::isPowerOf2_64(size) || offset % size != 0)
      return emitOpError("takes elements ")
             << offset << " to " << offset + size << " of dimension " << dim
             << "; a slice must have a power of two as its size and begin at a "
                "multiple of it";
  }
  return success();
}

LogicalResult LocalTransOp::verify() {
  BufferType source = getSource().getType(), result = getType();
  SmallVector<int32_t> sorted(getOrder());
  llvm::sort(sorted);
  size_t rank = source.getShape().size();
  if (!llvm::equal(sorted, llvm::seq<int32_t>(0, rank)))
    return emitOpError("orders the dimensions as [")
           << getOrder() << "], but must name each of 0 to " << rank - 1
           << " once";
  SmallVector<int64_t> shape = llvm::map_to_vector(
      getOrder(), [&](int32_t dim) { return source.getShape()[dim]; });
  if (ArrayRef(shape) != result.getShape() ||
      source.getElementType() != result.getElementType())
    return emitOpError("makes ") << result << " of " << source;
  return success();
}

LogicalResult LocalReinterpretOp::verify() {
  BufferType source = getSource().getType(), result = getType();
  if (result.getNumBytes() > source.getNumBytes())
    return emitOpError("makes ")
           << result << " (" << result.getNumBytes() << " bytes) of " << source
           << " (" << source.getNumBytes() << " bytes)";
  // It stands for as many buffers as its source, or for one.
  Attribute layout = getLayoutAttr();
  auto encoding = dyn_cast_or_null<ttg::LayoutEncodingTrait>(layout);
  size_t rank = result.getShape().size();
  if (encoding && static_cast<size_t>(encoding.getRank()) + 1 == rank)
    --rank;
  return verifyLayout(*this, layout, rank);
}

LogicalResult LocalLoadOp::verify() {
  return verifySame(*this, getSource().getType(), getType(),
                    getElementTypeOrSelf(getType()));
}

LogicalResult LocalStoreOp::verify() {
  return verifySame(*this, getDestination().getType(), getValue().getType(),
                    getElementTypeOrSelf(getValue().getType()));
}

LogicalResult AsyncLoadOp::verify() {
  Type pointee = triton::getPointeeType(getPointers().getType());
  return verifySame(*this, getDestination().getType(), getPointers().getType(),
                    getElementTypeOrSelf(pointee));
}

LogicalResult AsyncStoreOp::verify() {
  return verifyBulkSize(*this, getSize(), getSource().getType());
}

LogicalResult AsyncBulkLoadOp::verify() {
  return verifyBulkSize(*this, getSize(), getDestination().getType());
}

void AsyncBulkLoadOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable(),
                       triton::GlobalMemory::get());
  effects.push_back(triton_plugin::makeSharedEffect<MemoryEffects::Write>(
      getDestinationMutable(), ttg::SharedKind::Async));
  effects.push_back(triton_plugin::makeSharedEffect<MemoryEffects::Write>(
      getBarrierMutable(), ttg::SharedKind::Barrier));
}

LogicalResult AsyncWaitOp::verify() {
  if (static_cast<int32_t>(getPendings()) < 0)
    return emitOpError("cannot leave ")
           << static_cast<int32_t>(getPendings())
           << " groups pending; the number must be 0 or more";
  return success();
}

} // namespace tlx
