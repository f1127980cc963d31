#ifndef WARP_SPEC_TYPES_TD
#define WARP_SPEC_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "plugins/warp_spec/IR/WarpSpecDialect.td"

def WarpSpec_Channel : TypeDef<WarpSpec_Dialect, "Channel"> {
  let mnemonic = "channel";
  let summary = "A ring of stages between one producer and its consumers.";
  let description = [{
    `!warp_spec.channel<3>` has three stages. The memory of the stages is a `ttg.local_alloc`
    for each tile that the channel carries; the channel itself is only who may touch it.
  }];
  let parameters = (ins "unsigned":$depth);
  let assemblyFormat = "`<` $depth `>`";
  let genVerifyDecl = 1;
}

#endif // WARP_SPEC_TYPES_TD
