"""The accesses to shared memory in the report are those of the machine code, and their bank
conflicts those of the addresses."""

import collections
import itertools
import random
import re

import pytest
import triton

import triton_plugins
import triton_plugins.layout as layout
from plugins.layout.test import kernels

WGMMA = layout.mma(3, [4, 1], [16, 64, 16])
MMA = layout.mma(2, [2, 2], [16, 8])
LAYOUTS = {
    "wgmma": WGMMA,
    "mma": MMA,
    "operand": layout.dot_operand(0, MMA, 2),
    "rows": layout.blocked([1, 8], [4, 8], [4, 1]),
    "columns": layout.blocked([8, 1], [8, 4], [1, 4], [0, 1]),
    "single": layout.blocked([1, 1], [1, 32], [4, 1]),
    "tiles": layout.blocked([2, 4], [8, 4], [2, 2]),
}
# With its width in bits: ".v4.b32", ".x4.trans".
VECTOR = re.compile(r"\b(ld|st)\.shared(?:::cta)?(?:\.v(\d))?\.b(\d+)")
MATRIX = re.compile(r"\b(ld|st)matrix\S*?\.x(\d)(\.trans)?")


@pytest.fixture(autouse=True)
def _cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def accesses_of_ptx(ptx):
    """Counts accesses to shared memory by instruction and bits."""
    found = collections.Counter()
    for kind, count, bits in VECTOR.findall(ptx):
        found[f"{kind}.shared", int(count or 1) * int(bits)] += 1
    for kind, count, trans in MATRIX.findall(ptx):
        found[f"{kind}matrix{trans}", 32 * int(count)] += 1
    return found


def accesses_of_report(report):
    found = collections.Counter()
    for conversion in report.conversions:
        for access in (conversion.store, conversion.load):
            if access is not None:
                found[access.instruction, access.vector_bits] += access.instructions
    return found


def compile_move(source, target, dtype, arch, via="auto"):
    return triton_plugins.compile(
        kernels.move,
        signature={"x": f"*{dtype}:16", "y": f"*{dtype}:16"},
        constexprs={
            "M": 64,
            "N": 64,
            "FROM": LAYOUTS[source],
            "TO": LAYOUTS[target],
            "VIA": via,
        },
        target=arch,
    )


@pytest.mark.parametrize(
    ("source", "target", "dtype", "instructions"),
    [
        ("wgmma", "rows", "fp16", {"ldmatrix"}),
        ("wgmma", "operand", "fp16", {"stmatrix"}),
        ("wgmma", "single", "fp16", {"stmatrix.trans", "ldmatrix.trans"}),
        ("columns", "operand", "fp16", {"ldmatrix.trans"}),
        ("tiles", "wgmma", "fp32", set()),
        ("rows", "operand", "fp8e5", set()),
        ("columns", "mma", "fp64", set()),
    ],
)
def test_conversions_on_hopper(source, target, dtype, instructions):
    compiled = compile_move(source, target, dtype, "cuda:90")
    report = layout.report(compiled)
    found = accesses_of_report(report)
    assert found == accesses_of_ptx(compiled.asm["ptx"])
    assert instructions <= {name for name, _ in found}
    assert compiled.metadata.shared >= max(c.scratch_bytes for c in report.conversions)


@pytest.mark.parametrize(("source", "target"), [("rows", "mma"), ("mma", "rows")])
def test_conversions_on_ampere(source, target):
    """It has ldmatrix and no stmatrix."""
    compiled = compile_move(source, target, "fp16", "cuda:80")
    report = layout.report(compiled)
    assert accesses_of_report(report) == accesses_of_ptx(compiled.asm["ptx"])
    assert not any(name.startswith("stmatrix") for name, _ in accesses_of_report(report))


