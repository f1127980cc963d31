"""The AMD examples without a GPU: what their loops wait for, registers, LDS and its banks."""

import re
from types import SimpleNamespace

import pytest
import triton

from bench import amd_loops
from bench.amd_loops import compile_attention, compile_gemm
from bench.cdna_machine import MACHINES
from examples import amd_attention_kernel, amd_gemm_kernel, cdna4_gemm_kernel
from triton_plugins import amdgcn_loops, machine_code

AMD = ["gfx942", "gfx950"]
LDS_BYTES = {"gfx942": 64 * 1024, "gfx950": 160 * 1024}


@pytest.fixture(autouse=True)
def own_cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path / "cache")
        yield


def position(body, test) -> list[int]:
    return [index for index, instruction in enumerate(body) if test(instruction)]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("target", AMD)
def test_gemms_use_large_products_and_no_memory_for_registers(target, dtype):
    kernel = compile_gemm(target, dtype)
    code = machine_code.inspect(kernel)
    shape = {"gfx942": "32x32x8", "gfx950": "16x16x32"}[target]
    assert code.amdgcn.count(rf"v_mfma_f32_{shape}_?b?f16\w*") == code.amdgcn.count("v_mfma.*") > 0
    resources = code.resources
    assert resources.spills == resources.stack_bytes == 0
    # Eight waves are two on each SIMD, which their registers must leave room for.
    assert resources.occupancy >= 2
    assert resources.shared_bytes <= LDS_BYTES[target]


@pytest.mark.parametrize("target", AMD)
def test_half_of_the_waves_only_multiply(target):
    (body,) = amdgcn_loops.innermost(compile_gemm(target).asm["amdgcn"])
    first, last = position(body, lambda one: one.opcode == "s_barrier")
    products = position(body, lambda one: one.is_mfma)
    assert len(products) == 32
    assert first < min(products) and max(products) < last
    # They come one after the other, with nothing to wait for, and first among both halves.
    assert max(products) - min(products) == 31
    assert body[first - 2].opcode == "s_setprio" and body[first - 2].operands == "1"
    assert not any(one.waits for one in body[first:])


def test_the_loads_of_a_gemm_on_gfx942_are_waited_for_late():
    (body,) = amdgcn_loops.innermost(compile_gemm("gfx942").asm["amdgcn"])
    reads = position(body, lambda one: one.opcode.startswith("ds_read"))
    waits = position(body, lambda one: "vmcnt" in one.waits)
    stores = position(body, lambda one: one.opcode.startswith("ds_write"))
    loads = position(body, lambda one: one.is_global_load)
    assert max(reads) < min(waits) < min(stores) < max(stores) < min(loads)


def test_the_loads_of_a_gemm_on_gfx950_stay_in_flight():
    (body,) = amdgcn_loops.innermost(compile_gemm("gfx950").asm["amdgcn"])
    loads = [one for one in body if one.is_global_load]
    assert all(one.is_direct_to_lds and one.opcode == "buffer_load_dwordx4" for one in loads)
    assert not position(body, lambda one: one.opcode.startswith(("ds_write", "ds_bpermute")))
    # All but those of the next step, which the other half reads behind the barrier.
    (waits,) = [one.waits for one in body if "vmcnt" in one.waits]
    ahead = cdna4_gemm_kernel.CONSTANTS["NUM_BUFFERS"] - 1
    assert waits["vmcnt"] == len(loads) * (ahead - 1) > 0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("target", AMD)
def test_the_matrix_cores_of_a_gemm_are_busy(target, dtype):
    machine = MACHINES[target]
    loop = amd_loops.main_loop(compile_gemm(target, dtype), machine)
    assert (loop.waves, loop.blocks, loop.alternate) == (8, 1, True)
    assert loop.estimate(machine).mfma >= 0.95
    # Also where the model is too kind.
    assert loop.estimate(amd_loops.with_slow_barriers(machine)).mfma >= 0.85
    assert loop.estimate(amd_loops.with_slow_lds(machine)).mfma >= 0.8
    assert amd_loops.hidden_latency(loop, machine) >= 2 * machine.memory_latency


