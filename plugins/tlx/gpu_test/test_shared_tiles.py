"""The persistent Hopper GEMM where programs share tiles, against a float64 reference."""

import dataclasses
import random

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

from bench import harness  # noqa: E402
from examples import hopper_gemm_configs, hopper_gemm_plans, hopper_persistent_gemm  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS

Config = hopper_gemm_configs.Config
Problem = hopper_gemm_plans.Problem
CONFIGS = [config for config in hopper_gemm_configs.candidates(2) if not config.pingpong]
# Shapes whose tiles are fewer than programs, or leave most of a last wave empty.
SHAPES = [(968, 952, 4032), (2232, 1128, 6520), (2472, 904, 7952), (1648, 1696, 1096)]


def name(value: object) -> str:
    """A short id of a test's argument."""
    if isinstance(value, Config):
        alone = f"{value.bm}x{value.bn}x{value.bk}"
        return alone if value.cluster == 1 else f"{alone}-cluster"
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    return str(value).removeprefix("torch.")


def processors() -> int:
    return torch.cuda.get_device_properties(0).multi_processor_count


def sharing(config: Config, m: int, n: int, k: int) -> list[Config]:
    """All ways that the model has to share a problem's tiles, and two that it would not take."""
    problem = Problem(m, n, k)
    ways = hopper_gemm_plans.shares_of(problem, config, processors())
    tiles, steps = hopper_gemm_plans.tiles_of(problem, config), -(-k // config.bk)
    # Parts of a step or two, and parts that are as good as whole tiles.
    few, most = min(tiles, 7), processors() // config.cluster
    ways += [(few, min(most, few * steps)), (min(tiles, most), most)]
    return [
        dataclasses.replace(config, shared=shared, sharers=sharers)
        for shared, sharers in ways
        if shared <= sharers <= shared * steps
    ]


def inputs(m: int, n: int, k: int, dtype=torch.float16) -> tuple[torch.Tensor, torch.Tensor]:
    """Random matrices."""
    generator = torch.Generator(device="cuda").manual_seed(m * 7 + n * 5 + k * 3)
    return harness.Problem(m, n, k, dtype).inputs(generator)


def assert_right(config: Config, a: torch.Tensor, b: torch.Tensor):
    check = harness.check(lambda a, b, c: hopper_persistent_gemm.Launch(a, b, c, config), a, b)
    assert check.passed, (
        f"{config}: the largest error is {check.worst:.3g} of its bound ({check.max_error:.3g})"
    )


def random_shapes(count: int) -> list[tuple[int, int, int]]:
    """M, N and K from 8 to 4000, small as likely as large; rows that TMA can read."""
    draw = random.Random(2029)
    shapes = []
    for _ in range(count):
        m, n, k = (round(8 * 500 ** draw.random()) for _ in range(3))
        shapes.append((m, -(-n // 8) * 8, -(-k // 8) * 8))
    return shapes


@pytest.mark.parametrize("shape", SHAPES + random_shapes(12), ids=name)
@pytest.mark.parametrize("config", CONFIGS, ids=name)
def test_shared_tiles(config, shape):
    a, b = inputs(*shape)
    for way in sharing(config, *shape):
        assert_right(way, a, b)


@pytest.mark.parametrize("config", CONFIGS, ids=name)
def test_the_last_wave(config):
    # Two full waves, and then one tile, half a wave, or all but one.
    wave = processors() // config.cluster
    for rest in (1, wave // 2, wave - 1):
        rows, columns = config.tile
        m, n, k = (2 * wave + rest) * rows, columns - 8, 16 * config.bk - 8
        a, b = inputs(m, n, k, torch.bfloat16)
        ways = [way for way in sharing(config, m, n, k) if way.shared == rest]
        assert ways
        for way in ways:
            assert_right(way, a, b)


@pytest.mark.parametrize("shape", SHAPES, ids=name)
@pytest.mark.parametrize("config", CONFIGS, ids=name)
def test_repeats_agree_to_the_bit(config, shape):
    # A part that is read before it is there, or a flag that is left up, shows in some launch.
    # Inputs change, so that what an earlier launch left in the workspace is wrong.
    m, n, k = shape
    a, b = inputs(m, n, k)
    c, expected = (torch.empty(m, n, device="cuda", dtype=a.dtype) for _ in range(2))
    way = max(sharing(config, m, n, k), key=lambda way: (way.sharers % way.shared, way.sharers))
    launch = hopper_persistent_gemm.Launch(a, b, c, way)
    wrong = torch.zeros((), device="cuda", dtype=torch.int64)
    for _ in range(50):
        a.normal_()
        b.normal_()
        launch(a, b, expected)
        for _ in range(4):
            c.fill_(float("nan"))
            launch(a, b, c)
            wrong += (c != expected).sum()
    assert wrong == 0
    check = harness.check(launch, a, b)
    assert check.passed, f"the largest error is {check.worst:.3g} of its bound"


def test_streams_and_graphs_have_workspaces_of_their_own():
    m, n, k = SHAPES[0]
    a, b = inputs(m, n, k)
    way = sharing(CONFIGS[2], m, n, k)[0]
    results = [torch.full((m, n), float("nan"), device="cuda", dtype=a.dtype) for _ in range(4)]
    launch = hopper_persistent_gemm.Launch(a, b, results[0], way)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch(a, b, results[1])
    streams = [torch.cuda.Stream() for _ in range(2)]
    torch.cuda.synchronize()
    for _ in range(20):
        graph.replay()
        for stream, c in zip(streams, results[2:], strict=True):
            with torch.cuda.stream(stream):
                launch(a, b, c)
    torch.cuda.synchronize()
    for c in results[1:]:
        assert torch.equal(c, results[0])


def test_scaled_products_share_tiles():
    m, n, k = 968, 952, 4032
    a, b = (matrix.to(torch.float8_e4m3fn) for matrix in inputs(m, n, k, torch.float32))
    b = b.t().contiguous().t()
    scales = torch.rand(m, 1, device="cuda") + 0.5, torch.rand(1, n, device="cuda") + 0.5
    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
    left, right = a.double() * scales[0], b.double() * scales[1]
    bound = 2**-11 * (left.abs() @ right.abs()) + 2**-8 * (left @ right).abs()
    for config in hopper_gemm_configs.candidates(1)[:2]:
        rest = hopper_gemm_plans.tiles_of(Problem(m, n, k, 1), config)
        way = dataclasses.replace(config, shared=rest, sharers=min(processors(), 3 * rest))
        hopper_persistent_gemm.Launch(a, b, c, way, scales)
        assert ((c.double() - left @ right).abs() <= bound).all()
        c.fill_(float("nan"))
