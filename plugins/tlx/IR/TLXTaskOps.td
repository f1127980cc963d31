#ifndef TLX_TASKOPS_TD
#define TLX_TASKOPS_TD

include "plugins/tlx/IR/TLXOpBase.td"

class TLX_TaskRegionOp<string mnemonic, list<Trait> traits = []>
    : TLX_Op<mnemonic, traits # [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let regions = (region SizedRegion<1>:$body);
}

def TLX_AsyncTasksOp : TLX_TaskRegionOp<"async_tasks"> {
  let summary = "Run tasks on warps of their own, side by side.";
  let description = [{
    Holds the `async_task` ops, which start together; the op ends when all of them have. Values
    from outside may be used in a task. Tensors may not, since a tensor lies in the registers of
    the warps that made it, unless each warp can make its own, as constants and ranges.

    ```mlir
    tlx.async_tasks {
      tlx.async_task default { ... }
      tlx.async_task num_warps(4) registers(232) { ... }
    }
    ```

    `tlx-lower-tasks` makes it `ttg.warp_specialize`.
  }];
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins), "$_state.addRegion()->emplaceBlock();">];
  let assemblyFormat = "$body attr-dict";
}

def TLX_AsyncTaskOp : TLX_TaskRegionOp<"async_task"> {
  let summary = "What one group of warps runs.";
  let description = [{
    The default task runs on the warps that the kernel was launched with, any other on
    `num_warps` further warps. `registers` is how many registers each of its threads is to have
    (PTX ISA, "setmaxnreg": 24 to 256 in steps of 8).

    It stands directly in an `async_tasks`, which `tlx-lower-tasks` checks: Triton's frontend
    moves ops into branches after making them.

    `replica` numbers the copies of a task that was asked for several times.
  }];
  let arguments = (ins
    UnitAttr:$isDefault,
    OptionalAttr<I32Attr>:$numWarps,
    OptionalAttr<I32Attr>:$registers,
    OptionalAttr<I32Attr>:$firstWarp,
    DefaultValuedAttr<I32Attr, "0">:$replica
  );
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<
    (ins "bool":$isDefault, "::mlir::IntegerAttr":$numWarps, "::mlir::IntegerAttr":$registers,
         "::mlir::IntegerAttr":$firstWarp, "int32_t":$replica),
    [{
      auto &properties = $_state.getOrAddProperties<Properties>();
      if (isDefault)
        properties.isDefault = $_builder.getUnitAttr();
      properties.numWarps = numWarps;
      properties.registers = registers;
      properties.firstWarp = firstWarp;
      properties.replica = $_builder.getI32IntegerAttr(replica);
      $_state.addRegion()->emplaceBlock();
    }]
  >];
  let assemblyFormat = [{
    (`default` $isDefault^)? (`num_warps` `(` $numWarps^ `)`)? (`registers` `(` $registers^ `)`)?
    (`first_warp` `(` $firstWarp^ `)`)? $body attr-dict
  }];
  let hasVerifier = 1;
}

def TLX_TaskReplicaOp : TLX_Op<"task_replica", [Pure]> {
  let summary = "Which copy of its task this is.";
  let description = [{
    For functions that tasks call, which are made once for all of them. `tlx-lower-tasks` makes
    it a constant.
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

#endif // TLX_TASKOPS_TD
