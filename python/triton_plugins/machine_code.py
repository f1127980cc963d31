"""What a compiled kernel's machine code holds: instructions, waits, registers, spills.

A test or a report asks for a summary of a `CompiledKernel` and reads numbers instead of searching
assembly:

    code = machine_code.inspect(kernel)
    code.final.count(r"HGMMA\\.64x256x16.*")   # opcodes of the code that runs (SASS or AMDGCN)
    code.ptx.waits["cp.async"]                # (1, 0): the groups each wait leaves in flight
    code.resources.spills
"""

from __future__ import annotations

import collections
import dataclasses
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

# (what a report calls the class, opcode pattern). The first match wins; an opcode that matches none
# belongs to no class. A name may refer to the pattern's groups.
_PTX_CLASSES = (
    (r"wgmma \1", r"wgmma\.mma_async\.(?:sp\.)?sync\.aligned\.(m\d+n\d+k\d+).*"),
    (r"mma \1", r"mma\.sync\.aligned\.(m\d+n\d+k\d+).*"),
    (r"cp.async \1 B", r"cp\.async\.c[ag]\.\S+ (\d+)"),
    (r"TMA load", r"cp\.async\.bulk\.(?:tensor\S*|prefetch\S*)?\.?shared::c\S*\.global.*"),
    (r"TMA store", r"cp\.async\.bulk\.\S*global\.shared::cta.*|cp\.reduce\.async\.bulk.*"),
    (r"mbarrier", r"mbarrier\..*"),
    (r"barrier", r"(?:bar|barrier)\..*"),
    (r"ldmatrix", r"ldmatrix\..*"),
    (r"stmatrix", r"stmatrix\..*"),
    (r"ld.\1", r"ld\.(?:\S+\.)?(shared|global|local)\b.*"),
    (r"st.\1", r"st\.(?:\S+\.)?(shared|global|local)\b.*"),
    (r"setmaxnreg", r"setmaxnreg\..*"),
)
_SASS_CLASSES = (
    (r"wgmma m\1n\2k\3", r"[HQIB]GMMA(?:\.SP)?\.(\d+)x(\d+)x(\d+).*"),
    (r"mma", r"[HQID]MMA\..*"),
    (r"cp.async 16 B", r"LDGSTS\..*\b128\b.*"),
    (r"cp.async 8 B", r"LDGSTS\..*\b64\b.*"),
    (r"cp.async 4 B", r"LDGSTS\b.*"),
    (r"TMA load", r"UTMALDG\b.*|UBLKCP\b.*"),
    (r"TMA store", r"UTMA(?:STG|REDG)\b.*"),
    (r"mbarrier", r"SYNCS\b.*"),
    (r"barrier", r"BAR\..*"),
    (r"ldmatrix", r"LDSM\b.*"),
    (r"stmatrix", r"STSM\b.*"),
    (r"ld.shared", r"LDS\b.*"),
    (r"st.shared", r"STS\b.*"),
    (r"ld.global", r"LDG\b.*"),
    (r"st.global", r"STG\b.*"),
    (r"ld.local (spill)", r"LDL\b.*"),
    (r"st.local (spill)", r"STL\b.*"),
    (r"setmaxnreg", r"USETMAXREG\b.*"),
)
_AMDGCN_CLASSES = (
    (r"\1", r"(v_s?mfma[ci]?_\w+)"),
    (r"direct-to-LDS \1", r"(?:global|buffer)_load_lds_(\w+)"),
    (r"direct-to-LDS \1", r"buffer_load_(\w+) lds"),
    (r"\1", r"((?:ds|global|buffer)_(?:read|write|load|store)\w*)"),
    (r"scratch (spill)", r"scratch_(?:load|store)\w*"),
    (r"s_waitcnt", r"s_waitcnt\w*"),
    (r"s_barrier", r"s_barrier\w*"),
)


