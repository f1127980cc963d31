"""The kernel of docs/tlx_model.md compiles, and with its three faults does not."""

import pytest
import triton

import triton_plugins
from plugins.tlx.test import model_page


def compile(folder, **changes):
    blocks = {"a_desc": [128, 64], "b_desc": [64, 128], "c_desc": [128, 128]}
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(folder / "cache")
        return triton_plugins.compile(
            model_page.kernel(folder, **changes),
            signature={name: f"tensordesc<fp16{block}>" for name, block in blocks.items()}
            | {"K": "i32"},
            constexprs={"BLOCK": 128, "BK": 64, "NUM": 3},
            target="cuda:90",
        )


def test_the_kernel_compiles(tmp_path):
    ptx = compile(tmp_path).asm["ptx"]
    for instruction in ("wgmma.mma_async", "cp.async.bulk.tensor", "setmaxnreg.inc"):
        assert instruction in ptx


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("BYTES: tl.constexpr = 2 * -> BYTES: tl.constexpr = 1 *", "expect 16384 bytes, but"),
        ("free[(step - 1) % NUM] -> free[buf]", "releases a buffer that an async_dot may still"),
        ("parity ^ 1 -> parity", "comes only behind this wait"),
    ],
)
def test_its_faults_do_not(tmp_path, change, message):
    with pytest.raises(triton_plugins.PassError, match=message) as caught:
        compile(tmp_path, fault=change)
    assert "model_kernel.py:" in str(caught.value)
