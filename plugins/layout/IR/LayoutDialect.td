#ifndef LAYOUT_DIALECT_TD
#define LAYOUT_DIALECT_TD

include "mlir/IR/OpBase.td"

def Layout_Dialect : Dialect {
  let name = "layout";
  let cppNamespace = "::layout";
  let summary = "Layouts that a kernel chooses, and how values get into them.";
  let description = [{
    A layout says which thread and which register of it hold an element of a tensor. Triton
    chooses layouts and puts `ttg.convert_layout` between them; with this dialect a kernel
    chooses itself.

    DSL ops create `layout` ops in Triton IR, where tensors have no layouts. They cross
    `convert-triton-to-tritongpu` hidden in calls (`layout-enter-ttgpuir`,
    `layout-exit-ttgpuir`); `layout-resolve` then puts the layouts into the types. No stock
    pass looks through a `layout` op, and `tritongpu-remove-layout-conversions` takes its
    layout as given (`EfficientLayoutOpInterface`), as that of a matrix product, and carries
    it on to elementwise users. `layout-lower` turns the ops into stock ones at the end of
    the stage, when no pass folds conversions any more.
  }];
  let dependentDialects = [
    "::mlir::triton::TritonDialect",
    "::mlir::triton::gpu::TritonGPUDialect",
  ];
}

#endif // LAYOUT_DIALECT_TD
