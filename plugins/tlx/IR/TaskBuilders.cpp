#include "plugins/tlx/IR/Builders.h"
#include "plugins/tlx/IR/TLX.h"
#include "triton_plugin/OpCall.h"

using namespace mlir;
using triton_plugin::OpCall;

namespace tlx {

namespace {

/// The op whose body the next op goes into.
Operation *getParent(OpCall &call) {
  return call.builder().getInsertionBlock()->getParentOp();
}

/// The frontend visits the body of the `with` statement next.
void enter(OpCall &call, Region &body) {
  call.builder().setInsertionPointToStart(&body.front());
}

IntegerAttr getOptionalInteger(OpCall &call, StringRef argument) {
  auto value = call.optionalInteger(argument);
  return value ? call.builder().getI32IntegerAttr(*value) : IntegerAttr();
}

} // namespace

Value enterAsyncTasks(OpCall &call) {
  Operation *parent = getParent(call);
  if (isa<AsyncTasksOp, AsyncTaskOp>(parent) ||
      parent->getParentOfType<AsyncTasksOp>())
    call.fail("tasks cannot have tasks of their own; end the outer "
              "`with tlx.async_tasks()` first");
  enter(call, call.create<AsyncTasksOp>().getBody());
  return {};
}

Value enterAsyncTask(OpCall &call) {
  auto parent = dyn_cast<AsyncTasksOp>(getParent(call));
  if (!parent)
    call.fail("a task must stand directly in a `with tlx.async_tasks()` block");
  bool isDefault = call.boolean("is_default");
  if (isDefault)
    for (auto task : parent.getBody().getOps<AsyncTaskOp>())
      if (task.getIsDefault())
        call.fail("there can be one default task, and this is the second");
  auto task = call.create<AsyncTaskOp>(
      isDefault, getOptionalInteger(call, "num_warps"),
      getOptionalInteger(call, "registers"),
      getOptionalInteger(call, "first_warp"), call.integer("replica"));
  enter(call, task.getBody());
  return {};
}

Value buildTaskReplica(OpCall &call) {
  return call.create<TaskReplicaOp>(call.builder().getI32Type());
}

} // namespace tlx
