"""Every Hopper and AMD kernel of the package's tutorials compiles through the compat module."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import triton
import tutorials

import triton_plugins

HOPPER, MI300, MI350 = "cuda:90", "hip:gfx942", "hip:gfx950"


@dataclass(frozen=True)
class Case:
    """One kernel, with what its tutorial launches it with.

    Attributes:
        tutorial: The tutorial's file.
        kernel: The kernel's name in it.
        signature: Types of the arguments that are known at run time, for the constants.
        constants: Constants that no configuration of the autotuner gives.
        targets: What it compiles for.
        expected: Instructions that the machine code must have.
    """

    tutorial: str
    kernel: str
    signature: Callable[[dict[str, Any]], dict[str, str]]
    constants: dict[str, Any] = field(default_factory=dict)
    targets: tuple[str, ...] = (HOPPER,)
    expected: tuple[str, ...] = ()

    def configurations(self) -> list[triton.Config]:
        """The first configurations that the tutorial tries with and without clusters, but for those
        of another order of tiles."""
        kernel = getattr(tutorials.load(self.tutorial), self.kernel)
        found = getattr(kernel, "configs", [triton.Config({})])
        chosen = [c for c in found if c.kwargs.get("GROUP_SIZE_M", 8) == 8] or found
        alone = [c for c in chosen if c.kwargs.get("NUM_CTAS", 1) == 1]
        clustered = [c for c in chosen if c not in alone]
        return alone[:2] + clustered[:2]

    def compile(self, configuration: triton.Config, target: str) -> Any:
        """Compiles the kernel as the tutorial launches it."""
        kernel = getattr(tutorials.load(self.tutorial), self.kernel)
        if isinstance(kernel, triton.runtime.Autotuner):
            kernel = kernel.fn
        options = {"num_warps": configuration.num_warps, "num_stages": configuration.num_stages}
        constants = dict(self.constants)
        for name, value in configuration.kwargs.items():
            (constants if name in kernel.arg_names else options)[name] = value
        options["num_ctas"] = options.pop("ctas_per_cga", 1)
        return triton_plugins.compile(
            kernel,
            signature=self.signature(constants),
            constexprs=constants,
            target=target,
            options=options,
        )


def _pipelined(_: dict[str, Any]) -> dict[str, str]:
    sizes = dict.fromkeys(("M", "N", "K", "stride_am", "stride_bk", "stride_cm"), "i32:16")
    return dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp16:16") | sizes


def _gemm(constants: dict[str, Any]) -> dict[str, str]:
    m, n, k = (constants[name] for name in ("BM", "BN", "BK"))
    m //= constants["NUM_MMA_GROUPS"]
    columns = n // 2 if constants["EPILOGUE_SUBTILE"] else n
    return {
        "a_desc": f"tensordesc<fp16[{m}, {k}]>",
        "b_desc": f"tensordesc<fp16[{k}, {n // constants.get('NUM_CTAS', 1)}]>",
        "c_desc": f"tensordesc<fp16[{m}, {columns}]>",
        **dict.fromkeys(("M", "N", "K"), "i32:16"),
    }


def _pingpong(constants: dict[str, Any]) -> dict[str, str]:
    # Each group of warps has a tile of its own.
    return _gemm(constants | {"BM": constants["BM"] * constants["NUM_MMA_GROUPS"]})


def _attention(constants: dict[str, Any]) -> dict[str, str]:
    head = constants["HEAD_DIM"]
    rows = constants["BLOCK_M"] // constants["NUM_MMA_GROUPS"]
    query = f"tensordesc<fp16[{rows}, {head}]>"
    key = f"tensordesc<fp16[{constants['BLOCK_N']}, {head}]>"
    return {
        "sm_scale": "fp32",
        "M": "*fp32:16",
        **dict.fromkeys(("Z", "H", "N_CTX"), "i32"),
        "desc_q": query,
        "desc_k": key,
        "desc_v": key,
        "desc_o": query,
    }


# What only that package's compiler makes of a layout or a group.
MISSING = {
    "DummyRegisterLayoutEncoding",
    "reuse_group_ir_type",
}
_STRIDES = {"stride_ak": 1, "stride_bn": 1, "stride_cn": 1}
_WS = ("wgmma.mma_async", "cp.async.bulk.tensor", "mbarrier.try_wait")
_HEADS = {"HEAD_DIM": 128, "FP8_OUTPUT": False}
CASES = [
    Case(
        "vector-add2",
        "add2_warp_specialized_kernel",
        lambda _: (
            dict.fromkeys([f"{name}_ptr" for name in "xyzabc"], "*fp32:16") | {"n_elements": "i32"}
        ),
        {"BLOCK_SIZE": 1024},
    ),
    Case(
        "hopper_gemm_pipelined",
        "matmul_kernel_pipelined_hopper",
        _pipelined,
        _STRIDES,
        expected=("wgmma.mma_async", "cp.async.cg"),
    ),
    Case(
        "amd-gemm-pipelined_test",
        "matmul_kernel_pipelined_mi300",
        _pipelined,
        _STRIDES,
        (MI300, MI350),
        ("v_mfma_f32_16x16",),
    ),
    Case("hopper_gemm_ws", "matmul_kernel_tlx_ws", _gemm, {"NUM_SMS": 132}, expected=_WS),
    Case(
        "hopper-persistent-gemm-ws-cooperative",
        "matmul_kernel_tlx_ws_persistent",
        _gemm,
        {"NUM_SMS": 132},
        expected=(*_WS, "setmaxnreg"),
    ),
    Case(
        "hopper-persistent-gemm-ws-pingpong",
        "matmul_kernel_tlx_ws_persistent",
        _pingpong,
        {"NUM_SMS": 132},
        expected=(*_WS, "setmaxnreg"),
    ),
    Case("hopper_fa_ws", "_attn_fwd_ws", _attention, _HEADS, expected=_WS),
    Case("hopper_fa_ws_pipelined", "_attn_fwd_ws_pipelined", _attention, _HEADS, expected=_WS),
    Case(
        "hopper_fa_ws_pipelined_pingpong",
        "_attn_fwd_ws_pipelined_pingpong",
        _attention,
        _HEADS,
        expected=_WS,
    ),
    Case(
        "hopper_fa_ws_pipelined_pingpong_persistent",
        "_attn_fwd_ws_pipelined_pingpong_persistent",
        _attention,
        _HEADS,
        expected=_WS,
    ),
]


@pytest.fixture(autouse=True)
def _cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.tutorial)
def test_tutorials_compile(case):
    for target in case.targets:
        for configuration in case.configurations():
            compiled = case.compile(configuration, target)
            assembly = compiled.asm.get("ptx") or compiled.asm["amdgcn"]
            expected = case.expected
            if configuration.kwargs.get("NUM_CTAS", 1) > 1:
                expected += ("multicast::cluster", "mapa.shared::cluster")
            missing = [text for text in expected if text not in assembly]
            assert not missing, f"{configuration} for {target} has no {missing}"


def test_public_names():
    tlx = importlib.import_module("triton.language.extra.tlx")
    missing = {name for name in tutorials.public_names() if not hasattr(tlx, name)}
    assert missing <= MISSING
