#include "plugins/tlx/Transforms/Tasks.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

namespace {

/// A CTA has at most 1024 threads (PTX ISA, "Performance directives").
constexpr int maxWarps = 32;
constexpr int warpsPerGroup = 4;
constexpr int threadsPerWarp = 32;
/// Registers of a CTA and the step in which setmaxnreg gives them out.
constexpr int registerFile = 64 * 1024;
constexpr int registerStep = 8;
constexpr int minRegisters = 24;
constexpr int maxRegisters = 256;

/// How many registers each thread of each warp has, as stock's
/// `tritongpu-allocate-warp-groups` gives them out.
class RegisterBudget {
public:
  explicit RegisterBudget(TaskGroup &group) : group(group) {
    defaultWarps = ttg::lookupNumWarps(group.tasks);
    totalWarps = defaultWarps;
    for (AsyncTaskOp task : group.workers)
      totalWarps += *task.getNumWarps();
    // setmaxnreg is for whole groups of four warps.
    totalWarps = llvm::alignTo(totalWarps, warpsPerGroup);
    auto module = group.tasks->getParentOfType<ModuleOp>();
    auto limit = module->getAttrOfType<IntegerAttr>(ttg::AttrMaxRegistersName);
    launched =
        limit ? limit.getInt() : registerFile / (totalWarps * threadsPerWarp);
    launched =
        std::min<int>(llvm::alignDown(launched, registerStep), maxRegisters);
  }

  LogicalResult checkWarps() const {
    if (totalWarps <= maxWarps)
      return success();
    auto error = group.tasks.emitError("the tasks take ")
                 << totalWarps << " warps, but a CTA has at most " << maxWarps
                 << ": " << defaultWarps << " of the kernel (num_warps)";
    for (AsyncTaskOp task : group.workers)
      error << " + " << *task.getNumWarps();
    return error << ", rounded up to whole groups of " << warpsPerGroup;
  }

  bool isAsked() const {
    return (group.defaultTask && group.defaultTask.getRegisters()) ||
           llvm::any_of(group.workers, [](AsyncTaskOp task) {
             return task.getRegisters().has_value();
           });
  }

  /// What a worker gets: what it asks for, or what it is launched with.
  int get(AsyncTaskOp worker) const {
    return llvm::alignTo(worker.getRegisters().value_or(launched),
                         registerStep);
  }

  LogicalResult check() const {
    int wanted = minRegisters;
    if (group.defaultTask)
      wanted = group.defaultTask.getRegisters().value_or(minRegisters);
    int left = launched * totalWarps;
    SmallVector<int> groups = getGroups();
    for (int registers : groups)
      left -= registers * warpsPerGroup;
    if (left >= wanted * defaultWarps)
      return success();
    return group.tasks.emitError(
               "the tasks ask for more registers than the kernel has:")
           << getTable(wanted, groups);
  }

private:
  /// Registers of each group of four warps behind the default task's.
  SmallVector<int> getGroups() const {
    SmallVector<int> groups((totalWarps - defaultWarps) / warpsPerGroup);
    int warp = 0;
    for (AsyncTaskOp task : group.workers)
      for (unsigned i = 0; i < *task.getNumWarps(); ++i, ++warp)
        groups[warp / warpsPerGroup] =
            std::max(groups[warp / warpsPerGroup], get(task));
    return groups;
  }

  std::string getTable(int wanted, ArrayRef<int> groups) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    auto row = [&](StringRef name, int warps, int registers) {
      int total = warps * threadsPerWarp * registers;
      os << "\n  " << llvm::left_justify(name, 22)
         << llvm::format("%3d warps * 32 * %3d = %6d", warps, registers, total);
      return total;
    };
    int sum = row("default task", defaultWarps, wanted);
    int first = defaultWarps;
    for (int registers : groups) {
      std::string name =
          ("warps " + Twine(first) + " to " + Twine(first + warpsPerGroup - 1))
              .str();
      sum += row(name, warpsPerGroup, registers);
      first += warpsPerGroup;
    }
    int has = totalWarps * threadsPerWarp * launched;
    os << "\n  asked for in all" << llvm::format("%31d", sum)
       << "\n  the kernel has  " << llvm::format("%31d", has) << " ("
       << totalWarps << " warps * 32 * " << launched
       << ")\nLower registers= of a task, or use fewer warps";
    return text;
  }

  TaskGroup &group;
  int defaultWarps;
  int totalWarps;
  int launched;
};

LogicalResult checkFirstWarps(const TaskGroup &group) {
  int next = ttg::lookupNumWarps(group.tasks);
  for (AsyncTaskOp worker : group.workers) {
    AsyncTaskOp task = worker;
    auto asked = task.getFirstWarp();
    if (asked && static_cast<int>(*asked) != next)
      return task.emitError("asks for warps from ")
             << *asked << " on, but is given " << next
             << "; tasks are placed behind the default task without gaps, the "
                "ones with most warps first, so leave out warp_group_start_id "
                "or ask for "
             << next;
    next += *task.getNumWarps();
  }
  return success();
}

} // namespace

FailureOr<SmallVector<int32_t>> placeTasks(TaskGroup &group) {
  llvm::stable_sort(group.workers, [](AsyncTaskOp a, AsyncTaskOp b) {
    if (*a.getNumWarps() != *b.getNumWarps())
      return *a.getNumWarps() > *b.getNumWarps();
    return a.getFirstWarp() && b.getFirstWarp() &&
           *a.getFirstWarp() < *b.getFirstWarp();
  });
  RegisterBudget budget(group);
  SmallVector<int32_t> requested;
  if (failed(budget.checkWarps()) || failed(checkFirstWarps(group)))
    return failure();
  if (!budget.isAsked())
    return requested;
  if (failed(budget.check()))
    return failure();
  for (AsyncTaskOp task : group.workers)
    requested.push_back(budget.get(task));
  return requested;
}

} // namespace tlx
