#ifndef LAYOUT_PASSES_TD
#define LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

// The order of the passes, with the stock passes they stand beside, is in
// python/triton_plugins/layout/pipeline.py.

def LayoutResolve : Pass<"layout-resolve", "::mlir::ModuleOp"> {
  let summary = "Put the layouts that a kernel names into the types of its values.";
  let description = [{
    Gives the result of each `layout.pin`, `layout.convert` and `layout.assert_trivial` the
    layout it names, with conversions to and from the layout that
    `convert-triton-to-tritongpu` chose around it. A layout that does not fit the tensor, the
    number of warps or the target is an error.

    The layout of another tensor (`like`) is known at once if a `layout` op gave it; else it
    is whatever Triton decides, so the op waits for the run with `finish`, right before the
    last `tritongpu-remove-layout-conversions`. `layout.release` becomes a conversion then.
  }];
  let options = [
    Option<"finish", "finish", "bool", "false",
           "Take layouts of other tensors as they are now; nothing waits any longer.">,
  ];
  let dependentDialects = ["::mlir::triton::gpu::TritonGPUDialect"];
}

def LayoutLower : Pass<"layout-lower", "::mlir::ModuleOp"> {
  let summary = "Lower layout ops to TritonGPU ops.";
  let description = [{
    Runs at the end of the stage, behind every pass that folds conversions. Checks that each
    value has the layout that was asked for, that `layout.convert` can go the way it names,
    and that `layout.assert_trivial` moves nothing; what cannot be honoured is an error at
    the kernel's line.

    A conversion that was chosen starts from the value before all conversions that led to
    it, so that layouts in between, which nobody asked for, cost nothing.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::triton::gpu::TritonGPUDialect",
  ];
}

def LayoutReport : Pass<"layout-report", "::mlir::ModuleOp"> {
  let summary = "List the layout conversions of a module and what they cost.";
  let description = [{
    Writes JSON: for every `ttg.convert_layout`, and every buffer that is filled from
    registers and read back into registers, the line of the kernel, both layouts, the way
    (nothing, registers, shuffle, shared), bytes, the instruction of an access to shared
    memory with its count for a thread, its width and its bank conflicts, scratch and loop
    depth; and the bases of all layouts.

    All of it comes from Triton's analysis of linear layouts, with the target's tiles of
    loads and stores: where Triton's lowering for NVIDIA chooses `stmatrix` or `ldmatrix`
    (PTX ISA), so does the report. Conflicts between single bytes that a swizzle moves
    within a bank are not counted. On AMD a buffer's transposed reads (gfx950) are listed as
    `ds_read`.

    Input: TritonGPU IR at the end of its stage. Output: unchanged.
  }];
  let options = [
    Option<"file", "file", "std::string", "\"\"",
           "The file to write; standard output without it.">,
  ];
}

def LayoutMergeConversions : Pass<"layout-merge-conversions", "::mlir::ModuleOp"> {
  let summary = "Merge chains of conversions and conversions that do the same.";
  let description = [{
    - A conversion of a converted value starts from the value itself.
    - Of two conversions of one value into layouts that hold the same elements in the same
      places, the later one takes the result of the earlier one. `cse` sees that only where
      both layouts have one name and both conversions one block.
  }];
  let dependentDialects = ["::mlir::triton::gpu::TritonGPUDialect"];
}

def LayoutShrinkConversions : Pass<"layout-shrink-conversions", "::mlir::ModuleOp"> {
  let summary = "Move conversions to where their tensor is smallest.";
  let description = [{
    A conversion goes below an op that narrows the elements, and above one that widens them,
    adds a dimension or broadcasts, if nobody else uses what is in between.
    `tritongpu-remove-layout-conversions` moves conversions above widening ops only where it
    then removes them.
  }];
  let dependentDialects = ["::mlir::triton::gpu::TritonGPUDialect"];
}

def LayoutHoistConversions : Pass<"layout-hoist-conversions", "::mlir::ModuleOp"> {
  let summary = "Take conversions out of loops.";
  let description = [{
    - A conversion of a value from outside of a loop is done once, before the loop. The
      result then takes registers as long as the loop runs, so large ones stay.
    - A value that a loop carries in one layout, and that the body converts to another first
      and back last, is carried in the layout of the body.
  }];
  let options = [
    Option<"maxRegisters", "max-registers", "int64_t", "32",
           "Registers a thread that a value may take through a loop.">,
  ];
  let dependentDialects = ["::mlir::triton::gpu::TritonGPUDialect"];
}

def LayoutRematerialize : Pass<"layout-rematerialize", "::mlir::ModuleOp"> {
  let summary = "Compute values in the layouts they are converted to, where that is cheap.";
  let description = [{
    Replaces a conversion through shared memory or shuffles by repeating what leads to it in
    the other layout, or, in front of a `tt.store`, by storing in the layout before it. Both
    where the cost model (`Transforms/CostModel.h`) says that it pays:

    - Small loads: a bias or a scale that all rows share is read from the cache by every
      thread that needs it, which costs less than two barriers.
    - Small stores: a statistic for each row is stored by the threads that have it.

    `tritongpu-remove-layout-conversions` repeats cheap ops too, but takes every load with an
    element for each thread as too expensive, and never moves a store.

    Each op is repeated where it stands, so loads read what they read before. Runs after the
    last `tritongpu-remove-layout-conversions`.
  }];
  let dependentDialects = ["::mlir::triton::gpu::TritonGPUDialect"];
}

#endif // LAYOUT_PASSES_TD
