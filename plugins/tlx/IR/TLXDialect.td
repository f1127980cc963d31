#ifndef TLX_DIALECT_TD
#define TLX_DIALECT_TD

include "mlir/IR/OpBase.td"

def TLX_Dialect : Dialect {
  let name = "tlx";
  let cppNamespace = "::tlx";
  let summary = "Explicit memory and asynchronous operations for Triton kernels.";
  let description = [{
    The dialect lets a kernel say where its data lives and when it moves: buffers in
    local memory (shared memory on NVIDIA, LDS on AMD), asynchronous copies with commit
    and wait groups, and asynchronous matrix products.

    Its ops have no layouts. DSL ops create them in Triton IR; they cross
    `convert-triton-to-tritongpu` hidden in calls (`tlx-enter-ttgpuir`,
    `tlx-exit-ttgpuir`), and `tlx-lower` then chooses layouts for buffers and accumulators
    and turns them into ops of the TritonGPU and TritonNvidiaGPU dialects. From there on
    every pass is the stock one.
  }];
  let dependentDialects = [
    "::mlir::triton::TritonDialect",
    "::mlir::triton::gpu::TritonGPUDialect",
  ];
  let useDefaultTypePrinterParser = 1;
}

#endif // TLX_DIALECT_TD
