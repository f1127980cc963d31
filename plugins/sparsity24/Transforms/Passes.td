#ifndef SPARSITY24_PASSES_TD
#define SPARSITY24_PASSES_TD

include "mlir/Pass/PassBase.td"

// The order of the passes, with the stock passes they stand beside, is in
// python/triton_plugins/sparsity24/pipeline.py.

def Sparsity24ExpandCompression : Pass<"sparsity24-expand-compression", "::mlir::ModuleOp"> {
  let summary = "Lower compress and decompress to Triton ops.";
  let description = [{
    Input: Triton IR. Output: no `compress` and no `decompress`; elementwise ops on the four
    columns of every group, which `tt.split` and `tt.join` take apart and put together.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::triton::TritonDialect",
  ];
}

def Sparsity24AccelerateDot : Pass<"sparsity24-accelerate-dot", "::mlir::ModuleOp"> {
  let summary = "Choose the instruction of every sparse_dot, and its layouts.";
  let description = [{
    Stands beside `tritongpu-accelerate-matmul` and does for `sparse_dot` what that pass does
    for `tt.dot`. The instruction comes from the table of `IR/Instructions.h`.

    - Where it is `wgmma.mma_async.sp`, values and b are put into shared memory with the
      `nvmma_shared` layout, and the op becomes `async_sparse_dot` followed by a wait. A
      transposition of an operand becomes a view.
    - Elsewhere the operands are converted to the dot operand layouts of the dense instruction
      whose registers the sparse one shares.
    - Metadata gets a linear layout in which every thread holds the words that its
      instructions read.
    - Accumulators that a loop carries keep the instruction's layout through the loop.
  }];
  let dependentDialects = [
    "::mlir::triton::gpu::TritonGPUDialect",
    "::mlir::triton::nvidia_gpu::TritonNvidiaGPUDialect",
  ];
}

def Sparsity24OverlapDots : Pass<"sparsity24-overlap-dots", "::mlir::ModuleOp"> {
  let summary = "Keep a product in flight while the next one is prepared.";
  let description = [{
    Stands behind `tritongpu-pipeline`, which does this for dense products. It is for loops with
    one `async_sparse_dot`, whose operands TMA loads two or more iterations ahead, and whose
    metadata is one register a thread: 64 columns, and 64 rows a warp group.

    - The wait behind the product lets it run on and awaits the one before. Behind the loop, and
      where a tile ends in a loop that `tritongpu-fuse-nested-loops` made of tiles and steps, the
      last one is awaited.
    - TMA refills the memory of the product before: every copy, and the barrier's expectation of
      it, happens one iteration later, with the coordinates and the predicate that the loop
      carries from one to the next.
    - The loop is unrolled by two, and `hold_meta` gives the products' metadata two registers in
      turns.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::triton::nvidia_gpu::TritonNvidiaGPUDialect",
  ];
}

def Sparsity24LowerDots : Pass<"sparsity24-lower-dots", "::mlir::ModuleOp"> {
  let summary = "Lower sparse products to machine instructions.";
  let description = [{
    Runs after the stock conversion to LLVM, which leaves these ops with operands cast from
    LLVM structures. Output: inline PTX (`wgmma.mma_async.sp`, `mma.sp`) or the intrinsics of
    `v_smfmac`.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect",
    "::mlir::ROCDL::ROCDLDialect",
  ];
}

#endif // SPARSITY24_PASSES_TD
