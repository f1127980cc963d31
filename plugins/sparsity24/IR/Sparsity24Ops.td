#ifndef SPARSITY24_OPS_TD
#define SPARSITY24_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "triton/Dialect/Triton/IR/TritonOpInterfaces.td"
include "triton/Dialect/Triton/IR/TritonTypes.td"
include "triton/Dialect/TritonGPU/IR/TritonGPUTypes.td"
include "plugins/sparsity24/IR/Sparsity24Dialect.td"

def Sparsity24_Float : AnyTypeOf<[F16, BF16]>;
def Sparsity24_Operand : RankedTensorOf<[Sparsity24_Float]>;
def Sparsity24_Meta : RankedTensorOf<[I16]>;
def Sparsity24_MetaRegisters : RankedTensorOf<[I32]>;
def Sparsity24_Accumulator : RankedTensorOf<[F16, F32]>;

class Sparsity24_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sparsity24_Dialect, mnemonic, traits>;

// The operands' order is the one that Triton's passes expect of a dot: a, b, accumulator.
class Sparsity24_DotOp<string mnemonic, list<Trait> traits = []> : Sparsity24_Op<mnemonic, traits # [
  DeclareOpInterfaceMethods<DotOpInterface, ["verifyDims"]>,
  TypesMatchWith<"the result has the accumulator's type", "acc", "result", "$_self">,
]> {
  let assemblyFormat = [{
    $values `,` $meta `,` $b `,` $acc attr-dict
    `:` type($values) `,` type($meta) `,` type($b) `->` type($acc)
  }];
  let hasVerifier = 1;
}

def Sparsity24_SparseDotOp : Sparsity24_DotOp<"sparse_dot", [Pure]> {
  let summary = "Multiply a 2:4 sparse matrix by a dense one.";
  let description = [{
    `result = decompress(values, meta) @ b + acc` with `values` of MxK/2, `meta` of MxK/16,
    `b` of KxN and `acc` of MxN. The product is accumulated in the accumulator's type.

    ```mlir
    %d = sparsity24.sparse_dot %values, %meta, %b, %acc
        : tensor<128x32xf16>, tensor<128x4xi16>, tensor<64x128xf16> -> tensor<128x128xf32>
    ```

    After `sparsity24-accelerate-dot` the operands have the layouts of `mma.sp` (PTX ISA,
    "Matrix multiply-accumulate operation using mma.sp instruction with sparse matrix A") or of
    `v_smfmac` (AMD CDNA3 and CDNA4 ISA, "Sparse matrix fused multiply-accumulate").
  }];
  let arguments = (ins Sparsity24_Operand:$values, Sparsity24_Operand:$b,
                       Sparsity24_Accumulator:$acc, Sparsity24_Meta:$meta);
  let results = (outs Sparsity24_Accumulator:$result);
}

def Sparsity24_AsyncSparseDotOp : Sparsity24_DotOp<"async_sparse_dot", [
  DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
]> {
  let summary = "Start a sparse product that reads values and b from shared memory.";
  let description = [{
    The asynchronous form of `sparse_dot`: `wgmma.mma_async.sp` (PTX ISA, "Asynchronous
    warpgroup-level matrix instructions for sparse operands"), which sm_90a has. The
    accumulator has the layout of dense WGMMA. A `ttng.warp_group_dot_wait` must cover the
    result before anything but another `async_sparse_dot` takes it, and before the operands'
    memory is written.

    Metadata is in registers, which the hardware reads while the product runs. ptxas 13 does not
    know: in a loop that left a product in flight it loaded the next metadata into the same
    register, and rows of whole warps were wrong on an H200. So either the wait comes before
    other metadata does, or `hold_meta` keeps the registers apart. A thread holds the words of
    rows `r` and `r + 8`, so that one 32-bit register serves two instructions of 64 rows and 32
    columns: lanes 0 and 1 of a quad serve the first (selector 0), lanes 2 and 3 the second
    (selector 1).
  }];
  let arguments = (ins TTG_MemDescType:$values, TTG_MemDescType:$b, Sparsity24_Accumulator:$acc,
                       AnyTypeOf<[Sparsity24_Meta, Sparsity24_MetaRegisters]>:$meta);
  let results = (outs Sparsity24_Accumulator:$result);
}

def Sparsity24_HoldMetaOp : Sparsity24_Op<"hold_meta", [
  Pure,
  TypesMatchWith<"the result has the type of previous", "previous", "result", "$_self">,
]> {
  let summary = "Put metadata into other registers than those of a product that runs.";
  let description = [{
    The result is the registers that `async_sparse_dot` gives to the hardware, a row a thread and
    a column a register. They are written when `meta` is there, and until then the registers of
    `previous` hold what they held. So a loop that carries the result of one product to the next
    but one has two sets of registers, in turns, and one product can run while the metadata of
    the next is loaded:

    ```mlir
    %even = sparsity24.hold_meta %meta, %last_even
        : tensor<64x4xi16, #meta>, tensor<128x1xi32, #registers>
    ```

    What keeps `previous` alive is that a thread takes it where the new metadata is all ones,
    which no legal metadata is, but compilers cannot know that.
  }];
  let arguments = (ins Sparsity24_Meta:$meta, Sparsity24_MetaRegisters:$previous);
  let results = (outs Sparsity24_MetaRegisters:$result);
  let assemblyFormat = "$meta `,` $previous attr-dict `:` type($meta) `,` type($previous)";
  let hasVerifier = 1;
}

def Sparsity24_CompressOp : Sparsity24_Op<"compress", [Pure]> {
  let summary = "Values and metadata of a 2:4 sparse matrix.";
  let description = [{
    An element is kept if any of its bits is set, so negative zero is kept, and
    `decompress(compress(x))` has the bits of `x`. Of a group with fewer than two such elements,
    zeros make up two values. A group with more than two is not 2:4 sparse; its first two are
    kept.
  }];
  let arguments = (ins Sparsity24_Operand:$dense);
  let results = (outs Sparsity24_Operand:$values, Sparsity24_Meta:$meta);
  let assemblyFormat = "$dense attr-dict `:` type($dense) `->` type($values) `,` type($meta)";
  let hasVerifier = 1;
}

def Sparsity24_DecompressOp : Sparsity24_Op<"decompress", [Pure]> {
  let summary = "The dense form of a 2:4 sparse matrix.";
  let description = [{
    What is not in `values` is positive zero.
  }];
  let arguments = (ins Sparsity24_Operand:$values, Sparsity24_Meta:$meta);
  let results = (outs Sparsity24_Operand:$dense);
  let assemblyFormat = "$values `,` $meta attr-dict `:` type($values) `,` type($meta) `->` type($dense)";
  let hasVerifier = 1;
}

#endif // SPARSITY24_OPS_TD