@dataclasses.dataclass(frozen=True)
class Listing:
    """The instructions of one assembly text.

    Attributes:
        language: "ptx", "sass" or "amdgcn".
        opcodes: How often each opcode occurs. What it leaves out but a reader needs comes after a
            space: the bytes of a PTX cp.async ("cp.async.cg.shared.global 16"), the "lds" of an
            AMD buffer load.
        waits: How many may still be in flight after each wait, in program order, by what is waited
            for: "cp.async" and "wgmma" (groups), "vmcnt" and "lgkmcnt" (AMD's counters). SASS has
            one wait for cp.async and for stores by TMA.
    """

    language: str
    opcodes: Mapping[str, int]
    waits: Mapping[str, tuple[int, ...]]

    def count(self, pattern: str) -> int:
        """How many instructions have an opcode that the whole of a regular expression matches."""
        regex = re.compile(pattern)
        return sum(n for opcode, n in self.opcodes.items() if regex.fullmatch(opcode))

    def classes(self) -> dict[str, int]:
        """How many instructions there are of each class, in a fixed order."""
        counts: dict[str, int] = {}
        left = dict(self.opcodes)
        for name, pattern in _CLASSES[self.language]:
            regex = re.compile(pattern)
            for opcode in sorted(left):
                if match := regex.fullmatch(opcode):
                    key = match.expand(name)
                    counts[key] = counts.get(key, 0) + left.pop(opcode)
        return counts


@dataclasses.dataclass(frozen=True)
class Resources:
    """What one thread or one block of the kernel takes.

    Attributes:
        registers: 32-bit vector registers a thread; on AMD with the accumulation registers.
        shared_bytes: Shared memory (LDS) that a block asks for at launch.
        spills: Loads and stores of local memory in the SASS; on AMD the vector and scalar registers
            that were spilled.
        stack_bytes: Local (scratch) memory a thread.
        agprs: AMD's accumulation registers, which `registers` counts too.
        sgprs: AMD's scalar registers a wave.
        occupancy: Waves a SIMD as AMD's assembler states it, from the registers but not the LDS.
        sources: Where these numbers were read.
    """

    registers: int
    shared_bytes: int
    spills: int
    stack_bytes: int
    agprs: int | None = None
    sgprs: int | None = None
    occupancy: int | None = None
    sources: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class MachineCode:
    """The summary of one compiled kernel. `ptx` and `sass` are None on AMD, `amdgcn` on NVIDIA."""

    kernel: str
    target: str
    resources: Resources
    ptx: Listing | None = None
    sass: Listing | None = None
    amdgcn: Listing | None = None

    @property
    def final(self) -> Listing:
        """The listing of the code that the processor runs: SASS or AMDGCN."""
        listing = self.sass or self.amdgcn
        assert listing is not None
        return listing


def inspect(kernel: Any) -> MachineCode:
    """Summarizes a `triton.compiler.CompiledKernel`.

    Args:
        kernel: What `triton.compile`, `triton_plugins.compile` or a kernel's `warmup` returned.

    Raises:
        ValueError: the kernel holds neither a cubin nor AMDGCN.
        RuntimeError: the disassembler failed.
    """
    metadata = kernel.metadata
    if "cubin" in kernel.asm:
        return inspect_nvidia(
            kernel.asm["ptx"], kernel.asm["cubin"], shared_bytes=metadata.shared, name=metadata.name
        )
    if "amdgcn" in kernel.asm:
        return inspect_amd(kernel.asm["amdgcn"], shared_bytes=metadata.shared)
    raise ValueError(
        f"kernel {metadata.name} holds {', '.join(kernel.asm)}, but a summary needs a cubin or "
        "AMDGCN; compile it for an NVIDIA or AMD target with no stage left out"
    )


def inspect_nvidia(ptx: str, cubin: bytes, *, shared_bytes: int, name: str) -> MachineCode:
    """Summarizes the PTX and cubin of one kernel."""
    usage = _run_on_cubin("cuobjdump", cubin, "-res-usage")
    match = re.search(rf"Function {re.escape(name)}:\s+REG:(\d+) STACK:(\d+)", usage)
    target = re.search(r"^\.target (\w+)", ptx, re.MULTILINE)
    if match is None or target is None:
        raise RuntimeError(
            f"neither cuobjdump -res-usage nor the PTX tells about kernel {name}:\n{usage}"
        )
    sass = sass_listing(disassemble(cubin))
    resources = Resources(
        registers=int(match[1]),
        shared_bytes=shared_bytes,
        spills=sass.count(r"(LDL|STL)\b.*"),
        stack_bytes=int(match[2]),
        sources={
            "registers, stack_bytes": "cuobjdump -res-usage",
            "shared_bytes": "Triton's metadata",
            "spills": "LDL and STL in the SASS",
        },
    )
    return MachineCode(name, target[1], resources, ptx=ptx_listing(ptx), sass=sass)


