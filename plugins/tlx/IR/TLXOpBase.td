#ifndef TLX_OPBASE_TD
#define TLX_OPBASE_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "triton/Dialect/Triton/IR/TritonAttrDefs.td"
include "triton/Dialect/Triton/IR/TritonTypes.td"
include "triton/Dialect/TritonGPU/IR/TritonGPUTypes.td"
include "plugins/tlx/IR/TLXTypes.td"

// Triton's own TritonGPUMemoryEffects.td needs a newer mlir-tblgen than the SDK's.
def TLX_GlobalMemory : Resource<"::mlir::triton::GlobalMemory">;
def TLX_SharedMemory : Resource<"::mlir::triton::gpu::SharedMemory">;

def TLX_Barrier : Type<
  CPred<"::tlx::isBarrier($_self)">,
  "one barrier of tlx.alloc_barriers",
  "::tlx::BufferType"
>;

class TLX_Op<string mnemonic, list<Trait> traits = []> : Op<TLX_Dialect, mnemonic, traits>;

#endif // TLX_OPBASE_TD
