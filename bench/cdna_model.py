"""An estimate of the cycles that a loop of AMDGCN takes on a compute unit of CDNA3 or CDNA4.

    body = max(amdgcn_loops.innermost(kernel.asm["amdgcn"]), key=len)
    cdna_model.estimate(body, cdna_machine.MACHINES["gfx950"], waves=8).mfma

The waves of a compute unit are followed instruction by instruction, in turns of four cycles: what a
SIMD of 16 lanes needs for a wave of 64. In a turn a wave issues at most one instruction, and a SIMD
at most one of each kind (vector, scalar, LDS, memory, branch), from different waves. Waits,
barriers, and priorities act as they are in the code. Registers are not looked at: the compiler has
put a wait or an s_nop in front of each use that needs one.

docs/tlx_amd.md says where each figure is from, and what is left out.
"""

from __future__ import annotations

import collections
import dataclasses
import heapq
from collections.abc import Sequence

from bench.cdna_machine import (
    LANES,
    LGKM_LIMIT,
    PAIR_DELAY,
    PORTS,
    SIMDS,
    TURN,
    VM_LIMIT,
    Machine,
    Operation,
    decode,
)
from triton_plugins.amdgcn_loops import Instruction


@dataclasses.dataclass(frozen=True)
class Estimate:
    """One pass through a loop, with all waves of a compute unit in it.

    Attributes:
        cycles: Of one pass of every wave.
        mfma: The share of them in which a SIMD's matrix cores work.
        vector: In which its vector unit works or a product is issued.
        lds: In which an LDS port is busy.
        memory: In which the vector memory path is busy.
        loaded: Bytes of global memory that the compute unit loads.
    """

    cycles: float
    mfma: float
    vector: float
    lds: float
    memory: float
    loaded: float


@dataclasses.dataclass
class _Wave:
    """Where a wave is: -1 is the barrier in front of the loop that the second half waits at."""

    simd: int
    block: int
    at: int
    ready: int = 0
    issued: int = -1
    priority: int = 0
    passes: int = 0
    lgkmcnt: list[int] = dataclasses.field(default_factory=list)
    vmcnt: list[int] = dataclasses.field(default_factory=list)


