#ifndef TLX_WARPOPS_TD
#define TLX_WARPOPS_TD

include "plugins/tlx/IR/TLXOpBase.td"

def TLX_VoteAnyOp : TLX_Op<"vote_any", [Pure]> {
  let summary = "Whether a predicate holds for an element that the warp has.";
  let description = [{
    Each warp asks about the elements in its own registers alone (PTX ISA, "vote.sync"), so the
    warps of a task get answers of their own and may take a branch by them, or not, each by itself.
    `tlx-check-votes` makes sure that nothing in the branch waits for other warps.

    The elements are those of the layout that the predicate is computed in.
  }];
  let arguments = (ins RankedTensorOf<[I1]>:$predicate);
  let results = (outs I1:$result);
  let assemblyFormat = "$predicate attr-dict `:` type($predicate)";
}

#endif // TLX_WARPOPS_TD
