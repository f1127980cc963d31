#ifndef TLX_PASSES_TD
#define TLX_PASSES_TD

include "mlir/Pass/PassBase.td"

// The order of the passes, with the stock passes they stand beside, is in
// python/triton_plugins/tlx/pipeline.py.

def TLXCheckAsyncGroups : Pass<"tlx-check-async-groups", "::mlir::ModuleOp"> {
  let summary = "Find waits for groups of asynchronous copies that cannot wait.";
  let description = [{
    A wait that leaves `n` groups pending does nothing where at most `n` groups were
    committed before it on every path. That is an off-by-one in the kernel, and it shows as
    wrong numbers only now and then, so it is an error. A loop that commits and whose trip
    count is unknown commits any number.

    Input: TLX ops in Triton IR. Output: unchanged.
  }];
}

def TLXLowerTasks : Pass<"tlx-lower-tasks", "::mlir::ModuleOp"> {
  let summary = "Turn tasks into warp specialization.";
  let description = [{
    Input: `tlx.async_tasks` whose tensors have layouts for the kernel's warps. Output:
    `ttg.warp_specialize`, whose default region is the default task and whose partitions are the
    others.

    - What a partition uses from outside becomes an explicit capture. Constants and tensors that
      are made of nothing but scalars and constants, such as ranges, are made in each partition;
      any other tensor from outside is an error.
    - Layouts of a partition's tensors are those of the kernel with as many warps as the partition
      has.
    - The warps and registers that the tasks ask for must fit a CTA: 32 warps, 64K registers given
      out in steps of 8 a thread to groups of four warps (PTX ISA, "setmaxnreg"). Stock
      `tritongpu-allocate-warp-groups` drops requests that do not fit without a word.

    - Buffers that tasks share are made visible to all warps and to the asynchronous proxy once,
      before the tasks start.

    It runs before `tlx-lower`, so that layouts are chosen for the warps that run the ops.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::triton::gpu::TritonGPUDialect",
    "::mlir::triton::nvidia_gpu::TritonNvidiaGPUDialect",
  ];
}

def TLXLower : Pass<"tlx-lower", "::mlir::ModuleOp"> {
  let summary = "Choose layouts for buffers and accumulators and lower to TritonGPU ops.";
  let description = [{
    Input: TLX ops whose tensors have the layouts that `convert-triton-to-tritongpu` gave.
    Output: no TLX op but `async_wait`.

    - A buffer that an `async_dot` reads gets the `nvmma_shared` layout that WGMMA reads
      without bank conflicts; any other an unswizzled layout that `tlx-swizzle-buffers`
      refines once the layouts of its readers are known.
    - Accumulators, with all loop-carried values they flow through, are moved to the WGMMA
      register layout, so that no conversion touches a product that still runs. A use of a
      running product is an error.
  }];
  let dependentDialects = [
    "::mlir::triton::gpu::TritonGPUDialect",
    "::mlir::triton::nvidia_gpu::TritonNvidiaGPUDialect",
  ];
}

def TLXDrainCopies : Pass<"tlx-drain-copies", "::mlir::ModuleOp"> {
  let summary = "Wait for copies that run on when their buffers end.";
  let description = [{
    A pipelined loop starts copies past its end. They are masked off, but a masked copy
    writes zeros, and shared memory of buffers that are not used any more may serve the
    epilogue. Where no wait for all copies follows the last copy into an allocation, this
    puts one behind the allocation's last use.
  }];
}

def TLXLowerWaits : Pass<"tlx-lower-waits", "::mlir::ModuleOp"> {
  let summary = "Put the kernel's own waits in place, after the stock pipeliner.";
  let description = [{
    The stock pipeliner recomputes the number of every `ttg.async_wait` from its tokens, also
    in loops that it does not pipeline, so a kernel's own number must not be there before.

    After a wait for copies that WGMMA may read, the generic proxy's writes are made visible
    to the asynchronous proxy (PTX ISA, "Async proxy").

    The stock pipeliner also waits for every product of a loop that another operation of the
    same iteration reads, even if that operation is a wait already. In a kernel whose products
    are all `async_dot`s these waits are erased.
  }];
  let dependentDialects = [
    "::mlir::triton::gpu::TritonGPUDialect",
    "::mlir::triton::nvidia_gpu::TritonNvidiaGPUDialect",
  ];
}

def TLXLegalizeAsyncCopy : Pass<"tlx-legalize-async-copy", "::mlir::ModuleOp"> {
  let summary = "Turn asynchronous copies that the hardware lacks into load and store.";
  let description = [{
    `cp.async` moves 4, 8 or 16 bytes a thread (PTX ISA, "cp.async"); a tensor whose rows are
    not aligned to that has none. AMD has direct loads to LDS of useful width from gfx950 on
    (AMD CDNA4 ISA, "Buffer load to LDS"). Runs after `tritongpu-coalesce`, when the width of
    each thread's accesses is known.

    A masked copy without `other` fills with zeros, which is said where the hardware's copy
    does not do it by itself.
  }];
  let dependentDialects = [
    "::mlir::triton::gpu::TritonGPUDialect",
    "::mlir::ub::UBDialect",
  ];
}

def TLXSwizzleBuffers : Pass<"tlx-swizzle-buffers", "::mlir::ModuleOp"> {
  let summary = "Swizzle buffers for the dot operands that are read from them.";
  let description = [{
    Runs when the readers' layouts are final. Where all `ttg.local_load`s of an allocation
    that TLX made give operands of one kind of matrix instruction, the allocation gets the
    swizzled layout that this instruction reads without bank conflicts.

    On gfx950 a wave's direct load to LDS writes consecutive addresses (AMD CDNA4 ISA, "Buffer
    load to LDS"). Buffers that such loads fill get the padded layout that Triton's own
    pipeliner gives them, where there is one for their shape.
  }];
  let dependentDialects = ["::mlir::triton::gpu::TritonGPUDialect"];
}

def TLXReportSharedMemory : Pass<"tlx-report-shared-memory", "::mlir::ModuleOp"> {
  let summary = "Say who takes the shared memory that is too much.";
  let description = [{
    Runs after the stock allocation. Where its sum is more than a block can have, the module gets
    `tlx.shared_memory_limit` and `tlx.shared_memory_report`, a table of every buffer's place,
    bytes, name and line. The pipeline's next step makes an exception of them: one that Triton's
    autotuner takes for what it is, which that of a failed pass is not.
  }];
}

def TLXMakeBufferOps : Pass<"tlx-make-buffer-ops", "::mlir::ModuleOp"> {
  let summary = "Turn accesses that the kernel calls buffer accesses into AMD's.";
  let description = [{
    `buffer_load`, `buffer_store`, `buffer_load_to_local` and `buffer_atomic_add` are ordinary
    accesses through a `tt.addptr` marked `tlx.buffer`: the kernel promises that its offsets are
    not negative and within 2 GiB of one uniform pointer, so that a buffer descriptor covers
    them (AMD CDNA3 ISA, "Buffer addressing"). Triton's own conversion has to prove that.

    Input: loads, stores, atomics and copies with their final layouts. Output: ops of the AMD
    dialect for those through marked pointers.
  }];
}

def TLXToLLVM : Pass<"tlx-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert the ops that have no stock counterpart to LLVM.";
  let description = [{
    The stock conversion leaves ops alone that it does not know, with casts around them. This
    takes their operands from before the casts and makes them inline assembly; the casts cancel
    in the passes that follow.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TLX_PASSES_TD
