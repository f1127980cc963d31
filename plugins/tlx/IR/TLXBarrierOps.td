#ifndef TLX_BARRIEROPS_TD
#define TLX_BARRIEROPS_TD

include "plugins/tlx/IR/TLXOpBase.td"

def TLX_AllocBarriersOp : TLX_Op<"alloc_barriers"> {
  let summary = "Allocate barriers in shared memory and make them ready.";
  let description = [{
    Each barrier is an mbarrier (PTX ISA, "mbarrier"): a phase ends once `arriveCount`
    arrivals have come and all bytes that were announced have been copied. The barriers
    keep their slots until the kernel ends, whatever else ends before, since copies and
    other tasks may still signal them.

    ```mlir
    %full = tlx.alloc_barriers 1 : !tlx.buffer<3x1xi64>
    %first = tlx.local_view %full[%zero] : !tlx.buffer<3x1xi64> -> !tlx.buffer<1xi64>
    ```
  }];
  let arguments = (ins I32Attr:$arriveCount);
  let results = (outs Res<TLX_Buffer, "", [MemAlloc<TLX_SharedMemory>]>:$result);
  let assemblyFormat = "$arriveCount attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TLX_BarrierWaitOp : TLX_Op<"barrier_wait"> {
  let summary = "Wait until a barrier has ended the phase of a parity.";
  let description = [{
    A new barrier is in phase 0. Waiting with phase 1 returns at once, since the phase before
    the first counts as ended. Every thread of the task waits.
  }];
  let arguments = (ins
    Arg<TLX_Barrier, "", [MemRead<TLX_SharedMemory>, MemWrite<TLX_SharedMemory>]>:$barrier,
    I32:$phase,
    Optional<I1>:$predicate
  );
  let assemblyFormat = [{
    $barrier `,` $phase (`if` $predicate^)? attr-dict `:` type($barrier)
  }];
}

def TLX_BarrierArriveOp : TLX_Op<"barrier_arrive"> {
  let summary = "Arrive at a barrier.";
  let description = [{
    Once all threads of the task have come here, one of them arrives `count` times: what any
    of them has read or written before is done when the barrier's phase ends.

    With `warps`, which is the number of warps of the task, none waits for the others: each
    warp arrives `count` times once its own threads have come here.
  }];
  let arguments = (ins
    Arg<TLX_Barrier, "", [MemRead<TLX_SharedMemory>, MemWrite<TLX_SharedMemory>]>:$barrier,
    I32Attr:$count,
    OptionalAttr<I32Attr>:$warps
  );
  let assemblyFormat = "$barrier `,` $count attr-dict `:` type($barrier)";
  let hasVerifier = 1;
}

def TLX_BarrierExpectOp : TLX_Op<"barrier_expect"> {
  let summary = "Arrive at a barrier and announce bytes that copies will bring.";
  let description = [{
    The barrier's phase does not end before copies that signal it have brought `bytes` bytes.
    Counts as one arrival.
  }];
  let arguments = (ins
    Arg<TLX_Barrier, "", [MemRead<TLX_SharedMemory>, MemWrite<TLX_SharedMemory>]>:$barrier,
    I32Attr:$bytes,
    Optional<I1>:$predicate
  );
  let assemblyFormat = [{
    $barrier `,` $bytes (`if` $predicate^)? attr-dict `:` type($barrier)
  }];
  let hasVerifier = 1;
}

def TLX_FenceAsyncSharedOp : TLX_Op<"fence_async_shared", [
  MemoryEffects<[MemRead<TLX_SharedMemory>, MemWrite<TLX_SharedMemory>]>,
]> {
  let summary = "Make writes to shared memory visible to asynchronous copies.";
  let description = [{
    `fence.proxy.async.shared::cta` (PTX ISA, "Async proxy").
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TLX_BARRIEROPS_TD