@pytest.mark.parametrize(("source", "target"), [("wgmma", "rows"), ("rows", "operand")])
def test_buffers_between_registers(source, target):
    compiled = compile_move(source, target, "fp16", "cuda:90", via="shared")
    report = layout.report(compiled)
    assert "ttg.local_load" in {conversion.op for conversion in report.conversions}
    assert accesses_of_report(report) == accesses_of_ptx(compiled.asm["ptx"])


MODULE = """
#registers = {registers}
#buffer = #ttg.swizzled_shared<{{vec = {vec}, perPhase = {per_phase}, maxPhase = {max_phase},
    order = [1, 0]}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90",
    "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func @kernel(%x: tensor<64x64x{element}, #registers>)
      -> tensor<64x64x{element}, #registers> {{
    %buffer = ttg.local_alloc %x : (tensor<64x64x{element}, #registers>)
        -> !ttg.memdesc<64x64x{element}, #buffer, #smem>
    %y = ttg.local_load %buffer : !ttg.memdesc<64x64x{element}, #buffer, #smem>
        -> tensor<64x64x{element}, #registers>
    tt.return %y : tensor<64x64x{element}, #registers>
  }}
}}
"""


def count_passes(addresses, width):
    """Passes over 32 banks of 4 bytes, beyond the first, that threads need for accesses of `width`
    bytes; 128 bytes are accessed at a time."""
    together = 32 if width <= 4 else 128 // width
    most = 0
    for start in range(0, len(addresses), together):
        words = collections.defaultdict(set)
        for address in addresses[start : start + together]:
            for word in range(address // 4, (address + max(width, 4)) // 4):
                words[word % 32].add(word)
        most = max(most, *map(len, words.values()))
    return most - 1


def conflicts_of_addresses(bases, access, address_of):
    """The conflicts of one kind of instruction, from the address of each element."""

    def address(register, lane, warp):
        position = [0, 0]
        for name, number in (("register", register), ("lane", lane), ("warp", warp)):
            for bit, basis in enumerate(bases[name]):
                if number >> bit & 1:
                    position = [a ^ b for a, b in zip(position, basis, strict=True)]
        return address_of(*position)

    # Of a matrix each fourth thread's element starts a row.
    is_matrix = "matrix" in access.instruction
    lanes = range(0, 32, 4 if is_matrix else 1)
    width = 16 if is_matrix else access.vector_bits // 8
    return max(
        count_passes([address(register, lane, warp) for lane in lanes], width)
        for register, warp in itertools.product(range(1 << len(bases["register"])), range(4))
        if address(register, 0, warp) % width == 0
    )


@pytest.mark.parametrize("seed", range(20))
def test_bank_conflicts(seed):
    """Of swizzles that move whole banks: for others Triton's analysis counts too few."""
    draw = random.Random(seed)
    element, size = draw.choice([("f16", 2), ("f32", 4), ("f64", 8)])
    threads, warps = draw.choice([1, 2, 4, 8, 16, 32]), draw.choice([1, 2, 4])
    blocked = layout.blocked(
        [draw.choice([1, 2, 4, 8]), draw.choice([1, 2, 4, 8])],
        [threads, 32 // threads],
        [warps, 4 // warps],
        draw.choice([[0, 1], [1, 0]]),
    )
    registers = draw.choice([str(blocked), str(WGMMA), str(MMA)]) if size == 2 else str(blocked)
    vec = draw.choice([vec for vec in (1, 2, 4, 8) if vec * size >= 4])
    per_phase, max_phase = draw.choice([1, 2, 4, 8]), draw.choice([1, 2, 4, 8])
    text = MODULE.format(
        registers=registers, vec=vec, per_phase=per_phase, max_phase=max_phase, element=element
    )
    report = layout.report_text(text)
    (conversion,) = report.conversions
    bases = report.layouts[0].bases

    def address_of(row, column):
        phase = row // per_phase % max_phase
        return (row * 64 + (column // vec ^ phase) * vec + column % vec) * size

    for access in (conversion.store, conversion.load):
        if not access.instruction.endswith(".trans"):
            assert access.bank_conflicts == conflicts_of_addresses(bases, access, address_of)
