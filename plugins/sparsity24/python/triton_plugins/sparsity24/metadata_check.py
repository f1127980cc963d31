"""Checks in machine code that nothing writes a register while a product reads metadata from it.

`wgmma.mma_async.sp` reads the register of its metadata while it runs, and ptxas does not know: it
may take the register for something else as soon as the product has started.
`sparsity24_overlap_dots` makes loops in which it has no reason to, and this makes sure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from triton_plugins import machine_code

# Groups of products that may be under way are told apart up to this number.
_OLDEST = 8


@dataclass(frozen=True)
class _Instruction:
    """One instruction of SASS, as far as registers of metadata depend on it."""

    address: str
    text: str
    # Registers that it writes.
    writes: frozenset[int]
    # The register of a sparse product's metadata.
    metadata: int | None
    # It ends a group of products.
    commits: bool
    # It waits until so many groups are left.
    leaves: int | None
    label: str | None
    falls_through: bool


def check(cubin: bytes) -> bytes:
    """Looks at the SASS of a kernel, with nvdisasm.

    Args:
        cubin: What ptxas made.

    Returns:
        The same cubin.

    Raises:
        RuntimeError: An instruction writes metadata that a product may still read.
    """
    for problem in find_overwritten(machine_code.disassemble(cubin)):
        raise RuntimeError(
            f"ptxas reuses a register of metadata that a sparse product still reads: {problem}. "
            "The result would be wrong. Compile the kernel with another ptxas "
            "(TRITON_PTXAS_PATH), or without the pass that leaves a product running: "
            "with sp.PIPELINE.disable('ttgir', 'sparsity24_overlap_dots'): ..."
        )
    return cubin


def find_overwritten(sass: str) -> Iterator[str]:
    """Finds instructions that write metadata of products that no wait has ended yet.

    Args:
        sass: What `nvdisasm -c` prints.

    Yields:
        Each such instruction and its address.
    """
    instructions, labels = _parse(sass)
    # Before each instruction: metadata that is being read, with the groups since, at the least.
    before: list[dict[int, int] | None] = [None] * len(instructions)
    todo = [(index, dict[int, int]()) for name, index in labels.items() if ".text" in name]
    while todo:
        index, reading = todo.pop()
        known = before[index]
        if known is not None:
            merged = reading | {r: min(age, reading.get(r, age)) for r, age in known.items()}
            if merged == known:
                continue
            reading = merged
        before[index] = reading
        instruction = instructions[index]
        after = _step(instruction, reading)
        if instruction.label is not None:
            todo.append((labels[instruction.label], after))
        if instruction.falls_through and index + 1 < len(instructions):
            todo.append((index + 1, after))
    for instruction, reading in zip(instructions, before, strict=True):
        if reading and instruction.writes & reading.keys():
            yield f"{instruction.text} at {instruction.address}"


def _step(instruction: _Instruction, reading: dict[int, int]) -> dict[int, int]:
    after = dict(reading)
    if instruction.metadata is not None:
        after[instruction.metadata] = 0
    if instruction.commits:
        after = {register: min(age + 1, _OLDEST) for register, age in after.items()}
    if instruction.leaves is not None:
        # Age 0 is a group that no instruction has ended.
        after = {register: age for register, age in after.items() if age <= instruction.leaves}
    return after


def _parse(sass: str) -> tuple[list[_Instruction], dict[str, int]]:
    instructions: list[_Instruction] = []
    labels: dict[str, int] = {}
    for line in sass.splitlines():
        if label := re.match(r"\s*(\.L\w+|\.text\S*):", line):
            labels[label[1]] = len(instructions)
        elif code := re.match(r"\s+/\*(\w{4,})\*/\s+(.*?)\s*;", line):
            instructions.append(_instruction(code[1], code[2]))
    return instructions, labels


def _instruction(address: str, text: str) -> _Instruction:
    predicated = text.startswith("@")
    opcode, _, rest = re.sub(r"^@\S+\s+", "", text).partition(" ")
    operands = [operand.strip() for operand in rest.split(",")]
    name, *modifiers = opcode.split(".")
    metadata = leaves = label = None
    if name == "HGMMA" and "SP" in modifiers:
        metadata = int([o for o in operands if re.fullmatch(r"R\d+", o)][-1][1:])
    if opcode == "WARPGROUP.DEPBAR.LE":
        leaves = int(operands[1], 0)
    if branch := re.search(r"`\((\.L\w+)\)", rest):
        label = branch[1]
    return _Instruction(
        address=f"0x{address}",
        text=text,
        writes=_writes(name, modifiers, operands),
        metadata=metadata,
        commits=name == "HGMMA" and "gsb0" in operands,
        leaves=leaves,
        label=label if name in ("BRA", "BSSY") else None,
        falls_through=predicated or name not in ("BRA", "EXIT") or "," in rest,
    )


def _writes(name: str, modifiers: list[str], operands: list[str]) -> frozenset[int]:
    if name.endswith("SETP"):
        return frozenset()
    # Predicates that an instruction writes come first.
    result = next((o for o in operands if not re.fullmatch(r"!?U?P(T|\d)", o)), "")
    register = re.fullmatch(r"R(\d+)(?:\.\w+)*", result)
    if not register:
        return frozenset()
    # How many registers: what is not known to write fewer counts as writing more.
    width = 1
    if name == "HGMMA":
        shape = next(m for m in modifiers if "x" in m)
        width = int(shape.split("x")[1]) // (2 if "F32" in modifiers else 4)
    elif {"128", "4"} & set(modifiers) or name.endswith("MMA"):
        width = 4
    elif (
        {"64", "WIDE", "F64", "2"} & set(modifiers)
        or name in ("DADD", "DFMA", "DMUL")
        or (name == "CS2R" and "32" not in modifiers)
    ):
        width = 2
    first = int(register[1])
    return frozenset(range(first, first + width))
