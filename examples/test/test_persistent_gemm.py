"""The machine code of the persistent Hopper GEMM, without a GPU."""

import dataclasses
import re

import pytest
from triton.backends.compiler import GPUTarget

import triton_plugins
from examples import hopper_gemm_configs
from examples.hopper_gemm_configs import Config
from examples.hopper_persistent_gemm_kernel import hopper_persistent_gemm
from triton_plugins import machine_code

CONFIGS = hopper_gemm_configs.candidates(2)


def name(config: Config) -> str:
    kind = "pingpong" if config.pingpong else "cooperative"
    if config.cluster > 1:
        kind += f"-cluster{config.cluster_m}x{config.cluster_n}"
    return f"{config.bm}x{config.bn}x{config.bk}-{kind}"


def compiled(*args, **options):
    """The kernel of a configuration, summarized."""
    return machine_code.inspect(compiled_kernel(*args, **options))


def compiled_kernel(
    config: Config,
    dtype="fp16",
    a_by_columns=False,
    b_by_columns=False,
    scale=None,
    out=None,
    shared=False,
):
    """The kernel of a configuration."""
    a, b_parts, c = config.blocks(a_by_columns, b_by_columns)
    signature = {
        "a_desc": f"tensordesc<{dtype}{a}>",
        "b_descs": tuple(f"tensordesc<{dtype}{b}>" for b in b_parts),
        "c_desc": f"tensordesc<{out or dtype}{c}>",
    }
    pointers = dict.fromkeys(("row_scale_ptr", "col_scale_ptr"), scale)
    pointers |= {
        "parts_ptr": "*fp32:16" if shared else None,
        "flags_ptr": "*i32:16" if shared else None,
    }
    return triton_plugins.compile(
        hopper_persistent_gemm,
        signature=signature
        | dict.fromkeys(("M", "N", "K", "shared", "sharers"), "i32")
        | {key: type for key, type in pointers.items() if type},
        constexprs=dataclasses.replace(config, shared=int(shared)).constants
        | {"ONE_ROW": False, "A_BY_COLUMNS": a_by_columns, "B_BY_COLUMNS": b_by_columns}
        | {key: None for key, type in pointers.items() if not type},
        target=GPUTarget("cuda", 90, 32),
        options={"num_warps": 4, "num_ctas": config.cluster},
    )


