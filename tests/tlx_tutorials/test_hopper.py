"""The package's Hopper tutorials on a GPU, through the compat module, against float64 references.

Each is called as its author calls it, by the function that launches its kernel, with configurations
that its author gives the autotuner.
"""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

import tutorials  # noqa: E402

from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS

# How many configurations of a tutorial are run, and which.
WS = [
    {
        "BM": bm,
        "BN": bn,
        "NUM_STAGES": 3,
        "EPILOGUE_SUBTILE": subtile,
        "USE_WARP_BARRIER": warps,
        "NUM_CTAS": ctas,
    }
    for bm, bn, subtile, warps, ctas in (
        (128, 128, False, False, 1),
        (128, 256, True, False, 1),
        (256, 128, False, True, 1),
        (256, 128, True, True, 1),
        (128, 256, False, False, 2),
        (256, 128, True, True, 2),
    )
]
PERSISTENT = "matmul_kernel_tlx_ws_persistent", "matmul_tlx_ws_persistent"
GEMMS = [
    ("hopper_gemm_pipelined", "matmul_kernel_pipelined_hopper", "matmul", {}),
    *(("hopper_gemm_ws", "matmul_kernel_tlx_ws", "matmul", choice) for choice in WS),
    ("hopper-persistent-gemm-ws-cooperative", *PERSISTENT, {"BM": 128}),
    ("hopper-persistent-gemm-ws-cooperative", *PERSISTENT, {"BM": 256}),
    ("hopper-persistent-gemm-ws-pingpong", *PERSISTENT, {"USE_NAMED_BARRIER": True}),
    ("hopper-persistent-gemm-ws-pingpong", *PERSISTENT, {"USE_NAMED_BARRIER": False}),
]
PIPELINED = "_attn_fwd_ws_pipelined"
# But for the last one they assert that a block has no more keys than a head has elements.
ATTENTIONS = [
    ("hopper_fa_ws", "_attn_fwd_ws", {"NUM_MMA_GROUPS": 1}, 128),
    ("hopper_fa_ws", "_attn_fwd_ws", {"NUM_MMA_GROUPS": 2}, 128),
    ("hopper_fa_ws_pipelined", PIPELINED, {}, 128),
    ("hopper_fa_ws_pipelined_pingpong", f"{PIPELINED}_pingpong", {}, 128),
    ("hopper_fa_ws_pipelined_pingpong_persistent", f"{PIPELINED}_pingpong_persistent", {}, 128),
    ("hopper_fa_ws_pipelined_pingpong_persistent", f"{PIPELINED}_pingpong_persistent", {}, 64),
]


def name(value: object) -> str:
    """A short id of a test's argument."""
    if isinstance(value, dict):
        return ",".join(f"{key}={item}" for key, item in value.items()) or "default"
    return str(value)


def call(tutorial: str, kernel: str, choice: dict[str, Any], function: str, *args: Any) -> Any:
    """Calls a tutorial's function with its kernel's first configuration that has some values."""
    module = tutorials.load(tutorial)
    tuner = getattr(module, kernel)
    wanted = {"GROUP_SIZE_M": 8, **choice}
    config = next(
        c for c in tuner.configs if all(c.kwargs.get(k, v) == v for k, v in wanted.items())
    )
    with pytest.MonkeyPatch.context() as patch:
        # The autotuner takes the only one without measuring it, and calls its hook.
        patch.setattr(tuner, "configs", [config])
        return getattr(module, function)(*args)


def worst(result: torch.Tensor, reference: torch.Tensor) -> float:
    """The largest error, as a part of the largest element of the float64 reference."""
    return ((result.double() - reference).abs().max() / reference.abs().max()).item()


def random(*shape: int, seed: int) -> torch.Tensor:
    """A float16 tensor of a normal distribution."""
    generator = torch.Generator(device="cuda").manual_seed(seed)
    return torch.randn(shape, generator=generator, device="cuda").half()


def test_vector_add():
    inputs = [torch.randn(98432 + 5, device="cuda") for _ in range(4)]
    first, second = tutorials.load("vector-add2").add2_warp_specialized(*inputs)
    assert torch.equal(first, inputs[0] + inputs[1])
    assert torch.equal(second, inputs[2] + inputs[3])


@pytest.mark.parametrize(("tutorial", "kernel", "function", "choice"), GEMMS, ids=name)
@pytest.mark.parametrize(("m", "n", "k"), [(512, 512, 256), (1000, 1512, 712), (4096, 4096, 1024)])
def test_gemm(tutorial, kernel, function, choice, m, n, k):
    a, b = random(m, k, seed=m), random(k, n, seed=n)
    result = call(tutorial, kernel, choice, function, a, b)
    assert worst(result, a.double() @ b.double()) < 2e-3


@pytest.mark.parametrize(("tutorial", "kernel", "choice", "head"), ATTENTIONS, ids=name)
@pytest.mark.parametrize("length", [1024, 4096])
def test_attention(tutorial, kernel, choice, head, length):
    q, k, v = (random(2, 4, length, head, seed=seed) for seed in range(3))
    result = call(tutorial, kernel, choice, "attention", q, k, v, 0.5)
    scores = q.double() @ k.double().transpose(-1, -2) * 0.5
    assert worst(result, scores.softmax(-1) @ v.double()) < 5e-3
