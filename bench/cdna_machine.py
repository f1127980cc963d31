"""What CDNA3 and CDNA4 need for an instruction, in cycles of the shader clock.

docs/tlx_amd.md says where each figure is from.
"""

from __future__ import annotations

import dataclasses
import re

from triton_plugins.amdgcn_loops import Instruction

TURN = 4
LANES = 64
SIMDS = 4
# How many accesses the counters of s_waitcnt can tell apart.
LGKM_LIMIT, VM_LIMIT = 15, 63
# Cycles of the matrix cores, and those that the vector unit is held from a product's issue on: a
# turn, and another one where a lane's operand has 16 bytes. A shape is the same for all its types.
MFMA_CYCLES = {"16x16x16": 16, "32x32x8": 32, "16x16x32": 16, "32x32x16": 32}
MFMA_HOLDS = {"16x16x16": 4, "32x32x8": 4, "16x16x32": 8, "32x32x16": 8}
TRANSCENDENTAL = re.compile(r"v_(exp|log|rcp|rsq|sqrt|sin|cos)_")
# Arithmetic on pairs of float32 starts two turns after a product is over, or three if that held the
# vector unit for two, and no product starts beside it.
PAIR = re.compile(r"v_pk_(add|mul|fma|mov)_[fb]32")
PAIR_DELAY = TURN
# The issue port of each kind. Others (waits, s_nop, priorities) go without one.
PORTS = {"mfma": "vector", "vector": "vector", "pair": "vector"} | {
    kind: kind for kind in ("scalar", "lds", "memory", "branch")
}


@dataclasses.dataclass(frozen=True)
class Machine:
    """A GPU. All times are cycles of its shader clock.

    Attributes:
        name: What it is sold as.
        compute_units: How many it has.
        ghz: Its highest shader clock.
        lds_bytes: The size of a compute unit's LDS.
        lds_read: Bytes a cycle that LDS gives to two SIMDs, which share one of its two ports.
        lds_write: Bytes a cycle that it takes from them, addresses of stores included.
        lds_latency: From the issue of a read of 16 bytes a lane to its data, on an idle port.
        l1: Bytes a cycle of a compute unit's vector memory path.
        memory_latency: From the issue of a load to its data.
        barrier: From the arrival of the last wave at a barrier to the next issue.
        branch: From a taken branch to the next issue.
        transcendental: Of the vector unit, for an exponential or a reciprocal.
        dram: Bytes a second of its memory.
        l2: Bytes a cycle that all of its L2 caches give.
    """

    name: str
    compute_units: int
    ghz: float
    lds_bytes: int
    lds_read: int
    lds_latency: int
    dram: float
    lds_write: int = 64
    l1: int = 64
    memory_latency: int = 800
    barrier: int = 16
    branch: int = 16
    transcendental: int = 16
    l2: int = 8 * 2048


MACHINES = {
    "gfx942": Machine("MI300X", 304, 2.1, 64 * 1024, lds_read=64, lds_latency=64, dram=5.3e12),
    "gfx950": Machine(
        "MI355X", 256, 2.4, 160 * 1024, lds_read=128, lds_latency=69, dram=8.0e12, transcendental=8
    ),
}


@dataclasses.dataclass(frozen=True)
class Operation:
    """An instruction as the model sees it: how long it keeps its unit, and what it moves.

    A product keeps the matrix cores for `cycles`, and the vector unit for `holds`.
    """

    kind: str
    cycles: int = TURN
    holds: int = TURN
    size: int = 0
    to_lds: bool = False
    waits: dict[str, int] = dataclasses.field(default_factory=dict)
    number: int = 0


def _lane_bytes(opcode: str) -> int:
    """Bytes that a memory instruction moves for each lane."""
    if match := re.search(r"dword(?:x(\d))?", opcode):
        return 4 * int(match[1] or 1)
    if match := re.search(r"_[biuf](\d+)", opcode):
        return int(match[1]) // 8 * (2 if re.match(r"ds_(read|write)2", opcode) else 1)
    for name, count in (("byte", 1), ("short", 2)):
        if name in opcode:
            return count
    raise ValueError(f"{opcode}: not known how many bytes it moves")


def decode(one: Instruction, machine: Machine) -> Operation:
    """What an instruction needs.

    Raises:
        ValueError: It is not known.
    """
    opcode = one.opcode
    if opcode in ("s_barrier", "s_waitcnt", "s_setprio", "s_nop"):
        number = int(one.operands, 0) if opcode in ("s_setprio", "s_nop") else 0
        return Operation(opcode, waits=one.waits, number=number)
    if opcode.startswith(("s_cbranch", "s_branch")):
        return Operation("branch")
    if opcode.startswith("s_") and not opcode.startswith("s_load"):
        return Operation("scalar")
    if one.is_mfma:
        shape = re.search(r"\d+x\d+x\d+", opcode)
        if opcode.startswith("v_mfma") and shape and shape[0] in MFMA_CYCLES:
            return Operation("mfma", MFMA_CYCLES[shape[0]], MFMA_HOLDS[shape[0]])
    elif opcode.startswith("v_"):
        if PAIR.match(opcode):
            return Operation("pair")
        cycles = machine.transcendental if TRANSCENDENTAL.match(opcode) else TURN
        return Operation("vector", cycles)
    elif opcode.startswith("ds_"):
        size = LANES * _lane_bytes(opcode)
        if opcode.startswith("ds_write"):
            # Addresses of 4 bytes go through the same port as what is stored.
            return Operation("lds", (size + LANES * 4) // machine.lds_write, size=size)
        return Operation("lds", size // machine.lds_read, size=size)
    elif one.is_global_load:
        size = LANES * _lane_bytes(opcode)
        # Even the narrowest takes a turn for every 16 addresses.
        return Operation(
            "memory",
            max(size // machine.l1, LANES // 16 * TURN),
            size=size,
            to_lds=one.is_direct_to_lds,
        )
    raise ValueError(f"{opcode}: not in the model, which needs its unit and its cycles")
