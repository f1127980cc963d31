"""The loops of AMDGCN assembly, instruction by instruction.

`machine_code` counts a kernel's instructions; what a loop waits for, and when, is in their order:

    body = max(amdgcn_loops.innermost(kernel.asm["amdgcn"]), key=len)
    [instruction.waits for instruction in body if instruction.opcode == "s_waitcnt"]
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Instruction:
    """One instruction.

    Attributes:
        opcode: Its name, for example "buffer_load_dwordx4".
        operands: The text behind the name, without a comment.
    """

    opcode: str
    operands: str

    @property
    def is_mfma(self) -> bool:
        """Whether it is a matrix product."""
        return self.opcode.startswith(("v_mfma_", "v_smfmac_"))

    @property
    def is_global_load(self) -> bool:
        """Whether it reads global memory, into registers or LDS."""
        return re.match(r"(buffer|global)_load_", self.opcode) is not None

    @property
    def is_direct_to_lds(self) -> bool:
        """Whether it reads global memory into LDS."""
        text = f"{self.opcode} {self.operands}"
        return self.is_global_load and re.search(r"(_|\b)lds(_|\b)", text) is not None

    @property
    def waits(self) -> dict[str, int]:
        """How many memory accesses an s_waitcnt leaves in flight, by counter."""
        if self.opcode != "s_waitcnt":
            return {}
        found = re.findall(r"(vmcnt|lgkmcnt)\((\d+)\)", self.operands)
        return {counter: int(number) for counter, number in found}


def innermost(assembly: str) -> list[list[Instruction]]:
    """Returns the bodies of the innermost loops, in program order.

    A body reaches from the label that the compiler calls an inner loop's header to the last branch
    back to it.
    """
    lines = assembly.split("\n")
    bodies = []
    for start, line in enumerate(lines):
        label = re.match(r"(\.LBB\w+):", line)
        if label is None or "Inner Loop Header" not in _with_comments(lines, start):
            continue
        back = re.compile(rf"\s+s_c?branch\w*\s+{re.escape(label[1])}\b")
        ends = [i for i in range(start, len(lines)) if back.match(lines[i])]
        if ends:
            bodies.append(_instructions(lines[start : ends[-1] + 1]))
    return bodies


def _with_comments(lines: list[str], start: int) -> str:
    """A line with those behind it that are comments, where a block in several loops goes on."""
    end = start + 1
    while end < len(lines) and lines[end].lstrip().startswith(";"):
        end += 1
    return "".join(lines[start:end])


def _instructions(lines: list[str]) -> list[Instruction]:
    found = []
    for line in lines:
        if match := re.match(r"\s+([a-z]\w*)\s*([^;]*)", line):
            found.append(Instruction(match[1], match[2].strip()))
    return found
