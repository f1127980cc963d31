"""Descriptors made in kernels, bulk copies and reductions of warps on a GPU."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch and a GPU; PyTorch cannot be imported")

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

from plugins.tlx.test import descriptor_kernels as kernels  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS


@pytest.fixture(autouse=True)
def _scratch():
    def allocate(size, _alignment, _stream):
        # Descriptors that nobody made would be seen.
        return torch.full((size,), -1, dtype=torch.int8, device="cuda")

    triton.set_allocator(allocate)
    yield
    triton.set_allocator(triton.runtime._allocation.NullAllocator())


@pytest.mark.parametrize("columns", [64, 200])
@pytest.mark.parametrize("steps", [1, 2, 7])
@pytest.mark.parametrize("programs", [1, 300])
def test_descriptors_pass_from_task_to_task(columns, steps, programs):
    # Every program does the same; each has slots of its own.
    src = torch.randn(steps, 64, columns, device="cuda", dtype=torch.float16)
    dst = torch.full_like(src, float("nan"))
    kernels.slots[(programs,)](src, dst, 64, columns, steps, 64, 64, tl.float16, num_warps=4)
    assert torch.equal(dst[..., :64], src[..., :64])
    assert dst[..., 64:].isnan().all()


@pytest.mark.parametrize("kernel", [kernels.no_slot, kernels.slot_and_load])
def test_stock_operations(kernel):
    src = torch.randn(50, 72, device="cuda", dtype=torch.float16)
    dst = torch.full_like(src, float("nan"))
    kernel[(1,)](src, dst, 50, 72, 64, 64)
    assert torch.equal(dst[:, :64], src[:, :64] + 1)
    assert dst[:, 64:].isnan().all()


@pytest.mark.parametrize("policy", ["", "evict_first", "evict_last"])
def test_bulk_copies(policy):
    src = torch.randn(2048, device="cuda")
    dst = torch.full_like(src, float("nan"))
    kernels.bulk[(1,)](src, dst, 64, 1024, policy)
    assert torch.equal(dst[:1040], src[:1040])
    assert dst[1040:].isnan().all()


@pytest.mark.parametrize(("cache", "policy"), [("", "evict_first"), (".ca", ""), (".cg", "")])
def test_copies_that_say_what_caches_keep(cache, policy):
    src = torch.randn(1024, device="cuda")
    dst = torch.full_like(src, float("nan"))
    kernels.cached[(1,)](src, dst, 1024, cache, policy)
    assert torch.equal(dst, src)


def test_prefetches_change_nothing():
    src = torch.randn(64, 128, device="cuda", dtype=torch.float16)
    dst = torch.full_like(src, float("nan"))
    kernels.prefetches[(1,)](src, dst, 4096, "L1")
    desc = triton.tools.tensor_descriptor.TensorDescriptor.from_tensor(src, [64, 128])
    kernels.prefetched_tensor[(1,)](desc, dst, 16, "evict_last")
    assert torch.equal(dst, src)


@pytest.mark.parametrize("op", ["max", "min", "abs_max", "abs_min"])
def test_warp_redux(op):
    src = torch.randn(4, 32, device="cuda") * 10.0 ** torch.randint(-20, 20, (4, 32), device="cuda")
    src[1, :31] = float("nan")
    src[2] = float("nan")
    src[3, 5], src[3, 7], src[3, 9] = float("inf"), -float("inf"), -0.0
    dst = torch.zeros_like(src)
    # One element a thread, so a row is a warp's.
    kernels.redux[(1,)](src, dst, op, num_warps=4)
    values = src.abs() if op.startswith("abs") else src
    lost = -float("inf") if op.endswith("max") else float("inf")
    kept = values.nan_to_num(nan=lost, posinf=float("inf"), neginf=-float("inf"))
    expected = kept.amax(1) if op.endswith("max") else kept.amin(1)
    expected[2] = float("nan")
    torch.testing.assert_close(dst, expected[:, None].expand(4, 32), rtol=0, atol=0, equal_nan=True)
