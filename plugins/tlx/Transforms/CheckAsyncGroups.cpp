#include "plugins/tlx/Transforms/Passes.h"
#include "plugins/tlx/Transforms/TripCounts.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {

#define GEN_PASS_DEF_TLXCHECKASYNCGROUPS
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// The most groups that may have been committed; saturates at `anyNumber`.
class GroupCount {
public:
  GroupCount(uint64_t count = 0) : count(count) {}
  GroupCount operator+(GroupCount other) const {
    return llvm::SaturatingAdd(count, other.count);
  }
  GroupCount operator*(GroupCount other) const {
    return llvm::SaturatingMultiply(count, other.count);
  }
  bool operator<(GroupCount other) const { return count < other.count; }
  bool isAny() const { return count == anyNumber; }
  uint64_t get() const { return count; }

private:
  uint64_t count;
};

/// True if other threads run the op's body, which have groups of their own.
bool isOnOtherWarps(Operation *op) {
  auto task = dyn_cast<AsyncTaskOp>(op);
  return task && !task.getIsDefault();
}

class GroupChecker {
public:
  LogicalResult check(triton::FuncOp function) {
    checkRegions(function, 0);
    return success(valid);
  }

private:
  /// Most commits of one run of the op, its regions included.
  GroupCount commitsOf(Operation *op) {
    if (isa<AsyncCommitOp>(op))
      return 1;
    if (isOnOtherWarps(op))
      return 0;
    GroupCount most = 0;
    for (Region &region : op->getRegions()) {
      GroupCount sum = 0;
      for (Block &block : region)
        for (Operation &nested : block)
          sum = sum + commitsOf(&nested);
      most = std::max(most, sum);
    }
    return most * getMostTrips(op);
  }

  /// Checks the waits in the regions of `op`, before which at most `before`
  /// groups were committed.
  void checkRegions(Operation *op, GroupCount before) {
    // In its last iteration a loop has committed what the others did.
    GroupCount trips = getMostTrips(op);
    bool repeats = trips.isAny() || trips.get() > 1;
    for (Region &region : op->getRegions()) {
      GroupCount committed = isOnOtherWarps(op) ? GroupCount(0) : before;
      if (repeats) {
        GroupCount earlier = trips.isAny() ? trips : trips.get() - 1;
        for (Block &block : region)
          for (Operation &nested : block)
            committed = committed + commitsOf(&nested) * earlier;
      }
      for (Block &block : region)
        for (Operation &nested : block) {
          checkRegions(&nested, committed);
          if (auto wait = dyn_cast<AsyncWaitOp>(nested))
            checkWait(wait, committed);
          committed = committed + commitsOf(&nested);
        }
    }
  }

  void checkWait(AsyncWaitOp wait, GroupCount committed) {
    uint64_t pendings = wait.getPendings();
    if (pendings == 0 || committed.isAny() || pendings < committed.get())
      return;
    valid = false;
    wait.emitError("the wait leaves up to ")
        << pendings << " groups of copies pending, but at most "
        << committed.get()
        << " are committed before it, so it waits for nothing; commit more "
           "groups before it or lower the number";
  }

  bool valid = true;
};

struct CheckAsyncGroups : impl::TLXCheckAsyncGroupsBase<CheckAsyncGroups> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    for (auto function : getOperation().getOps<triton::FuncOp>())
      if (failed(GroupChecker().check(function)))
        signalPassFailure();
  }
};

} // namespace
} // namespace tlx
