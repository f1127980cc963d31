"""Estimates from machine code how busy the loops of the AMD examples keep the matrix cores.

python -m bench.amd_loops [--out FILE.json]

No GPU runs: the kernels are compiled, and bench/cdna_model.py follows what came out. The figures
are for judging a loop's schedule. What memory, power and other blocks do to it is not in them.
"""

from __future__ import annotations

import argparse
import bisect
import dataclasses
import datetime
import itertools
import json
import pathlib
import platform
import re
import sys
from collections.abc import Sequence
from typing import Any

import rich
import rich.table
import triton

import triton_plugins
from bench import cdna_model
from bench.cdna_machine import MACHINES, SIMDS, Machine
from examples import amd_attention_kernel, cdna4_gemm_kernel, gemm
from triton_plugins import amdgcn_loops, machine_code

# Of floating-point numbers, without products.
ARITHMETIC = re.compile(r"v_(exp|(pk_)?(fma|add|mul)_f32|fma_mix|max3?_f32|cvt|pack)")


@dataclasses.dataclass(frozen=True)
class Loop:
    """A kernel's main loop, and how a compute unit is filled with waves of it."""

    body: Sequence[amdgcn_loops.Instruction]
    waves: int
    blocks: int
    alternate: bool

    def estimate(self, machine: Machine) -> cdna_model.Estimate:
        """What a pass takes on a machine."""
        return cdna_model.estimate(
            self.body,
            machine,
            waves=self.waves,
            blocks=self.blocks,
            alternate=self.alternate,
        )

    def limit(self, machine: Machine) -> float:
        """The highest share of cycles for the matrix cores that the arithmetic leaves.

        Products, exponentials, and what is added, multiplied and converted are counted, and run
        beside each other as well as they can; addresses, masks, waits, LDS and memory are not.
        """
        operations = [cdna_model.decode(one, machine) for one in self.body]
        matrix = sum(one.cycles for one in operations if one.kind == "mfma")
        vector = sum(one.holds for one in operations if one.kind == "mfma") + sum(
            operation.cycles
            for operation, one in zip(operations, self.body, strict=True)
            if ARITHMETIC.match(one.opcode)
        )
        return matrix / max(matrix, vector)


def compile_gemm(arch: str, dtype: str = "float16") -> Any:
    """Compiles the GEMM for large matrices that are contiguous and aligned."""
    problem = argparse.Namespace(m=4096, n=4096, k=4096, dtype=dtype)
    return gemm.compile_for(gemm.TARGETS[arch], problem)


def compile_split_gemm(constants: dict[str, int], columns: bool = False) -> Any:
    """Compiles gfx950's GEMM for a part of K, with B stored by rows or by columns."""
    types = gemm.signature(512, 512, 512, "float16") | {"stride_cs": "i32:16", "c_ptr": "*fp32:16"}
    ones = {"stride_ak": 1, "stride_cn": 1, "stride_bk" if columns else "stride_bn": 1}
    if columns:
        types["stride_bn"] = types.pop("stride_bk")
    return triton_plugins.compile(
        cdna4_gemm_kernel.cdna4_gemm,
        signature=types,
        constexprs=ones | constants | {"SPLIT_K": 4},
        target="gfx950",
        options=cdna4_gemm_kernel.OPTIONS,
    )


def compile_attention(arch: str, head_dim: int, causal: bool = False, dtype: str = "fp16") -> Any:
    """Compiles attention for tensors that are contiguous and aligned."""
    attention, constants, options = amd_attention_kernel.settings(arch, head_dim)
    pointers = dict.fromkeys(("q_ptr", "k_ptr", "v_ptr", "o_ptr"), f"*{dtype}:16")
    lengths = dict.fromkeys(("Q_LEN", "KV_LEN", "heads", "programs"), "i32") | {"scale": "fp32"}
    rows = {"q": "m", "k": "n", "v": "n", "o": "m"}
    strides = {
        f"stride_{tensor}{dim}": "i32:16" for tensor in rows for dim in ("b", "h", rows[tensor])
    }
    return triton_plugins.compile(
        attention,
        signature=pointers | lengths | strides,
        constexprs={"CAUSAL": causal, "HEADS_PER_KV": 1} | constants,
        target=arch,
        options=options,
    )


def main_loop(kernel: Any, machine: Machine) -> Loop:
    """The first innermost loop with products, with as many blocks as registers and LDS allow."""
    resources = machine_code.inspect(kernel).resources
    waves = kernel.metadata.num_warps
    return Loop(
        next(
            body
            for body in amdgcn_loops.innermost(kernel.asm["amdgcn"])
            if any(one.is_mfma for one in body)
        ),
        waves,
        min(
            resources.occupancy * SIMDS // waves,
            machine.lds_bytes // max(resources.shared_bytes, 1),
        ),
        "triton.warp_pipeline.pipelined_for" in kernel.asm["ttgir"],
    )


def with_slow_barriers(machine: Machine) -> Machine:
    """The machine with barriers that take four times as long, since no document has their time."""
    return dataclasses.replace(machine, barrier=4 * machine.barrier)


