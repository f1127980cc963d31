#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "plugins/tlx/IR/TLX.h"
#include "plugins/tlx/Transforms/Layouts.h"
#include "plugins/tlx/Transforms/TiedValues.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {

namespace {

/// Where the buffers of an allocation lie in a storage. The index of a buffer
/// has one digit a level, the last level's digits counting fastest; a buffer
/// lies at `offset` and each digit times the level's stride.
struct Placement {
  struct Level {
    int64_t radix;
    int64_t stride;
  };

  int64_t offset = 0;
  SmallVector<Level> levels;
};

/// The bytes that a node of the tree of groups takes, and the alignment it
/// needs so that each buffer in it is aligned to its own size.
struct Extent {
  int64_t bytes;
  int64_t alignment;
};

int64_t getBufferBytes(LocalAllocOp alloc) {
  return alloc.getType().getNumBytes() / alloc.getType().getShape().front();
}

class StoragePlan {
public:
  StoragePlan(StorageAliasSpecOp storage) : storage(storage) {
    for (Operation *user : storage->getUsers()) {
      if (auto alloc = dyn_cast<LocalAllocOp>(user))
        allocs.push_back(alloc);
      else
        overlaps.push_back(cast<SetBufferOverlapOp>(user));
    }
  }

  LogicalResult apply() {
    if (overlaps.size() > 1)
      return overlaps.front().emitError(
          "sets the overlap of a storage a second time; name all of its "
          "buffers in one call");
    if (overlaps.empty())
      for (LocalAllocOp alloc : allocs)
        bytes = std::max(bytes, alloc.getType().getNumBytes());
    else if (failed(placeGroups(overlaps.front())))
      return failure();
    if (failed(checkSize()))
      return failure();
    storage.setSize(std::max<int64_t>(bytes, 1));
    return success();
  }

private:
  LogicalResult placeGroups(SetBufferOverlapOp overlap) {
    for (LocalAllocOp alloc : allocs)
      if (!llvm::is_contained(overlap.getBuffers(), alloc.getResult()))
        return alloc.emitError("takes memory of a storage whose overlap does "
                               "not name it; add it to a reuse_group");
    SmallVector<Placement> placements(overlap.getBuffers().size());
    Extent instance = place(overlap, overlap.getGroups(), placements);
    int64_t instances = 0;
    for (auto [buffer, placement] :
         llvm::zip_equal(overlap.getBuffers(), placements)) {
      auto alloc = buffer.getDefiningOp<LocalAllocOp>();
      int64_t perInstance = 1;
      for (Placement::Level level : placement.levels)
        perInstance *= level.radix;
      int64_t count = alloc.getType().getShape().front();
      if (count % perInstance != 0)
        return alloc.emitError("has ")
               << count << " buffers, of which groups of " << perInstance
               << " share memory; the number must be a multiple of it";
      placement.levels.insert(placement.levels.begin(),
                              {count / perInstance, instance.bytes});
      instances = std::max(instances, count / perInstance);
    }
    bytes = instances * instance.bytes;
    for (auto [buffer, placement] :
         llvm::zip_equal(overlap.getBuffers(), placements))
      if (failed(spread(buffer.getDefiningOp<LocalAllocOp>(), placement)))
        return failure();
    overlap.erase();
    return success();
  }

  /// Lays out one instance of a node, and adds to the placements of the
  /// buffers below it.
  Extent place(SetBufferOverlapOp overlap, Attribute node,
               MutableArrayRef<Placement> placements) {
    if (auto leaf = dyn_cast<IntegerAttr>(node)) {
      int64_t size = getBufferBytes(
          overlap.getBuffers()[leaf.getInt()].getDefiningOp<LocalAllocOp>());
      return {size, size};
    }
    auto group = cast<DictionaryAttr>(node);
    bool isShared = group.getAs<StringAttr>("kind").getValue() == "shared";
    int64_t count = group.getAs<IntegerAttr>("size").getInt();
    Extent extent = {0, 1};
    for (Attribute member : group.getAs<ArrayAttr>("members")) {
      Extent one = place(overlap, member, placements);
      int64_t offset =
          isShared ? 0 : llvm::alignTo(extent.bytes, one.alignment);
      addLevel(member, offset, {count, one.bytes}, placements);
      extent.bytes = std::max(extent.bytes, offset + count * one.bytes);
      extent.alignment = std::max(extent.alignment, one.alignment);
    }
    extent.bytes = llvm::alignTo(extent.bytes, extent.alignment);
    return extent;
  }

  static void addLevel(Attribute node, int64_t offset, Placement::Level level,
                       MutableArrayRef<Placement> placements) {
    if (auto group = dyn_cast<DictionaryAttr>(node)) {
      for (Attribute member : group.getAs<ArrayAttr>("members"))
        addLevel(member, offset, level, placements);
      return;
    }
    Placement &placement = placements[cast<IntegerAttr>(node).getInt()];
    placement.offset += offset;
    placement.levels.insert(placement.levels.begin(), level);
  }

