"""Kernels that start before the ones in front of them are over read and write what these leave."""

import dataclasses
import itertools

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

from examples import hopper_gemm_configs, hopper_gemm_plans  # noqa: E402
from examples.hopper_persistent_gemm import Launch  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS

CONFIGS = hopper_gemm_configs.candidates(2)
REPEATS = 200
NAN = float("nan")


def matrix(rows: int, columns: int) -> torch.Tensor:
    return torch.randn(rows, columns, device="cuda", dtype=torch.float16)


def launched(config: hopper_gemm_configs.Config, a: torch.Tensor, b: torch.Tensor) -> Launch:
    return Launch(a, b, a.new_empty(a.shape[0], b.shape[1]), config)


def name(config: hopper_gemm_configs.Config) -> str:
    return f"{config.bm}x{config.bn}x{config.bk}-{config.cluster_m}x{config.cluster_n}"


@pytest.mark.parametrize("config", CONFIGS, ids=name)
@pytest.mark.parametrize("size", [256, 1408])
def test_chains(config, size):
    # Of one tile or two, and of more tiles than programs. All products go through the same two
    # buffers, with kernels between some of them that poison what is to be written.
    a, b, scratch, out = (matrix(size, size) for _ in range(4))
    multiply = launched(config, a, b)
    wrong = torch.zeros((), device="cuda", dtype=torch.int64)
    expected = torch.empty_like(a)

    def chain(pause):
        for poison in (False, True):
            scratch.fill_(NAN)
            out.fill_(NAN)
            for source, target in ((a, scratch), (scratch, out), (out, scratch), (scratch, out)):
                if poison:
                    target.fill_(NAN)
                pause()
                multiply(source, b, target)
                pause()

    for _ in range(REPEATS // 20):
        a.normal_()
        b.normal_(std=size**-0.5)
        chain(torch.cuda.synchronize)
        expected.copy_(out)
        assert expected.isfinite().all()
        for _ in range(20):
            chain(lambda: None)
            wrong += (out != expected).sum()
    assert wrong == 0


def test_programs_that_share_tiles():
    # Launches of a stream hand accumulators over in the same memory, under the same flags.
    processors = torch.cuda.get_device_properties("cuda").multi_processor_count
    matrices = {size: [matrix(size, size) for _ in range(3)] for size in (1408, 1920)}
    launches = []
    for (size, (a, b, c)), plan in itertools.product(matrices.items(), (CONFIGS[0], CONFIGS[4])):
        problem = hopper_gemm_plans.Problem(size, size, size)
        for shared, sharers in hopper_gemm_plans.shares_of(problem, plan, processors):
            multiply = Launch(a, b, c, dataclasses.replace(plan, shared=shared, sharers=sharers))
            torch.cuda.synchronize()
            launches.append((multiply, a, b, c, c.clone()))
    assert len(launches) > 2
    wrong = torch.zeros((), device="cuda", dtype=torch.int64)
    for _ in range(REPEATS):
        for multiply, a, b, c, _ in launches:
            multiply(a, b, c)
        for multiply, a, b, c, expected in launches:
            c.fill_(NAN)
            multiply(a, b, c)
            wrong += (c != expected).sum()
    assert wrong == 0


@pytest.mark.parametrize("splits", [1, 3])
def test_inputs_are_overwritten_after_they_were_read(splits):
    config = dataclasses.replace(CONFIGS[2], splits=splits)
    a, b, first, second = (matrix(1408, 1408) for _ in range(4))
    kept = a.clone()
    multiply = launched(config, a, b)
    multiply(a, b, first)
    multiply(first, b, second)
    torch.cuda.synchronize()
    wrong = torch.zeros((), device="cuda", dtype=torch.int64)
    target, other = torch.empty_like(first), torch.empty_like(first)
    for _ in range(REPEATS):
        a.copy_(kept)
        target.fill_(NAN)
        multiply(a, b, target)
        # Writes what the kernel in front reads.
        multiply(target, b, a)
        other.copy_(a)
        wrong += (target != first).sum() + (other != second).sum()
    assert wrong == 0


def test_what_lies_two_kernels_back():
    # The kernel in the middle has one tile and is independent of both others.
    a, b, small = matrix(2048, 2048), matrix(2048, 2048), matrix(128, 256)
    first, second, tiny = torch.empty_like(a), torch.empty_like(a), matrix(128, 256)
    config = CONFIGS[0]
    large, little = launched(config, a, b), launched(config, small, matrix(256, 256))
    other = matrix(256, 256)
    large(a, b, first)
    torch.cuda.synchronize()
    large(first, b, second)
    torch.cuda.synchronize()
    expected, out = second.clone(), torch.empty_like(second)
    wrong = torch.zeros((), device="cuda", dtype=torch.int64)
    for _ in range(REPEATS):
        first.fill_(NAN)
        large(a, b, first)
        little(small, other, tiny)
        large(first, b, out)
        wrong += (out != expected).sum()
    assert wrong == 0


def test_streams_that_join_in_a_graph():
    a, b = matrix(1024, 1024), matrix(1024, 1024)
    left, right, out = (torch.empty_like(a) for _ in range(3))
    multiply = launched(CONFIGS[0], a, b)
    side = torch.cuda.Stream()
    multiply(a, b, left)
    multiply(b, a, right)
    torch.cuda.synchronize()
    multiply(left, right, out)
    expected = out.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        main = torch.cuda.current_stream()
        left.fill_(NAN)
        side.wait_stream(main)
        multiply(a, b, left)
        with torch.cuda.stream(side):
            right.fill_(NAN)
            multiply(b, a, right)
        main.wait_stream(side)
        multiply(left, right, out)
    wrong = torch.zeros((), device="cuda", dtype=torch.int64)
    for _ in range(REPEATS):
        for each in (left, right, out):
            each.fill_(NAN)
        graph.replay()
        wrong += (out != expected).sum()
    assert wrong == 0
