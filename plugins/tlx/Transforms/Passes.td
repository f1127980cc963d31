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

    Input: TLX ops. Output: unchanged.
  }];
}

def TLXCheckReleases : Pass<"tlx-check-releases", "::mlir::ModuleOp"> {
  let summary = "Find buffers that are released while a matrix product reads them.";
  let description = [{
    A buffer is released by the arrival at a barrier that is waited for before the buffer is
    written again. If an `async_dot` of the buffer may run on at the arrival, the product reads
    what is written next, now and then. Products end in the order in which they were started, so
    the last waits and the products started after them tell which run on.

    Which barrier goes with which buffer is taken from the writes: a write to buffer `f(i)` behind
    a wait for barrier `i` in the same turn of a loop. Only what is certain is an error: an arrival
    for which a way through the kernel leads from the product to it without an ending wait, where
    the buffer's index is `f` of the barrier's index, and no other barrier holds the write back.

    Input: TLX ops. Output: unchanged.
  }];
}

def TLXCheckBarrierWaits : Pass<"tlx-check-barrier-waits", "::mlir::ModuleOp"> {
  let summary = "Find waits for barriers that last for ever.";
  let description = [{
    The first wait for phase 0 of a barrier ends once as many arrivals have come as the barrier is
    made for. It lasts for ever if the kernel has too few of them, or if each comes only behind a
    wait that lasts for ever, itself included: a ring whose producer starts with phase 0 of the
    barriers that its consumers arrive at.

    Waits with a predicate or a phase that is not known the first time are taken to end, and
    arrivals in loops of unknown length to be as many as are needed.

    Input: TLX ops. Output: unchanged.
  }];
}

def TLXCheckBarrierPhases : Pass<"tlx-check-barrier-phases", "::mlir::ModuleOp"> {
  let summary = "Find waits in loops whose phases do not go with the barrier's.";
  let description = [{
    Two errors are looked for in loops that wait for the same barrier in every turn:

    - the phase is a constant, in this wait and in all others for the barrier, while the barrier
      ends a phase in every turn of a loop: every second wait waits for nothing;
    - the phase turns between 0 and 1, but all arrivals of the kernel end fewer phases than the
      loop has turns. A loop of unknown length is taken to have more.

    Input: TLX ops. Output: unchanged.
  }];
}

def TLXCheckBarrierProgress : Pass<"tlx-check-barrier-progress", "::mlir::ModuleOp"> {
  let summary = "Run what a kernel does with its barriers, and find where it hangs.";
  let description = [{
    Whether a ring of buffers goes on for ever depends on many ops: arrival counts, bytes, phases
    and the order of tasks. Where these follow from constants, loop counters and the kernel's
    integer arguments, they are run: one program, with one number for all arguments, each task up
    to its next wait in turns, barriers as the hardware has them (PTX ISA, "mbarrier"), copies that
    end at once. If in the end each task waits, the kernel hangs for these arguments. It is an
    error if it does so for two numbers, in case one makes no sense, and, in kernels of several
    arguments, if no task has ended: with arguments that fit each other it might not have.

    Nothing is said where the run comes to something that is not known: a branch or a barrier that
    depends on data, named barriers, other blocks of a cluster, functions that are not inlined.
    It ends after 65536 ops.

    Input: TLX ops. Output: unchanged.
  }];
}

def TLXCheckExpectedBytes : Pass<"tlx-check-expected-bytes", "::mlir::ModuleOp"> {
  let summary = "Compare the bytes that barriers expect with those that copies bring.";
  let description = [{
    Where a block announces bytes to a barrier and the copies that signal it stand behind that in
    the same block, both must be the same number: with fewer bytes the phase never ends (PTX ISA,
    "mbarrier", "tx-count"), with more it may end before the last copy. Bytes that are announced to
    a barrier that no copy signals are an error, as are copies to a barrier that expects none.

    Where the announcement and the copies of a barrier are spread over blocks, or under different
    predicates, nothing is said.

    Input: TLX ops. Output: unchanged.
  }];
}