  /// Makes the allocation cover the whole storage, and its views find their
  /// buffers in there.
  LogicalResult spread(LocalAllocOp alloc, const Placement &placement) {
    int64_t size = getBufferBytes(alloc);
    BufferType type = alloc.getType();
    SmallVector<int64_t> shape(type.getShape());
    shape.front() = bytes / size;
    auto whole =
        BufferType::get(type.getContext(), shape, type.getElementType());
    SmallVector<Value> values = {alloc.getResult()};
    for (size_t i = 0; i < values.size(); ++i) {
      for (OpOperand &use : values[i].getUses()) {
        Operation *user = use.getOwner();
        if (auto view = dyn_cast<LocalViewOp>(user))
          view.getIndexMutable().set(getPlace(view, placement, size));
        else if (isa<LocalReinterpretOp>(user) ||
                 isa<scf::ForOp, scf::WhileOp, scf::YieldOp>(user))
          return user->emitError("uses all buffers of an allocation that "
                                 "set_buffer_overlap spreads over a storage; "
                                 "take one with tlx.local_view first");
        else
          llvm::append_range(values, getDestinations(use));
      }
      values[i].setType(whole);
    }
    return success();
  }

  /// The index among buffers of `size` bytes of the one that the view takes.
  static Value getPlace(LocalViewOp view, const Placement &placement,
                        int64_t size) {
    OpBuilder b(view);
    Location loc = view.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(b, loc, value, /*width=*/32);
    };
    Value rest = view.getIndex();
    Value place = constant(placement.offset / size);
    for (auto [index, level] :
         llvm::enumerate(llvm::reverse(placement.levels))) {
      Value digit = rest;
      if (index + 1 < placement.levels.size()) {
        digit = arith::RemUIOp::create(b, loc, rest, constant(level.radix));
        rest = arith::DivUIOp::create(b, loc, rest, constant(level.radix));
      }
      Value steps =
          arith::MulIOp::create(b, loc, digit, constant(level.stride / size));
      place = arith::AddIOp::create(b, loc, place, steps);
    }
    return place;
  }

  LogicalResult checkSize() {
    std::optional<int64_t> limit = storage.getSize();
    if (!limit || bytes <= *limit)
      return success();
    InFlightDiagnostic error = storage.emitError("has ")
                               << *limit << " bytes, but what shares it needs "
                               << bytes;
    for (LocalAllocOp alloc : allocs)
      error.attachNote(alloc.getLoc())
          << getBufferBytes(alloc) << " bytes a buffer";
    return error;
  }

  StorageAliasSpecOp storage;
  SmallVector<LocalAllocOp> allocs;
  SmallVector<SetBufferOverlapOp> overlaps;
  int64_t bytes = 0;
};

/// The allocation whose memory `buffer` is part of; null if there may be
/// several.
LocalAllocOp getAllocation(Value buffer) {
  while (true) {
    if (auto alloc = buffer.getDefiningOp<LocalAllocOp>())
      return alloc;
    SmallVector<OpOperand *> sources = getSources(buffer);
    if (sources.size() == 1)
      buffer = sources.front()->get();
    else if (auto view = buffer.getDefiningOp<LocalReinterpretOp>())
      buffer = view.getSource();
    else
      return {};
  }
}

/// Makes a storage of each allocation that others reuse, so that all are equal.
LogicalResult reuseStorages(ModuleOp module) {
  SmallVector<LocalAllocOp> reusing;
  module.walk([&](LocalAllocOp alloc) {
    if (alloc.getReuse() && isa<BufferType>(alloc.getReuse().getType()))
      reusing.push_back(alloc);
  });
  for (LocalAllocOp alloc : reusing) {
    LocalAllocOp first = getAllocation(alloc.getReuse());
    if (!first)
      return alloc.emitError("reuses a buffer that may be one of several "
                             "allocations; name the allocation itself");
    if (!first.getReuse()) {
      OpBuilder b(first);
      Value storage = StorageAliasSpecOp::create(
          b, first.getLoc(), StorageType::get(first.getContext()),
          IntegerAttr());
      first.getReuseMutable().assign(storage);
    }
    alloc.getReuseMutable().assign(first.getReuse());
  }
  return success();
}

} // namespace

LogicalResult planStorage(ModuleOp module) {
  if (failed(reuseStorages(module)))
    return failure();
  SmallVector<StorageAliasSpecOp> storages;
  module.walk([&](StorageAliasSpecOp op) { storages.push_back(op); });
  for (StorageAliasSpecOp storage : storages)
    if (failed(StoragePlan(storage).apply()))
      return failure();
  return success();
}

} // namespace tlx
