"""The persistent Hopper GEMM on random shapes, against a float64 reference."""

import dataclasses
import random
from concurrent import futures

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

from bench import harness  # noqa: E402
from examples import hopper_gemm_configs, hopper_persistent_gemm  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS

CONFIGS = hopper_gemm_configs.candidates(2)
DTYPES = [torch.float16, torch.bfloat16]


def name(value: object) -> str:
    """A short id of a test's argument."""
    if isinstance(value, hopper_gemm_configs.Config):
        kind = "pingpong" if value.pingpong else "cooperative"
        if value.cluster > 1:
            kind += f"-cluster{value.cluster_m}x{value.cluster_n}"
        return f"{value.bm}x{value.bn}x{value.bk}-{kind}"
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    return str(value).removeprefix("torch.")


def random_shapes(count: int) -> list[tuple[int, int, int]]:
    """M, N and K from 1 to 3000, small as likely as large; N and K of rows that TMA can read."""
    draw = random.Random(2027)
    shapes = []
    for _ in range(count):
        m, n, k = (round(3000 ** draw.random()) for _ in range(3))
        shapes.append((m, -(-n // 8) * 8, -(-k // 8) * 8))
    return shapes


def inputs(
    m: int, n: int, k: int, dtype: torch.dtype, by_columns: tuple[bool, bool] = (False, False)
) -> tuple[torch.Tensor, torch.Tensor]:
    """Random matrices, stored by rows or by columns."""
    generator = torch.Generator(device="cuda").manual_seed(m * 7 + n * 5 + k * 3)
    matrices = harness.Problem(m, n, k, dtype).inputs(generator)
    return tuple(
        matrix.t().contiguous().t() if columns else matrix
        for matrix, columns in zip(matrices, by_columns, strict=True)
    )


def matmul_into(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, out: torch.Tensor) -> None:
    """Multiplies into c, which is poisoned, and copies that to out."""
    c.fill_(float("nan"))
    hopper_persistent_gemm.matmul(a, b, c)
    out.copy_(c)


def assert_right(config: hopper_gemm_configs.Config, a: torch.Tensor, b: torch.Tensor):
    check = harness.check(lambda a, b, c: hopper_persistent_gemm.Launch(a, b, c, config), a, b)
    assert check.passed, (
        f"the largest error is {check.worst:.3g} of its bound ({check.max_error:.3g})"
    )


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
@pytest.mark.parametrize("shape", random_shapes(20), ids=name)
@pytest.mark.parametrize("config", CONFIGS, ids=name)
def test_random_shapes(config, shape, dtype):
    assert_right(config, *inputs(*shape, dtype))


@pytest.mark.parametrize("config", CONFIGS, ids=name)
def test_every_fill_of_the_ring(config):
    # Fewer steps than buffers, as many, and one more: where phases go wrong first.
    for steps in range(1, config.stages + 2):
        assert_right(
            config, *inputs(3 * config.bm + 1, 2 * config.bn, steps * config.bk, DTYPES[0])
        )
        assert_right(config, *inputs(config.bm, config.bn - 8, steps * config.bk - 8, DTYPES[0]))


@pytest.mark.parametrize("config", CONFIGS, ids=name)
def test_several_tiles_a_program(config):
    assert_right(config, *inputs(20 * config.bm, 21 * config.bn, 3 * config.bk, DTYPES[0]))


@pytest.mark.parametrize("splits", [2, 5])
@pytest.mark.parametrize("config", [config for config in CONFIGS if config.pingpong], ids=name)
def test_parts_of_k(config, splits):
    config = dataclasses.replace(config, splits=splits)
    assert_right(config, *inputs(520, 392, 4096, DTYPES[0]))


@pytest.mark.parametrize("by_columns", [(True, False), (False, True), (True, True)], ids=name)
@pytest.mark.parametrize("config", CONFIGS, ids=name)
def test_inputs_by_columns(config, by_columns):
    assert_right(config, *inputs(528, 400, 272, DTYPES[0], by_columns))


@pytest.mark.parametrize("stages", [1, 2], ids=lambda stages: f"{stages} stages")
@pytest.mark.parametrize("config", CONFIGS, ids=name)
def test_repeats_on_fresh_inputs(config, stages):
    # A buffer that is filled while an MMA reads it, or read before it is full, shows with few
    # buffers soonest. The order of additions does not depend on their number, so the bits agree.
    a, b = inputs(1024, 1024, 1024, DTYPES[0])
    c = torch.empty(1024, 1024, device="cuda", dtype=a.dtype)
    expected = torch.empty_like(c)
    many = hopper_persistent_gemm.Launch(a, b, c, config)
    few = hopper_persistent_gemm.Launch(a, b, c, dataclasses.replace(config, stages=stages))
    wrong = torch.zeros((), device="cuda", dtype=torch.int64)
    for _ in range(200):
        a.normal_()
        b.normal_()
        many(a, b, expected)
        for _ in range(2):
            c.fill_(float("nan"))
            few(a, b, c)
            wrong += (c != expected).sum()
    assert wrong == 0
    assert_right(dataclasses.replace(config, stages=stages), a, b)


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
@pytest.mark.parametrize(
    "shape", [(1, 1, 1), (7, 5, 3), (1000, 999, 77), (64, 513, 129), (333, 256, 40)], ids=name
)
def test_matmul_of_any_size(shape, dtype):
    check = harness.check(hopper_persistent_gemm.matmul, *inputs(*shape, dtype))
    assert check.passed, f"the largest error is {check.worst:.3g} of its bound"


def test_matmul_of_views():
    whole = torch.randn(600, 800, device="cuda", dtype=torch.float16)
    # Rows that start at multiples of 16 bytes or not, strides without neighbours, an output by
    # columns.
    for a in (whole[:256, :512], whole[:256, 3:515], whole[::2, ::2][:256], whole.t()[:256, :512]):
        b = torch.randn(a.shape[1], 264, device="cuda", dtype=torch.float16)
        check = harness.check(hopper_persistent_gemm.matmul, a, b)
        assert check.passed, f"the largest error is {check.worst:.3g} of its bound"
        by_columns = torch.empty(264, a.shape[0], device="cuda", dtype=torch.float16).t()
        hopper_persistent_gemm.matmul(a, b, by_columns)
        assert torch.equal(by_columns, hopper_persistent_gemm.matmul(a, b))


def test_matmul_without_elements():
    a, b = torch.empty(64, 0, device="cuda").half(), torch.empty(0, 128, device="cuda").half()
    assert torch.equal(hopper_persistent_gemm.matmul(a, b), torch.zeros(64, 128).half().cuda())
    assert hopper_persistent_gemm.matmul(a.t(), a).shape == (0, 0)


def test_matmul_in_a_graph():
    a, b = inputs(512, 256, 384, DTYPES[0])
    expected = hopper_persistent_gemm.matmul(a, b)
    c = torch.empty_like(expected)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        hopper_persistent_gemm.matmul(a, b, c)
    c.fill_(float("nan"))
    graph.replay()
    assert torch.equal(c, expected)


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2], ids=name)
@pytest.mark.parametrize("shape", random_shapes(20), ids=name)
def test_scaled_products(shape, dtype):
    m, n, k = shape[0], shape[1], -(-shape[2] // 16) * 16
    a, b = inputs(m, n, k, torch.float32, (False, True))
    a, b = a.to(dtype), b.to(dtype)
    generator = torch.Generator(device="cuda").manual_seed(m)
    a_scale = torch.rand(m, 1, device="cuda", generator=generator) + 0.5
    b_scale = torch.rand(1, n, device="cuda", generator=generator) + 0.5
    c = hopper_persistent_gemm.scaled_matmul(a, b, a_scale, b_scale)
    left, right = a.double() * a_scale, b.double() * b_scale
    # wgmma cuts sums of products of fp8 to 14 bits, once every 32 products.
    bound = 2**-11 * (left.abs() @ right.abs()) + 2**-8 * (left @ right).abs()
    assert ((c.double() - left @ right).abs() <= bound).all()


def test_memory_that_is_used_again(monkeypatch):
    monkeypatch.setattr(hopper_persistent_gemm, "MEASURED", 1)
    # Other matrices at the addresses of earlier ones, of the same shape, stored otherwise, with
    # other elements or of another shape.
    memory = torch.empty(3, 512 * 512, device="cuda", dtype=torch.float16)
    for _ in range(2):
        for m, n, k in ((256, 512, 384), (512, 256, 384), (512, 384, 256), (8, 16, 512)):
            for dtype in DTYPES:
                for by_columns in (False, True):
                    a, b, c = (
                        each.view(dtype)[: rows * columns].view(rows, columns)
                        for each, rows, columns in zip(
                            memory, (m, n if by_columns else k, m), (k, k if by_columns else n, n),
                            strict=True,
                        )
                    )  # fmt: skip
                    a.normal_()
                    b.normal_()
                    b = b.t() if by_columns else b
                    check = harness.check(lambda a, b, out, c=c: matmul_into(a, b, c, out), a, b)
                    assert check.passed, f"the largest error is {check.worst:.3g} of its bound"


def test_threads_that_have_not_used_the_gpu():
    """The first product of a shape, and another one of it, for which descriptors are encoded."""
    for _ in range(2):
        a, b = inputs(520, 1032, 264, DTYPES[0])
        c = torch.full((520, 1032), float("nan"), device="cuda", dtype=a.dtype)
        torch.cuda.synchronize()
        with futures.ThreadPoolExecutor(1) as pool:
            pool.submit(hopper_persistent_gemm.matmul, a, b, c).result()
        check = harness.check(lambda a, b, out, c=c: out.copy_(c), a, b)
        assert check.passed, f"the largest error is {check.worst:.3g} of its bound"


def test_candidates_are_compiled_on_the_stream_of_the_call():
    a, b = inputs(264, 520, 1032, DTYPES[0])
    c = torch.full((264, 520), float("nan"), device="cuda", dtype=a.dtype)
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        # Nothing may read A before this is over.
        torch.cuda._sleep(2 * 10**8)
        doubled = a * 2
        hopper_persistent_gemm.matmul(doubled, b, c)
    torch.cuda.synchronize()
    check = harness.check(lambda a, b, out, c=c: out.copy_(c), doubled, b)
    assert check.passed, f"the largest error is {check.worst:.3g} of its bound"


def test_more_addresses_than_are_kept(monkeypatch):
    monkeypatch.setattr(hopper_persistent_gemm, "MEASURED", 1)
    shape, count = (128, 256, 64), hopper_persistent_gemm.KEPT_DESCRIPTORS + 3
    pairs = [inputs(*shape, DTYPES[0]) for _ in range(count)]
    for a, _ in pairs:
        a.normal_()
    for _ in range(2):
        for a, b in pairs:
            check = harness.check(hopper_persistent_gemm.matmul, a, b)
            assert check.passed, f"the largest error is {check.worst:.3g} of its bound"


def test_matrices_that_do_not_fit():
    a = torch.empty(64, 64, device="cuda", dtype=torch.float16)
    for left, right in ((a, a[:32]), (a, a.bfloat16()), (a.float(), a.float())):
        with pytest.raises(ValueError, match="cannot multiply"):
            hopper_persistent_gemm.matmul(left, right)
    for out in (a[:32], a.float()):
        with pytest.raises(ValueError, match="out is"):
            hopper_persistent_gemm.matmul(a, a, out)


def test_matrices_elsewhere_than_the_last_ones():
    a = torch.ones(64, 64, device="cuda", dtype=torch.float16)
    # What was made for matrices on the GPU is not for others of their shapes.
    hopper_persistent_gemm.matmul(a, a, torch.empty_like(a))
    for matrices in ((a, a.cpu(), a), (a, a, a.cpu()), (a.cpu(), a.cpu(), a.cpu())):
        with pytest.raises(ValueError, match="they must be on one GPU"):
            hopper_persistent_gemm.matmul(*matrices)


def test_scales_that_do_not_fit():
    a = torch.ones(64, 64, device="cuda").to(torch.float8_e4m3fn)
    scale = torch.ones(64, 1, device="cuda")
    out = hopper_persistent_gemm.scaled_matmul(a, a.t(), scale, scale.t())
    # The same matrices without scales.
    with pytest.raises(ValueError, match="cannot multiply"):
        hopper_persistent_gemm.matmul(a, a.t(), out)
    for wrong in (scale.half(), scale[:32]):
        with pytest.raises(ValueError, match="with scales"):
            hopper_persistent_gemm.scaled_matmul(a, a.t(), scale, wrong)
    with pytest.raises(ValueError, match="with scales"):
        hopper_persistent_gemm.scaled_matmul(a.half(), a.half().t(), scale, scale)
    with pytest.raises(ValueError, match="they must be on one GPU"):
        hopper_persistent_gemm.scaled_matmul(a, a.t(), scale, scale.cpu())
