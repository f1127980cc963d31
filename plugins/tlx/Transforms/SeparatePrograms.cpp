#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "plugins/tlx/Transforms/Clusters.h"
#include "plugins/tlx/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;

namespace tlx {

#define GEN_PASS_DEF_TLXSEPARATEPROGRAMS
#include "plugins/tlx/Transforms/Passes.h.inc"

namespace {

struct SeparatePrograms : impl::TLXSeparateProgramsBase<SeparatePrograms> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    int size = ttg::TritonGPUDialect::getNumCTAs(module);
    if (size == 1)
      return;
    AttrTypeReplacer replacer;
    replacer.addReplacement([](ttg::CGAEncodingAttr layout) -> Attribute {
      return ttg::CGAEncodingAttr::get1CTALayout(layout.getContext(),
                                                 layout.getRank());
    });
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    // The replacer knows no elements of these.
    module.walk([](arith::ConstantOp constant) {
      if (auto value = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            value.reshape(cast<ShapedType>(constant.getType())));
    });
    Builder builder(module);
    module->setAttr(ttg::AttrNumCTAsName, builder.getI32IntegerAttr(1));
    module->setAttr(clusterSizeAttrName, builder.getI32IntegerAttr(size));
  }
};

} // namespace
} // namespace tlx
