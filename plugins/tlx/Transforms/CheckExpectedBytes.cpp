#include "plugins/tlx/Transforms/BarrierUses.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "plugins/tlx/Transforms/Places.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

using namespace mlir;

namespace tlx {

#define GEN_PASS_DEF_TLXCHECKEXPECTEDBYTES
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

int64_t getExpectedBytes(Operation *op) {
  auto expect = dyn_cast<BarrierExpectOp>(op);
  return expect ? expect.getBytes() : 0;
}

bool isCopy(Operation *op) {
  return isa<AsyncDescriptorLoadOp, AsyncBulkLoadOp>(op);
}

/// What one run of a block announces to one barrier and brings it, in order.
struct Round {
  Value index;
  SmallVector<Operation *> ops;

  Block *getBlock() const { return ops.front()->getBlock(); }

  /// True if all that is announced is surely brought in the same run. Where a
  /// copy is first, it may belong to what another block announced.
  bool isClosed() const {
    return isa<BarrierExpectOp>(ops.front()) && llvm::any_of(ops, isCopy) &&
           llvm::all_of(ops, [&](Operation *op) {
             return getPredicate(op) == getPredicate(ops.front()) &&
                    getCopiedBytes(op);
           });
  }
};

/// The rounds of a barrier; nothing where they can't be told apart or what one
/// announces may be brought by another.
std::optional<SmallVector<Round>> collectRounds(ArrayRef<BarrierUse> uses) {
  SmallVector<Round> rounds;
  for (const BarrierUse &use : uses) {
    if (!use.index)
      return std::nullopt;
    auto round = llvm::find_if(rounds, [&](const Round &round) {
      return round.getBlock() == use.op->getBlock() &&
             isSameIndex(round.index, use.index);
    });
    if (round == rounds.end())
      rounds.push_back({use.index, {use.op}});
    else
      round->ops.push_back(use.op);
  }
  for (Round &round : rounds)
    llvm::sort(round.ops, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
  for (const Round &round : rounds) {
    if (!round.isClosed())
      return std::nullopt;
    for (const Round &other : rounds)
      if (&other != &round && other.getBlock() == round.getBlock() &&
          !isOtherIndex(other.index, round.index))
        return std::nullopt;
  }
  return rounds;
}

LogicalResult checkRound(const Round &round) {
  int64_t expected = 0, copied = 0;
  for (Operation *op : round.ops) {
    expected += getExpectedBytes(op);
    copied += *getCopiedBytes(op);
  }
  if (expected == copied)
    return success();
  auto error =
      round.ops.front()->emitError("the barrier is to expect ")
      << expected << " bytes, but the copies that signal it bring " << copied
      << (copied < expected ? ", so its phase never ends"
                            : ", so its phase may end before all have come");
  for (Operation *op : round.ops)
    if (isCopy(op))
      error.attachNote(op->getLoc())
          << "a copy of " << *getCopiedBytes(op) << " bytes is here";
  return error;
}

LogicalResult check(const BarrierUses &barriers) {
  SmallVector<BarrierUse> expects =
      llvm::filter_to_vector(barriers.arrivals, [](const BarrierUse &use) {
        return getExpectedBytes(use.op) > 0;
      });
  ArrayRef<BarrierUse> copies = barriers.copies;
  if (copies.empty() && !expects.empty())
    return expects.front().op->emitError(
        "announces bytes to a barrier that no copy signals, so its phase never "
        "ends; give the barrier to a copy, or use barrier_arrive");
  if (expects.empty() && !copies.empty())
    return copies.front().op->emitError(
        "signals a barrier to which nobody announces bytes, so its phase does "
        "not end with the copy; call barrier_expect_bytes before it");
  llvm::append_range(expects, copies);
  std::optional<SmallVector<Round>> rounds = collectRounds(expects);
  if (!rounds)
    return success();
  for (const Round &round : *rounds)
    if (failed(checkRound(round)))
      return failure();
  return success();
}

struct CheckExpectedBytes
    : impl::TLXCheckExpectedBytesBase<CheckExpectedBytes> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    for (auto function : getOperation().getOps<triton::FuncOp>())
      for (const BarrierUses &barriers : collectBarrierUses(function))
        if (barriers.isComplete && failed(check(barriers)))
          signalPassFailure();
  }
};

} // namespace
} // namespace tlx
