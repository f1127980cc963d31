#ifndef TLX_CLUSTEROPS_TD
#define TLX_CLUSTEROPS_TD

include "plugins/tlx/IR/TLXOpBase.td"

// Where an op names a block of the cluster, it does so by the block's rank (PTX ISA,
// "%cluster_ctarank").

def TLX_ClusterBarrierOp : TLX_Op<"cluster_barrier", [
  MemoryEffects<[MemRead<TLX_SharedMemory>, MemWrite<TLX_SharedMemory>]>,
]> {
  let summary = "Wait until all blocks of the cluster have come here.";
  let description = [{
    What any thread of the cluster wrote before it, all of them see behind it (PTX ISA,
    "barrier.cluster"). The hardware counts every thread of the cluster, so all warps of the
    kernel take part: it cannot stand in a task, and where it stands beside tasks
    `tlx-join-cluster-barriers` brings the tasks' warps to it.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def TLX_FenceMbarrierInitClusterOp : TLX_Op<"fence_mbarrier_init_cluster", [
  MemoryEffects<[MemRead<TLX_SharedMemory>, MemWrite<TLX_SharedMemory>]>,
]> {
  let summary = "Make new barriers known to the cluster.";
  let description = [{
    `fence.mbarrier_init.release.cluster` (PTX ISA, "fence"). The other blocks may use the barriers
    once a `cluster_barrier` follows.
  }];
  let assemblyFormat = "attr-dict";
}

def TLX_RemoteArriveOp : TLX_Op<"remote_arrive", [
  MemoryEffects<[MemRead<TLX_SharedMemory>, MemWrite<TLX_SharedMemory>]>,
]> {
  let summary = "Arrive at a barrier of another block of the cluster.";
  let description = [{
    Once all threads of the task have come here, one of them arrives `count` times at the barrier
    that block `rank` has at the same place as this block has `barrier` (PTX ISA, "mapa" and
    "mbarrier.arrive"). Whoever waits for the barrier sees what the task wrote before; with
    `relaxed` this is not so, and the arrival need not wait until those writes are done.

    With `warps`, which is the number of warps of the task, each warp arrives by itself, as in
    `barrier_arrive`.

    `tlx-lower` adds `predicate`, true in the warp that arrives.
  }];
  let arguments = (ins
    AnyTypeOf<[TLX_Barrier, TTG_MemDescType]>:$barrier,
    I32:$rank,
    I32Attr:$count,
    OptionalAttr<I32Attr>:$warps,
    UnitAttr:$relaxed,
    Optional<I1>:$predicate
  );
  let assemblyFormat = [{
    $barrier `at` $rank `,` $count (`relaxed` $relaxed^)? (`if` $predicate^)? attr-dict
    `:` type($barrier)
  }];
  let hasVerifier = 1;
}

def TLX_RemoteStoreOp : TLX_Op<"remote_store", [
  MemoryEffects<[MemRead<TLX_SharedMemory>, MemWrite<TLX_SharedMemory>]>,
]> {
  let summary = "Write a tensor into a buffer of another block of the cluster.";
  let description = [{
    The tensor goes to the place in block `rank` that `destination` has in this block (PTX ISA,
    "mapa" and "st"). The other block sees it behind a `cluster_barrier`, or behind a wait for a
    barrier at which this block arrived afterwards.

    With `barrier` the stores run on, and tell block `rank`'s barrier at the place of `barrier` of
    the bytes as they come (PTX ISA, "st.async"); there it must have been told by `barrier_expect`
    how many to wait for. What one thread stores at once then has 4 bytes or more.
  }];
  let arguments = (ins
    TT_Tensor:$value,
    AnyTypeOf<[TLX_Buffer, TTG_MemDescType]>:$destination,
    I32:$rank,
    Optional<AnyTypeOf<[TLX_Barrier, TTG_MemDescType]>>:$barrier
  );
  let assemblyFormat = [{
    $value `,` $destination `at` $rank (`,` $barrier^ `:` type($barrier))? attr-dict
    `:` type($value) `->` type($destination)
  }];
  let hasVerifier = 1;
}

def TLX_RemoteLoadOp : TLX_Op<"remote_load", [
  MemoryEffects<[MemRead<TLX_SharedMemory>, MemWrite<TLX_SharedMemory>]>,
]> {
  let summary = "Read a tensor from a buffer of another block of the cluster.";
  let description = [{
    Reads the place in block `rank` that `source` has in this block (PTX ISA, "mapa" and "ld").
  }];
  let arguments = (ins AnyTypeOf<[TLX_Buffer, TTG_MemDescType]>:$source, I32:$rank);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$source `at` $rank attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TLX_MulticastOp : TLX_Op<"multicast", [
  MemoryEffects<[MemRead<TLX_SharedMemory>, MemWrite<TLX_SharedMemory>]>,
]> {
  let summary = "Make a copy through a descriptor one to several blocks of the cluster.";
  let description = [{
    Stands between the predicate of a `ttng.async_tma_copy_global_to_local` and the copy, whose
    stock form has no place for the blocks: `targets` has a bit for each (PTX ISA,
    "cp.async.bulk.tensor", `.multicast::cluster`). `tlx-lower` makes it of an
    `async_descriptor_load` that names blocks, and `tlx-to-llvm` finds the copy's instructions by
    the predicate.
  }];
  let arguments = (ins I1:$predicate, I32:$targets);
  let results = (outs I1:$result);
  let assemblyFormat = "$predicate `to` $targets attr-dict";
}

#endif // TLX_CLUSTEROPS_TD
