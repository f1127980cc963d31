//===- SharedMemory.h - Effects on shared memory ----------------*- C++ -*-===//

#ifndef TRITON_PLUGIN_SHAREDMEMORY_H
#define TRITON_PLUGIN_SHAREDMEMORY_H

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"

namespace triton_plugin {

/// The resource that Triton's own ops have effects on.
///
/// MLIR tells resources apart by their address, and a plugin's
/// `ttg::SharedMemory::get()`, which `ttg::makeShared` and ODS use, is another
/// object than Triton's.
mlir::SideEffects::Resource *getSharedMemory(mlir::MLIRContext *context);

/// An operand's effect on shared memory that the stock analyses of barriers and
/// fences see; one on a plugin's own resource they ignore without a word.
template <typename Effect>
mlir::MemoryEffects::EffectInstance
makeSharedEffect(mlir::OpOperand &operand, mlir::triton::gpu::SharedKind kind) {
  mlir::MLIRContext *context = operand.getOwner()->getContext();
  return {Effect::get(), &operand,
          mlir::triton::gpu::SharedKindAttr::get(context, kind),
          getSharedMemory(context)};
}

} // namespace triton_plugin

#endif // TRITON_PLUGIN_SHAREDMEMORY_H