def inspect_amd(amdgcn: str, *, shared_bytes: int) -> MachineCode:
    """Summarizes the AMDGCN assembly of one kernel."""

    def metadata(key: str) -> int:
        match = re.search(rf"^[ -]+\.{key}:\s+(\d+)$", amdgcn, re.MULTILINE)
        if match is None:
            raise ValueError(f"the AMDGCN text has no .{key} in its .amdgpu_metadata")
        return int(match[1])

    target = re.search(r'\.amdgcn_target "[^"]*-(gfx\w+)', amdgcn)
    name = re.search(r"^\s+\.amdhsa_kernel (\S+)", amdgcn, re.MULTILINE)
    if target is None or name is None:
        raise ValueError(
            "the AMDGCN text names no target or no kernel (.amdgcn_target, .amdhsa_kernel)"
        )
    occupancy = re.search(r"^; Occupancy: (\d+)", amdgcn, re.MULTILINE)
    resources = Resources(
        registers=metadata("vgpr_count"),
        shared_bytes=shared_bytes,
        spills=metadata("vgpr_spill_count") + metadata("sgpr_spill_count"),
        stack_bytes=metadata("private_segment_fixed_size"),
        agprs=metadata("agpr_count"),
        sgprs=metadata("sgpr_count"),
        occupancy=int(occupancy[1]) if occupancy else None,
        sources={
            "registers, agprs, sgprs, spills, stack_bytes": ".amdgpu_metadata",
            "shared_bytes": "Triton's metadata",
            "occupancy": "the assembler's kernel info comment",
        },
    )
    return MachineCode(name[1], target[1], resources, amdgcn=amdgcn_listing(amdgcn))


def ptx_listing(text: str) -> Listing:
    """Counts the instructions of a PTX text."""
    waits = {
        "cp.async": _numbers(text, r"cp\.async\.wait_group\s+(\d+)"),
        "wgmma": _numbers(text, r"wgmma\.wait_group\.sync\.aligned\s+(\d+)"),
    }

    def opcodes() -> Iterator[str]:
        for opcode, operands in re.findall(
            r"^\s*(?:@!?[\w$%]+\s+)?([a-z][\w.:]*)\b(.*);", text, re.MULTILINE
        ):
            if opcode.startswith(("cp.async.ca.", "cp.async.cg.")):
                size = re.search(r"\],\s*(0x[0-9a-f]+|\d+)", operands)
                opcode += f" {int(size[1], 0)}" if size else ""
            yield opcode

    return Listing("ptx", _tally(opcodes()), waits)


def sass_listing(text: str) -> Listing:
    """Counts the instructions of SASS as nvdisasm prints it."""
    opcodes = re.findall(
        r"^\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", text, re.MULTILINE
    )
    waits = {
        "cp.async": _numbers(text, r"\sDEPBAR\.LE SB0, (0x[0-9a-f]+)"),
        "wgmma": _numbers(text, r"WARPGROUP\.DEPBAR\.LE gsb0, (0x[0-9a-f]+)"),
    }
    return Listing("sass", _tally(opcodes), waits)


def amdgcn_listing(text: str) -> Listing:
    """Counts the instructions of an AMDGCN assembly text."""
    # After the kernel's own section come metadata and debug sections, whose lines are no
    # instructions.
    body = text.split(".section\t.rodata")[0]

    def opcodes() -> Iterator[str]:
        for opcode, operands in re.findall(r"^\s+([a-z]\w*)\b(.*)$", body, re.MULTILINE):
            yield f"{opcode} lds" if re.search(r"\slds\b", operands.split(";")[0]) else opcode

    waits = {
        counter: _numbers(body, rf"s_waitcnt.*\b{counter}\((\d+)\)")
        for counter in ("vmcnt", "lgkmcnt")
    }
    return Listing("amdgcn", _tally(opcodes()), waits)


def disassemble(cubin: bytes) -> str:
    """The SASS of a cubin, from the nvdisasm in the wheel or in TRITON_NVDISASM_PATH."""
    return _run_on_cubin("nvdisasm", cubin, "-c")


_CLASSES = {"ptx": _PTX_CLASSES, "sass": _SASS_CLASSES, "amdgcn": _AMDGCN_CLASSES}


def _tally(opcodes: Iterable[str]) -> dict[str, int]:
    return dict(sorted(collections.Counter(opcodes).items()))


def _numbers(text: str, pattern: str) -> tuple[int, ...]:
    return tuple(int(number, 0) for number in re.findall(pattern, text))


def _run_on_cubin(tool: str, cubin: bytes, option: str) -> str:
    # Only this needs the wheel; the text functions above work without one.
    from triton import knobs

    path = getattr(knobs.nvidia, tool).path
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([path, option, file.name], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(
            f"{path} {option} failed on the cubin: {done.stderr.strip() or done.stdout.strip()}"
        )
    return done.stdout
