"""Runs a block of an AMDGCN kernel on the CPU, as far as the examples need it.

    memory = Memory()
    a = memory.put(array)
    Block(kernel.asm["amdgcn"], memory, struct.pack("<Q", a), (0,), waves=8, lds_bytes=65536)

A wave goes on until a barrier, then the next one, in an order that is drawn. Memory accesses happen
as late as the code's waits allow, and registers that they will fill hold NaNs until then; with
`late=False` they happen at once. A wait or barrier that is missing shows in one or the other.
"""

from __future__ import annotations

import random
import re

import numpy as np

from examples.test.amdgcn import accesses, arithmetic
from examples.test.amdgcn.registers import LANES, Array, Registers


class Memory:
    """Global memory, which has nothing but the arrays that were put into it."""

    def __init__(self) -> None:
        self.base = 0x10000
        self.bytes = np.zeros(0, np.uint8)
        # Which bytes are an array's, not of a gap behind one.
        self.owned = np.zeros(0, bool)

    def put(self, array: Array) -> int:
        """Copies an array; returns its address, which is a multiple of 256."""
        address = self.base + len(self.bytes)
        data = np.frombuffer(array.tobytes(), np.uint8)
        gap = np.zeros(256 + -len(data) % 256, np.uint8)
        self.bytes = np.concatenate([self.bytes, data, gap])
        self.owned = np.concatenate([self.owned, np.ones(data.shape, bool), gap > 0])
        return address

    def get(self, address: int, like: Array) -> Array:
        """The array of `like`'s shape and dtype at an address."""
        start = address - self.base
        data = self.bytes[start : start + like.nbytes]
        return data.copy().view(like.dtype).reshape(like.shape)


class Block:
    """A block that has run.

    Attributes:
        lds: Its LDS, as bytes.
        accesses: For each access of a wave to LDS its instruction, the bytes of a lane, and the
            lanes' addresses.
    """

    def __init__(
        self,
        assembly: str,
        memory: Memory,
        arguments: bytes,
        program: tuple[int, ...],
        *,
        waves: int,
        lds_bytes: int,
        late: bool = True,
        seed: int = 0,
    ) -> None:
        """Runs the block.

        Args:
            assembly: The kernel.
            memory: What it reads and writes.
            arguments: The bytes of its arguments.
            program: Its number in each dimension of the grid.
            waves: How many it has.
            lds_bytes: How much LDS.
            late: Whether memory accesses happen as late as they can.
            seed: Of the order of the waves.

        Raises:
            NotImplementedError: An instruction is not known.
            IndexError: An access is outside of memory or LDS.
            RuntimeError: Some waves wait at a barrier when others have ended.
        """
        self.memory, self.arguments, self.late = memory, arguments, late
        self.lds = np.full(lds_bytes, 0xFF, np.uint8)
        self.accesses: list[tuple[str, int, Array]] = []
        self._code, self._labels = _parse(assembly)
        self._at = [0] * waves
        everyone = [_started(assembly, wave, program) for wave in range(waves)]
        order = random.Random(seed)
        while True:
            turns = order.sample(range(waves), waves)
            have_ended = {self._run(everyone[wave], wave) for wave in turns}
            if have_ended == {True}:
                break
            if len(have_ended) > 1:
                raise RuntimeError("some waves are at a barrier that others do not come to")

    def _run(self, wave: Registers, number: int) -> bool:
        """Goes on to the next barrier or the end; returns whether it is the end."""
        while True:
            opcode, args = self._code[self._at[number]]
            self._at[number] += 1
            op = re.sub(r"_e(32|64)$", "", opcode)
            if op == "s_barrier":
                return False
            if op == "s_endpgm":
                return True
            if op.startswith(("s_branch", "s_cbranch")):
                if _is_taken(wave, op):
                    self._at[number] = self._labels[args[0]]
            elif op == "s_waitcnt":
                for counter, left in re.findall(r"(vmcnt|lgkmcnt)\((\d+)\)", " ".join(args)):
                    wave.wait(counter, int(left))
            elif op.startswith("s_load_dword"):
                size = 4 * int(op.removeprefix("s_load_dword").removeprefix("x") or 1)
                start = wave.scalar(args[1]) + int(args[2], 0)
                data = self.arguments[start : start + size]
                wave.set_scalar(args[0], int.from_bytes(data, "little"))
            elif op.startswith("ds_"):
                accesses.lds(wave, self, op, args)
            elif op.startswith("buffer_"):
                accesses.buffer(wave, self, op, args)
            elif op.startswith("v_"):
                arithmetic.vector(wave, op[2:], args)
            elif op.startswith("s_"):
                if op not in ("s_nop", "s_setprio"):
                    arithmetic.scalar(wave, op[2:], args)
            else:
                raise NotImplementedError(op)


def _parse(assembly: str) -> tuple[list[tuple[str, list[str]]], dict[str, int]]:
    """The instructions, and which of them each label stands in front of."""
    code: list[tuple[str, list[str]]] = []
    labels = {}
    for line in assembly.split(".section\t.rodata")[0].split("\n"):
        line = line.split(";")[0].strip()
        if label := re.fullmatch(r"(\.LBB\w+):", line):
            labels[label[1]] = len(code)
        elif found := re.fullmatch(r"([a-z]\w+)(?:\s+(.*))?", line):
            code.append((found[1], re.findall(r"[^\s,\[]+(?:\[[^\]]*\])?", found[2] or "")))
    return code, labels


def _started(assembly: str, wave: int, program: tuple[int, ...]) -> Registers:
    """The registers that a wave starts with: arguments at 0, its program and its threads."""
    registers = Registers()
    registers.vector_registers[0] = LANES + 64 * wave

    def setting(name: str) -> int:
        return int(re.search(rf"\.amdhsa_{name} (\d+)", assembly)[1])

    # Two registers for each address that the kernel asks for; those of the arguments come third.
    first = 2 * sum(setting(f"user_sgpr_{name}") for name in ("dispatch_ptr", "queue_ptr"))
    registers.scalars[first : first + 2] = [0, 0]
    next_free = setting("user_sgpr_count")
    for axis, number in zip("xyz", (*program, 0, 0), strict=False):
        if setting(f"system_sgpr_workgroup_id_{axis}"):
            registers.scalars[next_free] = number
            next_free += 1
    return registers


def _is_taken(wave: Registers, op: str) -> bool:
    condition = op.rpartition("_")[2]
    if condition == "branch":
        return True
    if condition.startswith("scc"):
        return wave.scc == int(condition[-1])
    value = wave.exec if condition.startswith("exec") else wave.vcc
    return (value == 0) == condition.endswith(("execz", "vccz"))