def with_slow_lds(machine: Machine) -> Machine:
    """The machine with LDS that is read at half its speed and twice its latency."""
    return dataclasses.replace(
        machine, lds_read=machine.lds_read // 2, lds_latency=2 * machine.lds_latency
    )


def with_slow_exponentials(machine: Machine) -> Machine:
    """The machine with exponentials as slow as CDNA3's, whatever was found of CDNA4's."""
    return dataclasses.replace(machine, transcendental=MACHINES["gfx942"].transcendental)


def hidden_latency(loop: Loop, machine: Machine) -> int:
    """The highest latency of memory, in hundreds of cycles, that costs the loop less than 2 %."""

    def cycles(latency: int) -> float:
        return loop.estimate(dataclasses.replace(machine, memory_latency=latency)).cycles

    limit = 1.02 * cycles(0)
    latencies = range(0, 5000, 100)
    costs = bisect.bisect_left(latencies, True, key=lambda latency: cycles(latency) >= limit)
    return latencies[costs - 1]


def measure(kernel: Any, name: str, arch: str, blocks: int | None = None) -> dict[str, Any]:
    """All figures of one kernel, of which as many blocks run at once as fit, or `blocks`."""
    machine = MACHINES[arch]
    loop = main_loop(kernel, machine)
    loop = dataclasses.replace(loop, blocks=blocks or loop.blocks)
    found = loop.estimate(machine)
    per_cycle = found.loaded / found.cycles
    return {
        "kernel": name,
        "arch": arch,
        "waves": loop.waves,
        "blocks_on_a_compute_unit": loop.blocks,
        "cycles": found.cycles,
        "mfma": round(found.mfma, 3),
        "limit_by_arithmetic": round(loop.limit(machine), 3),
        "mfma_with_slow_exponentials": round(
            loop.estimate(with_slow_exponentials(machine)).mfma, 3
        ),
        "limit_with_slow_exponentials": round(loop.limit(with_slow_exponentials(machine)), 3),
        "mfma_with_slow_barriers": round(loop.estimate(with_slow_barriers(machine)).mfma, 3),
        "mfma_with_slow_lds": round(loop.estimate(with_slow_lds(machine)).mfma, 3),
        "vector": round(found.vector, 3),
        "lds": round(found.lds, 3),
        "memory_path": round(found.memory, 3),
        "hidden_latency": hidden_latency(loop, machine),
        "loaded_bytes_per_cycle": round(per_cycle, 1),
        "share_of_l2": round(per_cycle * machine.compute_units / machine.l2, 3),
        "share_of_dram_without_caches": round(
            per_cycle * machine.compute_units * machine.ghz * 1e9 / machine.dram, 2
        ),
    }


COLUMNS = {
    "kernel": "kernel",
    "arch": "GPU",
    "cycles": "cycles a pass",
    "mfma": "matrix cores",
    "limit_by_arithmetic": "its limit",
    "mfma_with_slow_exponentials": "slow exp",
    "limit_with_slow_exponentials": "its limit",
    "mfma_with_slow_barriers": "slow barriers",
    "mfma_with_slow_lds": "slow LDS",
    "vector": "vector unit",
    "lds": "LDS",
    "memory_path": "memory path",
    "hidden_latency": "hidden latency",
    "loaded_bytes_per_cycle": "bytes a cycle",
    "share_of_l2": "of L2",
    "share_of_dram_without_caches": "of DRAM, no hits",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Compiles, estimates, prints the table and writes the JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=pathlib.Path, help="where the JSON goes")
    args = parser.parse_args(argv)
    results = []
    for arch in MACHINES:
        results.append(measure(compile_gemm(arch), "GEMM", arch))
        for head_dim, dtype in itertools.product(amd_attention_kernel.PARTS, ("fp16", "bf16")):
            kernel = compile_attention(arch, head_dim, dtype=dtype)
            results.append(measure(kernel, f"attention, head_dim {head_dim}, {dtype}", arch))
    for constants in (cdna4_gemm_kernel.SMALL_CONSTANTS, cdna4_gemm_kernel.SHORT_CONSTANTS):
        kernel = compile_split_gemm(constants)
        name = f"GEMM, tiles of {constants['BM']} x {constants['BN']}"
        results.append(measure(kernel, name, "gfx950", blocks=1))
    table = rich.table.Table(*COLUMNS.values(), title="Estimates from machine code; no GPU ran")
    for result in results:
        table.add_row(*(str(result[key]) for key in COLUMNS))
    rich.print(table)
    if args.out:
        document = {
            "benchmark": "amd_loops",
            "what": "estimates from machine code; no GPU ran",
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "command": f"python -m bench.amd_loops --out {args.out}",
            "versions": {"python": platform.python_version(), "triton": triton.__version__},
            "machines": {arch: dataclasses.asdict(machine) for arch, machine in MACHINES.items()},
            "results": results,
        }
        args.out.write_text(json.dumps(document, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