@pytest.mark.parametrize("config", CONFIGS, ids=name)
def test_machine_code(config, capfd, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    code = compiled(config)
    assert "serialized" not in "".join(capfd.readouterr())
    # Where a consumer multiplies alone, one MMA stays in flight; at a tile's end it is waited for.
    assert set(code.ptx.waits["wgmma"]) == ({0, 1} if config.pingpong else {0})
    # In the loop no warp of a consumer waits for the others to say that a buffer is free.
    assert code.ptx.count(r"bar\.warp\.sync") >= 2
    # Each strip of a tile's columns has MMAs of its width, as many as its rows and a step's K.
    mmas = config.bm // 64 * (config.consumers if config.pingpong else 1) * config.bk // 16
    for width in config.widths:
        assert code.sass.count(rf"HGMMA\.64x{width}x16\..*") == mmas
    assert code.sass.count(r"UTMALDG\..*") > 0
    assert code.sass.count(r"UTMASTG\..*") > 0
    # The first loads are on their way before there are barriers that could tell of them.
    assert code.sass.count(r"UTMAPF\..*") > 0
    # What a cluster shares is sent to both programs, and handed back to both.
    assert bool(code.sass.count(r"UTMALDG\..*MULTICAST.*")) == (config.cluster > 1)
    blocks = code.ptx.count(r"mapa\.shared::cluster\.u32")
    assert blocks == (config.consumers * config.cluster if config.cluster > 1 else 0)
    assert code.sass.count(r"USETMAXREG\..*") > 0
    assert code.sass.count(r"(LDL|STL)\b.*") == 0
    assert code.resources.spills == code.resources.stack_bytes == 0
    assert code.resources.shared_bytes <= hopper_gemm_configs.SHARED_BYTES


@pytest.mark.parametrize("config", CONFIGS, ids=name)
def test_stock_search_for_fences_is_left_out(config, monkeypatch, capfd, tmp_path):
    """It would take a fifth of the compilation, and the kernel has all fences that it needs."""
    monkeypatch.setenv("MLIR_ENABLE_TIMING", "1")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    compiled(config)
    passes = capfd.readouterr().err
    assert "TLXInsertProxyFences" in passes and "ProxyFenceInsertion" not in passes


@pytest.mark.parametrize(
    "config", [config for config in CONFIGS if config.c_buffers == 2], ids=name
)
def test_no_slice_is_written_where_one_is_stored_from(config):
    ptx = compiled_kernel(config).asm["ptx"]
    waits = re.findall(r"cp\.async\.bulk\.wait_group\.read\s+(\d);", ptx)
    # Buffers take turns, so all but the latest store must have read theirs. Of an odd number of
    # slices the first one's buffer is the latest store's: of a tile, and of the last one.
    assert waits.count("0") == config.consumers * (3 if config.slices % 2 else 1)


@pytest.mark.parametrize("config", [CONFIGS[0], CONFIGS[2], CONFIGS[8]], ids=name)
def test_the_kernel_in_front_is_over_before_the_first_load(config):
    ptx = compiled_kernel(config).asm["ptx"]

    def places(what):
        return [match.start() for match in re.finditer(what, ptx)]

    (wait,) = places(r"griddepcontrol\.wait")
    assert wait < min(places(r"mbarrier::complete_tx::bytes"))
    # Nothing skips the wait once the producer's code has begun.
    producer = ptx.rindex("setmaxnreg.dec.sync.aligned.u32 \t40", 0, wait)
    assert not re.search(r"\bbra\b", ptx[producer:wait])
    # Each consumer lets the kernel behind start when its last store is on its way.
    lets_go = places(r"griddepcontrol\.launch_dependents")
    assert len(lets_go) == 2
    stores = places(r"cp\.async\.bulk\.tensor\.2d\.global\.shared")
    for place in lets_go:
        end = ptx.index("cp.async.bulk.wait_group.read \t0", place)
        assert not any(place < store < end for store in stores)


@pytest.mark.parametrize("stages", [1, 2])
def test_few_stages(stages):
    config = dataclasses.replace(CONFIGS[2], stages=stages)
    waits = compiled(config).ptx.waits["wgmma"]
    assert (1 in waits) == (stages > 1)


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
@pytest.mark.parametrize("a_by_columns", [False, True])
@pytest.mark.parametrize("b_by_columns", [False, True])
def test_layouts_of_inputs(dtype, a_by_columns, b_by_columns):
    code = compiled(CONFIGS[0], dtype, a_by_columns, b_by_columns)
    # wgmma transposes while it reads shared memory.
    assert code.sass.count(r"HGMMA\..*") > 0
    assert code.resources.spills == 0


@pytest.mark.parametrize(
    ("config", "dtype"),
    [(config, "fp8e4nv") for config in hopper_gemm_configs.candidates(1)]
    + [(hopper_gemm_configs.candidates(1)[0], "fp8e5")],
    ids=lambda value: value if isinstance(value, str) else name(value),
)
def test_scaled_products(config, dtype):
    code = compiled(config, dtype, b_by_columns=True, scale="*fp32:16", out="bf16")
    assert code.sass.count(r"QGMMA\..*") > 0
    assert code.resources.spills == 0


@pytest.mark.parametrize("splits", [2, 5])
def test_parts_of_k(splits):
    config = dataclasses.replace(CONFIGS[2], splits=splits)
    code = compiled(config, out="fp32")
    assert code.resources.spills == 0
    assert code.resources.shared_bytes <= hopper_gemm_configs.SHARED_BYTES


def assert_steps_have_registers(kernel):
    """Checks that a consumer's steps need no memory for registers.

    Where accumulators leave few for the parts that are added to them, two to four values that a
    warp knows from the kernel's start are in memory until a task or a tile's end needs them.
    """
    steps = re.findall(r"[HQ]GMMA.*?\bBRA\b", kernel.asm["sass"], re.DOTALL)
    assert len(steps) >= 2
    assert not any(re.search(r"\b(LDL|STL)\b", step) for step in steps)
    assert machine_code.inspect(kernel).resources.stack_bytes <= 16


@pytest.mark.parametrize("config", [config for config in CONFIGS if not config.pingpong], ids=name)
def test_shared_tiles(config):
    kernel = compiled_kernel(config, shared=True)
    assert_steps_have_registers(kernel)
    code, alone = machine_code.inspect(kernel), compiled(config)
    # Accumulators are handed over from the registers that they are in, 16 bytes at a time, by all
    # consumers.
    handed = config.accumulators * config.consumers // 4
    assert code.sass.count(r"STG\.E\.128") == code.sass.count(r"LDG\.E\.128\..*") == handed
    # Each warp says so, and sees it, by itself: there is no barrier more.
    fences = code.sass.count(r"MEMBAR\.ALL\.GPU") - alone.sass.count(r"MEMBAR\.ALL\.GPU")
    assert fences == code.sass.count(r"LDG\.E\.STRONG\.GPU") == config.consumers
    assert code.sass.count(r"RED.*\.INC\.STRONG\.GPU") == 2 * config.consumers
    assert code.sass.count(r"BAR\.SYNC.*") <= alone.sass.count(r"BAR\.SYNC.*")
    assert code.ptx.waits["wgmma"] == alone.ptx.waits["wgmma"]
    assert code.resources.shared_bytes <= hopper_gemm_configs.SHARED_BYTES


@pytest.mark.parametrize(
    "config",
    [config for config in hopper_gemm_configs.candidates(1) if not config.pingpong],
    ids=name,
)
def test_shared_tiles_of_scaled_products(config):
    kernel = compiled_kernel(
        config, "fp8e4nv", b_by_columns=True, scale="*fp32:16", out="bf16", shared=True
    )
    assert_steps_have_registers(kernel)
