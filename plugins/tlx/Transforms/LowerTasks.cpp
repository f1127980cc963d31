#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "plugins/tlx/Transforms/Target.h"
#include "plugins/tlx/Transforms/Tasks.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "triton_plugin/NumWarps.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXLOWERTASKS
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

/// True if the value can be made again from nothing but scalars.
bool isMadeOfScalars(Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !isa<tt::DotOp>(op) &&
         llvm::all_of(op->getOperands(), isMadeOfScalars);
}

/// Makes the tensors and constants that a region uses from above in the region
/// itself.
class Sinker {
public:
  explicit Sinker(Region &region)
      : region(region), builder(OpBuilder::atBlockBegin(&region.front())) {}

  LogicalResult run() {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(region, used);
    for (Value value : used) {
      if (!isMadeOfScalars(value))
        return fail(value);
      Value made = sink(value);
      if (made != value)
        replaceAllUsesInRegionWith(value, made, region);
    }
    return success();
  }

private:
  Value sink(Value value) {
    if (Value made = mapping.lookupOrNull(value))
      return made;
    bool isTensor = isa<RankedTensorType>(value.getType());
    if (!isTensor && !matchPattern(value, m_Constant()))
      return value;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      mapping.map(operand, sink(operand));
    builder.clone(*op, mapping);
    return mapping.lookup(value);
  }

  LogicalResult fail(Value value) {
    Operation *user = *llvm::find_if(value.getUsers(), [&](Operation *op) {
      return region.isAncestor(op->getParentRegion());
    });
    auto error = user->emitError("a task uses a tensor that is made outside of "
                                 "it, in the registers of other warps; store "
                                 "it in a buffer (tlx.local_store) and load it "
                                 "in the task, or make it there");
    error.attachNote(value.getLoc()) << "the tensor is " << value.getType();
    return error;
  }

  Region &region;
  OpBuilder builder;
  IRMapping mapping;
};

LogicalResult checkBody(AsyncTaskOp task) {
  WalkResult walk = task.getBody().walk([](Operation *op) -> WalkResult {
    if (isa<AsyncTasksOp>(op))
      return op->emitError("tasks cannot have tasks of their own; this "
                           "function is called from a task");
    if (isa<tt::CallOp>(op))
      return op->emitError(
          "calls a function that is not inlined, in which barriers would wait "
          "for the warps of all tasks; remove noinline, and returns from "
          "within branches, from it");
    return WalkResult::advance();
  });
  return success(!walk.wasInterrupted());
}

void setReplica(AsyncTaskOp task) {
  SmallVector<TaskReplicaOp> ops;
  task.walk([&](TaskReplicaOp op) { ops.push_back(op); });
  for (TaskReplicaOp op : ops) {
    OpBuilder builder(op);
    op.replaceAllUsesWith(arith::ConstantIntOp::create(builder, op.getLoc(),
                                                       task.getReplica(),
                                                       /*width=*/32)
                              .getResult());
    op.erase();
  }
}

/// Sorts the ops of the body into tasks and others. The others run before all
/// tasks, which may use what they make.
FailureOr<TaskGroup> collectTasks(AsyncTasksOp tasks) {
  TaskGroup group;
  group.tasks = tasks;
  for (Operation &op : llvm::make_early_inc_range(tasks.getBody().front())) {
    auto task = dyn_cast<AsyncTaskOp>(op);
    if (!task) {
      if (!isMemoryEffectFree(&op))
        return op.emitError("stands between tasks; move it into a task, or "
                            "out of the `with tlx.async_tasks()` block");
      op.moveBefore(tasks);
      continue;
    }
    if (failed(checkBody(task)))
      return failure();
    setReplica(task);
    if (!task.getIsDefault()) {
      group.workers.push_back(task);
      continue;
    }
    if (group.defaultTask)
      return task.emitError("is the second default task; there can be one");
    group.defaultTask = task;
  }
  return group;
}

void takeBody(Region &region, AsyncTaskOp task) {
  if (task)
    region.takeBody(task.getBody());
  else
    region.emplaceBlock();
}

