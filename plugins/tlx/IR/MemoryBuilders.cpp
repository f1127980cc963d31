#include "plugins/tlx/IR/BuilderUtils.h"
#include "plugins/tlx/IR/Builders.h"

using namespace mlir;
using triton_plugin::OpCall;

namespace tlx {

namespace {

SmallVector<int32_t> getInt32s(OpCall &call, StringRef argument) {
  return llvm::map_to_vector(call.integers(argument), [](int64_t value) {
    return static_cast<int32_t>(value);
  });
}

/// Copies into shared memory pass L1 by or not, and know nothing else (PTX ISA,
/// "cp.async").
triton::CacheModifier getCacheModifier(OpCall &call) {
  std::string name = call.string("cache_modifier");
  if (name.empty())
    return triton::CacheModifier::NONE;
  if (name == ".ca")
    return triton::CacheModifier::CA;
  if (name == ".cg")
    return triton::CacheModifier::CG;
  call.fail("argument 'cache_modifier' is '" + Twine(name) +
            "'; it must be '', '.ca' or '.cg'");
}

} // namespace

Value buildLocalAlloc(OpCall &call) {
  SmallVector<int64_t> shape = {call.integer("num")};
  llvm::append_range(shape, call.integers("shape"));
  return call.create<LocalAllocOp>(
      call.getChecked<BufferType>(ArrayRef(shape), call.type("dtype")),
      call.optionalValue("reuse"), getLayout(call, "layout"));
}

Value buildStorageAliasSpec(OpCall &call) {
  IntegerAttr size;
  if (auto bytes = call.optionalInteger("size"))
    size = call.builder().getI64IntegerAttr(*bytes);
  return call.create<StorageAliasSpecOp>(StorageType::get(call.context()),
                                         size);
}

Value buildSetBufferOverlap(OpCall &call) {
  call.create<SetBufferOverlapOp>(
      call.value("storage"), call.values("buffers"),
      cast<DictionaryAttr>(call.attribute("groups")));
  return {};
}

Value buildLocalView(OpCall &call) {
  auto buffer = getBuffer(call, "buffer");
  BufferType type = buffer.getType();
  if (type.getShape().size() < 2)
    call.fail("argument 'buffer' is one buffer already");
  auto viewType = BufferType::get(call.context(), type.getShape().drop_front(),
                                  type.getElementType());
  return call.create<LocalViewOp>(viewType, buffer, call.value("index"));
}

Value buildLocalSlice(OpCall &call) {
  auto buffer = getBuffer(call, "buffer");
  SmallVector<int64_t> shape = call.integers("shape");
  auto type = call.getChecked<BufferType>(ArrayRef(shape),
                                          buffer.getType().getElementType());
  return call.create<LocalSliceOp>(type, buffer, getInt32s(call, "offsets"));
}

Value buildLocalTrans(OpCall &call) {
  auto buffer = getBuffer(call, "buffer");
  SmallVector<int32_t> order = getInt32s(call, "order");
  ArrayRef<int64_t> source = buffer.getType().getShape();
  SmallVector<int64_t> shape;
  for (int32_t dim : order) {
    if (dim < 0 || dim >= static_cast<int64_t>(source.size()))
      call.fail("argument 'dims' names dimension " + Twine(dim) +
                " of a buffer with " + Twine(source.size()));
    shape.push_back(source[dim]);
  }
  auto type = call.getChecked<BufferType>(ArrayRef(shape),
                                          buffer.getType().getElementType());
  return call.create<LocalTransOp>(type, buffer, order);
}

Value buildLocalReinterpret(OpCall &call) {
  auto buffer = getBuffer(call, "buffer");
  SmallVector<int64_t> shape = call.integers("shape");
  return call.create<LocalReinterpretOp>(
      call.getChecked<BufferType>(ArrayRef(shape), call.type("dtype")), buffer,
      getLayout(call, "layout"));
}

Value buildLocalLoad(OpCall &call) {
  auto buffer = getBuffer(call, "buffer");
  BufferType type = buffer.getType();
  auto tensorType =
      RankedTensorType::get(type.getShape(), type.getElementType());
  return call.create<LocalLoadOp>(tensorType, buffer,
                                  call.optionalValue("token"));
}

Value buildLocalStore(OpCall &call) {
  getTensorType(call, "value");
  call.create<LocalStoreOp>(call.value("value"), getBuffer(call, "buffer"));
  return {};
}

Value buildAsyncLoad(OpCall &call) {
  if (!isa<triton::PointerType>(
          getTensorType(call, "pointers").getElementType()))
    call.fail("argument 'pointers' must be a tensor of pointers");
  return call.create<AsyncLoadOp>(
      getTokenType(call), call.value("pointers"), getBuffer(call, "buffer"),
      call.optionalValue("mask"), call.optionalValue("other"),
      getCacheModifier(call), getEvictionPolicy(call),
      call.boolean("is_volatile"));
}

Value buildAsyncBulkLoad(OpCall &call) {
  Value pointer = call.value("pointer");
  if (!isa<triton::PointerType>(pointer.getType()))
    call.fail("argument 'src' must be one pointer");
  call.create<AsyncBulkLoadOp>(pointer, getBuffer(call, "buffer"),
                               call.value("size"), getBuffer(call, "barrier"),
                               /*predicate=*/Value(), getEvictionPolicy(call));
  return {};
}

Value buildAsyncStore(OpCall &call) {
  Value pointer = call.value("pointer");
  if (!isa<triton::PointerType>(pointer.getType()))
    call.fail("argument 'dst_global_ptr' must be one pointer");
  call.create<AsyncStoreOp>(pointer, getBuffer(call, "buffer"),
                            call.value("size"), /*predicate=*/Value());
  return {};
}

Value buildAsyncCommit(OpCall &call) {
  return call.create<AsyncCommitOp>(getTokenType(call), call.values("tokens"));
}

Value buildAsyncWait(OpCall &call) {
  return call.create<AsyncWaitOp>(getTokenType(call), call.values("tokens"),
                                  call.integer("pendings"));
}

} // namespace tlx