@pytest.mark.parametrize("shape", [(4096, 4096, 4096), (512, 512, 512), (16, 1024, 16384)])
def test_tiles_are_as_large_as_the_product_allows(shape):
    m, n, k = shape
    constants = cdna4_gemm_kernel.choose(m, n, k, compute_units=256)
    tiles = -(-m // constants["BM"]) * -(-n // constants["BN"])
    assert tiles * constants["SPLIT_K"] <= max(tiles, 256)
    if shape == (4096, 4096, 4096):
        assert constants == cdna4_gemm_kernel.CONSTANTS
    elif m == 16:
        assert constants["BM"] == 64 and constants["SPLIT_K"] == 16


@pytest.mark.parametrize("constants", ["SMALL_CONSTANTS", "SHORT_CONSTANTS"])
@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
def test_the_other_tiles_of_gfx950(constants, columns):
    kernel = amd_loops.compile_split_gemm(getattr(cdna4_gemm_kernel, constants), columns)
    code = machine_code.inspect(kernel)
    assert code.resources.spills == 0
    assert code.resources.shared_bytes <= LDS_BYTES["gfx950"]
    assert code.amdgcn.count("buffer_load_dwordx4 lds") > 0
    assert code.amdgcn.count(r"buffer_load_(?!dwordx4 lds).*") == 0


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_dim", [64, 96, 128])
@pytest.mark.parametrize("arch", AMD)
def test_attention(arch, head_dim, causal):
    kernel = compile_attention(arch, head_dim, causal)
    resources = machine_code.inspect(kernel).resources
    # What is moved to accumulation registers counts as spilled, and stays on the chip.
    assert resources.stack_bytes == 0
    assert resources.shared_bytes <= LDS_BYTES[arch]
    # Eight waves are two on each SIMD.
    assert resources.occupancy >= 2

    _, constants, _ = amd_attention_kernel.settings(arch, head_dim)
    bodies = amdgcn_loops.innermost(kernel.asm["amdgcn"])
    staged = [body for body in bodies if position(body, lambda one: one.opcode == "s_setprio")]
    # For most tiles, for those that load partial ones, for those with a mask, and another one for
    # rows that are computed again.
    assert (len(staged), len(bodies)) == (3, 4)
    # Most tiles need no mask at all.
    assert not position(staged[0], lambda one: one.opcode.startswith("v_cndmask"))
    for body in staged:
        products = position(body, lambda one: one.is_mfma)
        # Q @ K and weights @ V are BM x BN x head_dim each, by 8 waves in pieces of 32 x 32: no
        # more than the head dimension needs.
        depth = 16 if arch == "gfx950" else 8
        needed = 2 * constants["BM"] * constants["BN"] * head_dim // (8 * 32 * 32 * depth)
        assert len(products) == needed
        # Neither a maximum nor a rescaled result, and no arithmetic that products wait for.
        assert not position(body, lambda one: one.opcode.startswith(("v_max", "v_mul_f32", "v_pk")))
        scores = constants["BM"] * constants["BN"] // (8 * 64)
        exponentials = position(body, lambda one: one.opcode.startswith("v_exp"))
        assert len(exponentials) == scores
        # Products wait for nothing but data, and the others start with none in between.
        barriers = position(body, lambda one: one.opcode == "s_barrier")
        assert len(barriers) == 2 * constants["BN"] // constants.get("STEP", constants["BN"])
        for start, stop in zip(barriers[::2], barriers[1::2], strict=True):
            inside = [one for one in products if start < one < stop]
            assert len(inside) * len(barriers) // 2 == needed
            between = [one.opcode for one in body[inside[0] : inside[-needed // 8]]]
            assert not [op for op in between if op.startswith(("v_exp", "v_fma_f32", "v_add_f32"))]
        loads = position(body, lambda one: one.is_global_load)
        direct = position(body, lambda one: one.is_direct_to_lds)
        waits = position(body, lambda one: "vmcnt" in one.waits)
        stores = position(body, lambda one: one.opcode.startswith("ds_write"))
        if arch == "gfx950":
            assert direct == loads and not stores
            # The tiles behind the next one stay in flight; the last one's loads follow.
            (wait,) = [one.waits["vmcnt"] for one in body if "vmcnt" in one.waits]
            assert wait == len(loads) * (constants["NUM_BUFFERS"] - 3)
        else:
            # Stored between the last products, which are under way when their loads are waited for.
            assert not direct
            assert max(loads) < products[len(products) // 2] < min(waits) < min(stores)
            assert max(stores) < max(products)


# The share of cycles in which matrix cores work, by the estimate, and how much of what arithmetic
# leaves that is.
SHARES = {
    ("gfx942", 64): (0.86, 0.86),
    ("gfx942", 96): (0.93, 0.93),
    ("gfx942", 128): (0.96, 0.96),
    ("gfx950", 64): (0.65, 0.90),
    ("gfx950", 96): (0.85, 0.85),
    ("gfx950", 128): (0.95, 0.95),
}


@pytest.mark.parametrize(("arch", "head_dim"), SHARES)
def test_the_matrix_cores_of_attention_are_busy(arch, head_dim):
    machine = MACHINES[arch]
    loop = amd_loops.main_loop(compile_attention(arch, head_dim), machine)
    assert (loop.waves, loop.blocks, loop.alternate) == (8, 1, True)
    share, of_limit = SHARES[arch, head_dim]
    found = loop.estimate(machine).mfma
    assert found >= share
    assert found / loop.limit(machine) >= of_limit
    assert amd_loops.hidden_latency(loop, machine) >= machine.memory_latency


def test_attention_tells_what_it_takes():
    with pytest.raises(ValueError, match="head dimension of 64, 96 or 128.*but they are 80"):
        amd_attention_kernel.settings("gfx950", 80)


@pytest.mark.parametrize(("strides", "fits"), [((8192, 1), True), ((1, 2**22), False)])
def test_strides_that_no_offset_reaches(strides, fits):
    matrix = SimpleNamespace(stride=lambda: strides, element_size=lambda: 2)
    if fits:
        amd_gemm_kernel.check_reach(matrix)
        return
    with pytest.raises(ValueError, match="reaches over 2 GiB or more"):
        amd_gemm_kernel.check_reach(matrix)


def layout_of_buffer(kernel, shape: str) -> str:
    name = re.search(rf"local_alloc.*memdesc<{shape}xf16, (#\w+),", kernel.asm["ttgir"])[1]
    return re.search(rf"^{re.escape(name)} = (.*)$", kernel.asm["ttgir"], re.MULTILINE)[1]


def test_a_wave_writes_consecutive_addresses_of_lds():
    kernel = compile_gemm("gfx950")
    constants = cdna4_gemm_kernel.CONSTANTS
    shape = f"{constants['NUM_BUFFERS']}x{constants['BM']}x{constants['BK']}"
    layout = layout_of_buffer(kernel, shape)
    # 64 lanes of 8 elements: what one load of a wave writes lies between two gaps.
    interval = int(re.search(r"\[(\d+):", layout)[1])
    assert interval % (64 * 8) == 0