void inlineDefaultTask(const TaskGroup &group) {
  AsyncTasksOp tasks = group.tasks;
  if (AsyncTaskOp task = group.defaultTask)
    tasks->getBlock()->getOperations().splice(
        tasks->getIterator(), task.getBody().front().getOperations());
  tasks.erase();
}

/// What was written to buffers and barriers before the tasks is visible to the
/// asynchronous proxy and to all warps in them. Tasks start together, but stock
/// passes do not know that, and would put a fence and a barrier in front of
/// every use in a task, in each turn of its loops.
void publishBuffers(OpBuilder &builder, AsyncTasksOp tasks,
                    ArrayRef<Value> captures) {
  if (llvm::none_of(captures, [](Value value) {
        return isa<BufferType>(value.getType());
      }))
    return;
  if (getComputeCapability(tasks->getParentOfType<ModuleOp>()) >= 90)
    ttng::FenceAsyncSharedOp::create(builder, tasks.getLoc(),
                                     /*bCluster=*/false);
  ttg::BarrierOp::create(builder, tasks.getLoc(), ttg::AddrSpace::Local);
}

LogicalResult lower(AsyncTasksOp tasks) {
  FailureOr<TaskGroup> group = collectTasks(tasks);
  if (failed(group))
    return failure();
  if (group->workers.empty()) {
    inlineDefaultTask(*group);
    return success();
  }
  FailureOr<SmallVector<int32_t>> registers = placeTasks(*group);
  if (failed(registers))
    return failure();

  llvm::SetVector<Value> captures;
  SmallVector<int32_t> numWarps;
  for (AsyncTaskOp task : group->workers) {
    numWarps.push_back(*task.getNumWarps());
    if (failed(Sinker(task.getBody()).run()))
      return failure();
    triton_plugin::setNumWarps(task.getBody(), numWarps.back());
    getUsedValuesDefinedAbove(task.getBody(), captures);
  }

  OpBuilder builder(tasks);
  publishBuffers(builder, tasks, captures.getArrayRef());
  auto specialize = ttg::WarpSpecializeOp::create(
      builder, tasks.getLoc(), /*resultTypes=*/TypeRange(), numWarps);
  if (!registers->empty())
    specialize.setRequestedRegisters(*registers);

  takeBody(specialize.getDefaultRegion(), group->defaultTask);
  builder.setInsertionPointToEnd(&specialize.getDefaultRegion().front());
  ttg::WarpYieldOp::create(builder, tasks.getLoc(), ValueRange());

  builder.createBlock(&specialize.getPartitionOpHolder());
  auto partitions = ttg::WarpSpecializePartitionsOp::create(
      builder, tasks.getLoc(), captures.getArrayRef(), numWarps.size());
  for (auto [task, region] :
       llvm::zip(group->workers, partitions.getPartitionRegions())) {
    takeBody(region, task);
    for (Value value : captures)
      replaceAllUsesInRegionWith(
          value, region.addArgument(value.getType(), value.getLoc()), region);
    builder.setInsertionPointToEnd(&region.front());
    ttg::WarpReturnOp::create(builder, task.getLoc());
  }
  tasks.erase();
  return success();
}

LogicalResult checkPlace(AsyncTaskOp task) {
  if (isa<AsyncTasksOp>(task->getParentOp()))
    return success();
  return task.emitError("a task must stand directly in a `with "
                        "tlx.async_tasks()` block; where it should run only "
                        "sometimes, branch within it");
}

struct LowerTasks : impl::TLXLowerTasksBase<LowerTasks> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    WalkResult places = module.walk(
        [](AsyncTaskOp task) { return WalkResult(checkPlace(task)); });
    if (places.wasInterrupted())
      return signalPassFailure();
    SmallVector<AsyncTasksOp> groups;
    // The outer ones first, to which nested ones are errors.
    module.walk<WalkOrder::PreOrder>(
        [&](AsyncTasksOp tasks) { groups.push_back(tasks); });
    for (AsyncTasksOp tasks : groups)
      if (failed(lower(tasks)))
        return signalPassFailure();
    module.walk([&](TaskReplicaOp op) {
      op.emitError("async_task_replica_id is for code that a task runs");
      signalPassFailure();
    });
  }
};

} // namespace
} // namespace tlx
