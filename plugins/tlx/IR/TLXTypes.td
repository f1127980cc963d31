#ifndef TLX_TYPES_TD
#define TLX_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "plugins/tlx/IR/TLXDialect.td"

def TLX_Buffer : TypeDef<TLX_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "Buffers in local memory, or a view of one of them.";
  let description = [{
    `!tlx.buffer<3x128x64xf16>` is what `tlx.local_alloc` gives: three buffers of 128x64
    elements. `tlx.local_view` takes the first dimension off. The type says nothing about
    the order of elements in memory; `tlx-lower` decides that from the uses.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getNumBytes() const;
  }];
}

def TLX_Storage : TypeDef<TLX_Dialect, "Storage"> {
  let mnemonic = "storage";
  let summary = "Memory that several allocations share.";
}

#endif // TLX_TYPES_TD
