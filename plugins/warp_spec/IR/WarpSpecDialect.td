#ifndef WARP_SPEC_DIALECT_TD
#define WARP_SPEC_DIALECT_TD

include "mlir/IR/OpBase.td"

def WarpSpec_Dialect : Dialect {
  let name = "warp_spec";
  let cppNamespace = "::warp_spec";
  let summary = "Loops whose loads run on warps of their own.";
  let description = [{
    The passes of this plugin split a loop around matrix products into a producer, which
    starts the copies from global to shared memory, and consumers, which multiply. What
    flows between them is a channel: a ring of stages in shared memory, each of which is
    full or empty.

    The ops say who waits for whom and nothing of how; `warp-spec-lower` makes mbarriers of
    them. Between the passes these invariants hold:

    | after | the IR has |
    |---|---|
    | `warp-spec-plan` | `warp_spec.plan` on the root loops, `warp_spec.channel` on the loads that move |
    | `warp-spec-create-channels` | no such load; in the loops `acquire`, copies, `publish` before `receive` |
    | `warp-spec-release-stages` | a `release` behind the last reader of every stage |
    | `warp-spec-partition` | `ttg.warp_specialize`; producer ops in the partition, consumer ops in the default region |
    | `warp-spec-lower` | no op of this dialect |
    | `warp-spec-find-independent-warps` | `warp_spec.independent` where mbarriers order all that warps share |
    | `warp-spec-keep-addresses` | moves that LLVM can't look through in front of what producers copy from |
    | `warp-spec-drop-barriers` | no such mark, and no barrier of all warps there |
  }];
  let dependentDialects = [
    "::mlir::triton::TritonDialect",
    "::mlir::triton::gpu::TritonGPUDialect",
    "::mlir::triton::nvidia_gpu::TritonNvidiaGPUDialect",
  ];
  let useDefaultTypePrinterParser = 1;
}

#endif // WARP_SPEC_DIALECT_TD