def TLXCheckTarget : Pass<"tlx-check-target", "::mlir::ModuleOp"> {
  let summary = "Find ops that the kernel's GPU cannot run.";
  let description = [{
    An op that needs what the module's `ttg.target` has not is an error, which says what it needs,
    from which GPU on there is that, and what to do instead.

    Input: TLX ops in a module that has `ttg.target`, without which nothing is checked. Output:
    unchanged.
  }];
}

def TLXSeparatePrograms : Pass<"tlx-separate-programs", "::mlir::ModuleOp"> {
  let summary = "Make each block of a cluster a program of its own.";
  let description = [{
    Stock Triton spreads the tensors of one program over the blocks of a cluster. In TLX every
    block has tensors of its own, and what blocks share the kernel says.

    Input: layouts for `ttg.num-ctas` blocks. Output: the same layouts for one block each; the
    size of the cluster is kept as `tlx.cluster_size`, and the kernel is still launched with it.
  }];
  let dependentDialects = ["::mlir::triton::gpu::TritonGPUDialect"];
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

def TLXCheckLayouts : Pass<"tlx-check-layouts", "::mlir::ModuleOp"> {
  let summary = "Check what kernels say about layouts, once these are final.";
  let description = [{
    Removes every `tlx.assert_same_layout` and `tlx.observe_layout`, and fails where layouts
    differ that must be the same. Removes every pinned `tlx.require_layout`, whose value is in its
    layout.
  }];
}

def TLXCheckVotes : Pass<"tlx-check-votes", "::mlir::ModuleOp"> {
  let summary = "Find what warps cannot do in a branch that each takes by itself.";
  let description = [{
    Runs once all layouts are final. A `tlx.vote_any` takes its predicate in the layout that it is
    computed in: a conversion that stock passes left in front is dropped.

    Where warps exchange data through shared memory they wait for each other, some of them for ever
    if the others are not there. So it is an error if anything in a branch by a vote does that: a
    conversion of layouts or a reduction between warps, an access to a buffer, a barrier. A branch is
    by a vote if its condition is made of one, also by way of values that loops carry and that other
    branches choose; a loop is if its turns depend on one. A `return` in such a branch is an error.
  }];
}

def TLXCheckNamedBarriers : Pass<"tlx-check-named-barriers", "::mlir::ModuleOp"> {
  let summary = "Find named barriers that are Triton's own.";
  let description = [{
    A block has 16 hardware barriers (PTX ISA, "bar"). Stock Triton takes the first two, and one
    more for each partition that warps run, from number 2 on. TLX gives kernels those from 8 on, so
    with the seventh partition both may use the same one, and threads that wait for each other in
    one of them end the wait of the other. That is an error where the number is a constant.

    Input: `ttg.warp_specialize`, and assembly of `named_barrier_wait` and `named_barrier_arrive`.
    Output: unchanged.
  }];
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

def TLXJoinClusterBarriers : Pass<"tlx-join-cluster-barriers", "::mlir::ModuleOp"> {
  let summary = "Bring the warps of tasks to barriers of the cluster.";
  let description = [{
    Outside of tasks their warps sleep, but the hardware's barrier counts them (PTX ISA,
    "barrier.cluster"). In a kernel with tasks each `tlx.cluster_barrier` becomes a
    `ttg.warp_specialize` in which all warps come to it. Runs after
    `tritongpu-allocate-warp-groups`, when the number of warps is known.
  }];
  let dependentDialects = ["::mlir::triton::gpu::TritonGPUDialect"];
}

def TLXInsertProxyFences : Pass<"tlx-insert-proxy-fences", "::mlir::ModuleOp"> {
  let summary = "Run the stock insertion of proxy fences where it may find something to do.";
  let description = [{
    Takes the place of `triton-nvidia-gpu-proxy-fence-insertion`, which compares buffers byte by
    byte: in a kernel that fills most of shared memory, and has its own fences, it takes a fifth of
    the compilation to find nothing. This looks for the same accesses first, by threads and then,
    without a fence between, by TMA or tensor cores (PTX ISA, "Proxies"). It takes a buffer for its
    whole allocation and every two accesses for a conflict, so where it finds nothing the stock pass
    would find nothing either. Elsewhere, on other GPUs than sm_90 and where functions are called,
    the stock pass runs.
  }];
  let dependentDialects = ["::mlir::triton::nvidia_gpu::TritonNvidiaGPUDialect"];
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
