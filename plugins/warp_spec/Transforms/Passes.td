#ifndef WARP_SPEC_PASSES_TD
#define WARP_SPEC_PASSES_TD

include "mlir/Pass/PassBase.td"

// The order of the passes, with the stock passes they stand beside, is in
// python/triton_plugins/warp_spec/pipeline.py. What holds between them is in the
// description of the dialect.

def WarpSpecMarkLoops : Pass<"warp-spec-mark-loops", "::mlir::ModuleOp"> {
  let summary = "Make the marks that a kernel put before loops attributes of the loops.";
  let description = [{
    Runs first in stage ttir, before loops can move. `tt.warp_specialize`, which
    `tl.range(warp_specialize=True)` sets, is a mark too, and is taken from the stock pass.
  }];
}

def WarpSpecPlan : Pass<"warp-spec-plan", "::mlir::ModuleOp"> {
  let summary = "Decide which loops are specialized, and how.";
  let description = [{
    Looks at the innermost loops with a matrix product that are marked, by themselves or by a
    loop around, or at all where none is. For each it finds

    - the channels: loads in the loop that fill shared memory which products read, one channel
      for all loads that are first read by the same product;
    - the root: the outermost loop around it whose producer part can run ahead, so that the
      producer of a persistent kernel starts on the next tile while the consumers finish this
      one, and beside whose tiles to store two stages of the channels fit;
    - the depth of the channels: `buffers` stages, fewer if shared memory asks for it;
    - the producer: one warp where all loads are TMA's, four where threads copy; and its
      registers, the rest of which `setmaxnreg` gives to the consumers (PTX ISA,
      "setmaxnreg").

    A loop that can't be specialized is left alone, and the reason goes into the module's
    `warp_spec.report` and out as a remark; with `strict` it is an error. It can't where the
    addresses of loads depend on what consumers compute, where a load is under a condition, or
    where a store in the root may write what the producer reads early.

    `warp_spec.plan` holds `producer_warps`, `producer_registers` and `depth`.
  }];
  let options = [
    Option<"buffers", "buffers", "int", /*default=*/"0",
           "Most stages of a channel; 0 takes the kernel's num_stages, at least 2">,
    Option<"numStages", "num-stages", "int", /*default=*/"3", "The kernel's num_stages">,
    Option<"producerRegisters", "producer-registers", "int", /*default=*/"0",
           "Registers of a producer's thread; 0 asks the model">,
    Option<"strict", "strict", "bool", /*default=*/"false",
           "A loop that can't be specialized is an error">,
  ];
}

def WarpSpecCreateChannels : Pass<"warp-spec-create-channels", "::mlir::ModuleOp"> {
  let summary = "Send planned loads through channels.";
  let description = [{
    Each planned load and the `ttg.local_alloc` it fills become a copy into a stage of a
    multi-buffered allocation, between `acquire` and `publish`, and a view of the stage behind
    `receive`. Other uses of the load read the stage with `ttg.local_load`.
  }];
  let dependentDialects = ["::warp_spec::WarpSpecDialect"];
}

def WarpSpecReleaseStages : Pass<"warp-spec-release-stages", "::mlir::ModuleOp"> {
  let summary = "Release a stage when its last reader is done.";
  let description = [{
    Runs behind the stock pipeliner, which has made products asynchronous by then. A stage that
    a product reads is released behind the first wait that covers the product. Where that wait
    is in the next iteration, the release is `delayed` by one.

    Where threads copy for two warp groups with one product, the wait is made to cover it: the
    stage comes back before the next one is full, and one group's product runs while the other
    group waits.
  }];
  let dependentDialects = ["::warp_spec::WarpSpecDialect"];
}

def WarpSpecPartition : Pass<"warp-spec-partition", "::mlir::ModuleOp"> {
  let summary = "Split root loops into a producer and consumers.";
  let description = [{
    The root becomes the default region of a `ttg.warp_specialize`, with the kernel's own
    warps. A copy of it with the producer ops and what their operands and loops need becomes
    the partition. Tensors get layouts for the producer's warps there.
  }];
  let dependentDialects = ["::warp_spec::WarpSpecDialect"];
}

def WarpSpecLower : Pass<"warp-spec-lower", "::mlir::ModuleOp"> {
  let summary = "Make channels mbarriers.";
  let description = [{
    A stage has two: `full`, on which TMA counts bytes or every producer thread arrives when
    its `cp.async` have landed, and `empty`, on which one lane of every consumer warp arrives
    (PTX ISA, "mbarrier"). The number of the stage and the parity of its phase are carried
    through the loops.
  }];
  let dependentDialects = ["::warp_spec::WarpSpecDialect"];
}

def WarpSpecFindIndependentWarps
    : Pass<"warp-spec-find-independent-warps", "::mlir::ModuleOp"> {
  let summary = "Find where warps need not wait for each other.";
  let description = [{
    Runs last in stage ttgir. Where all that warps share in a loop or in a partition is in
    channels, their mbarriers order it. `warp_spec.independent` marks the waits for products in
    such a loop, and a `ttg.warp_specialize` with such partitions.
  }];
}

def WarpSpecKeepAddresses : Pass<"warp-spec-keep-addresses", "::mlir::ModuleOp"> {
  let summary = "Keep the addresses that a producer's threads copy from in registers.";
  let description = [{
    Runs last in stage ttgir. A thread starts a copy only when the registers of its address are
    free, and a copy holds them until it has read them. Left to itself LLVM keeps one pointer for
    a tile and adds an offset for each copy, into registers that ptxas takes in turns, and the
    thread waits for its own copies. Pointers that a loop carries so pass through an opaque move
    in front of it: each has registers of its own, advanced when all copies of a stage have
    started.

    What a partition captures passes through one, too. What is computed from it would be hoisted
    out of the partition else, to where its warps wait with 24 registers each, and be spilled.
  }];
}

def WarpSpecDropBarriers : Pass<"warp-spec-drop-barriers", "::mlir::ModuleOp"> {
  let summary = "Let warps run on where they need not wait for each other.";
  let description = [{
    Runs behind the stock pass that inserts barriers, which does not know mbarriers. Marked
    waits for products become `warpGroupLocal`, so that the warp groups that share a tile do not
    meet at `bar.sync` in every iteration (PTX ISA, "bar, barrier"); before that pass it would
    put barriers in their place. Barriers in marked partitions go.
  }];
}

#endif // WARP_SPEC_PASSES_TD
