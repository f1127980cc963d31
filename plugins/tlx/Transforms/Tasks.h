//===- Tasks.h - Parts of tlx-lower-tasks -----------------------*- C++ -*-===//

#ifndef TLX_TRANSFORMS_TASKS_H
#define TLX_TRANSFORMS_TASKS_H

#include "plugins/tlx/IR/TLX.h"

namespace tlx {

/// The tasks of one `async_tasks`, without values of their own: the default
/// task or null, and the others in the order in which they are given warps.
struct TaskGroup {
  AsyncTasksOp tasks;
  AsyncTaskOp defaultTask;
  llvm::SmallVector<AsyncTaskOp> workers;
};

/// Sorts the workers as `tritongpu-allocate-warp-groups` places them, the ones
/// with most warps first, and checks that all have warps and registers.
/// Returns the registers to request for each worker; none if no task asks for
/// registers.
mlir::FailureOr<llvm::SmallVector<int32_t>> placeTasks(TaskGroup &group);

} // namespace tlx

#endif // TLX_TRANSFORMS_TASKS_H