class _ComputeUnit:
    """The waves of a compute unit, and until when its units are busy."""

    def __init__(self, body: Sequence[Operation], machine: Machine, waves: list[_Wave]):
        self.body, self.machine, self.waves = body, machine, waves
        self.now = 0
        self.by_simd = [[w for w in waves if w.simd == simd] for simd in range(SIMDS)]
        self.blocks = [[w for w in waves if w.block == b] for b in {w.block for w in waves}]
        self.arrived: set[int] = set()
        self.vector_free = [0] * SIMDS
        self.matrix_free = [0] * SIMDS
        # How long the last product held the vector unit; 0 if a pair came behind it.
        self.held = [0] * SIMDS
        self.lds_free = [0, 0]
        self.memory_free = 0
        # Direct loads under way: when they reach LDS, at which port, and for how many cycles.
        self.direct: list[tuple[int, int, int]] = []
        self.busy = collections.Counter[str]()

    def turn(self) -> None:
        """Lets every wave issue, the older first among those of the same priority."""
        while self.direct and self.direct[0][0] <= self.now:
            _, port, cycles = heapq.heappop(self.direct)
            self._use_lds(port, cycles)
        for waves in self.by_simd:
            used: set[str] = set()
            for wave in sorted(waves, key=lambda wave: (-wave.priority, wave.issued)):
                self._issue(wave, used)
        for block in self.blocks:
            if all(id(wave) in self.arrived for wave in block):
                for wave in block:
                    self.arrived.remove(id(wave))
                    self._advance(wave, self.now + self.machine.barrier)
        self.now += TURN

    def _operation(self, wave: _Wave) -> Operation:
        return Operation("s_barrier") if wave.at < 0 else self.body[wave.at]

    def _advance(self, wave: _Wave, ready: int) -> None:
        wave.ready, wave.issued = ready, self.now
        wave.at += 1
        if wave.at == len(self.body):
            wave.at = 0
            wave.passes += 1

    def _use_lds(self, port: int, cycles: int) -> int:
        """Puts an access at the end of a port's queue; returns when it is through."""
        self.lds_free[port] = max(self.lds_free[port], self.now) + cycles
        self.busy["lds"] += cycles
        return self.lds_free[port]

    def _is_blocked(self, wave: _Wave, one: Operation, used: set[str]) -> bool:
        if PORTS.get(one.kind) in used:
            return True
        if one.kind in ("mfma", "vector", "pair") and self.vector_free[wave.simd] > self.now:
            return True
        if one.kind in ("mfma", "pair"):
            return self.matrix_free[wave.simd] > self.now
        if one.kind == "lds":
            return len(wave.lgkmcnt) >= LGKM_LIMIT
        return len(wave.vmcnt) > one.waits.get("vmcnt", VM_LIMIT) or len(
            wave.lgkmcnt
        ) > one.waits.get("lgkmcnt", LGKM_LIMIT)

    def _issue(self, wave: _Wave, used: set[str]) -> None:
        now, machine, simd = self.now, self.machine, wave.simd
        if wave.ready > now or id(wave) in self.arrived:
            return
        wave.lgkmcnt = [done for done in wave.lgkmcnt if done > now]
        wave.vmcnt = [done for done in wave.vmcnt if done > now]
        one = self._operation(wave)
        if self._is_blocked(wave, one, used):
            return
        if one.kind in PORTS:
            used.add(PORTS[one.kind])
        ready = now + TURN
        if one.kind == "s_barrier":
            self.arrived.add(id(wave))
            return
        if one.kind == "s_setprio":
            wave.priority = one.number
        elif one.kind == "s_nop":
            ready += TURN * one.number
        elif one.kind == "branch" and wave.at == len(self.body) - 1:
            # Those inside of the loop are around what a wave without lanes would skip.
            ready = now + machine.branch
        elif one.kind == "mfma":
            self.matrix_free[simd] = now + one.cycles
            self.vector_free[simd] = now + one.holds
            self.held[simd] = one.holds
            self.busy.update(mfma=one.cycles, vector=one.holds)
        elif one.kind in ("vector", "pair"):
            cycles = one.cycles
            if one.kind == "pair":
                if self.held[simd]:
                    cycles += PAIR_DELAY + self.held[simd]
                self.matrix_free[simd] = now + cycles
                self.held[simd] = 0
            self.vector_free[simd] = now + cycles
            self.busy.update(vector=cycles)
        elif one.kind == "lds":
            through = self._use_lds(simd // 2, one.cycles)
            # The latency is that of 16 bytes a lane, and has their transfer in it.
            wave.lgkmcnt.append(through + machine.lds_latency - LANES * 16 // machine.lds_read)
        elif one.kind == "memory":
            self.memory_free = max(self.memory_free, now) + one.cycles
            done = self.memory_free + machine.memory_latency
            wave.vmcnt.append(done)
            if one.to_lds:
                heapq.heappush(self.direct, (done, simd // 2, one.size // machine.lds_write))
            self.busy.update(memory=one.cycles, loaded=one.size)
        self._advance(wave, ready)


def estimate(
    body: Sequence[Instruction],
    machine: Machine,
    *,
    waves: int,
    blocks: int = 1,
    alternate: bool = False,
    passes: int = 8,
) -> Estimate:
    """Follows a loop until it repeats itself, and then measures it.

    Args:
        body: The loop's instructions; the last one is the branch back.
        machine: Where it runs.
        waves: How many a block has. Wave i runs on SIMD i % 4.
        blocks: How many are on a compute unit at once.
        alternate: Whether the second half of a block's waves is one barrier behind the first, as
            after `tlx.warp_pipeline_stage`.
        passes: How many are gone through before the measurement, and how many in it.

    Raises:
        ValueError: An instruction is not in the model.
    """
    everyone = [
        _Wave(simd=wave % SIMDS, block=block, at=-1 if alternate and wave >= waves // 2 else 0)
        for block in range(blocks)
        for wave in range(waves)
    ]
    unit = _ComputeUnit([decode(one, machine) for one in body], machine, everyone)
    while everyone[0].passes < passes:
        unit.turn()
    start, before = unit.now, unit.busy.copy()
    while everyone[0].passes < 2 * passes:
        unit.turn()
    cycles, busy = unit.now - start, unit.busy
    busy.subtract(before)
    return Estimate(
        cycles=cycles / passes,
        mfma=busy["mfma"] / (cycles * SIMDS),
        vector=busy["vector"] / (cycles * SIMDS),
        lds=busy["lds"] / (cycles * 2),
        memory=busy["memory"] / cycles,
        loaded=busy["loaded"] / passes,
    )
