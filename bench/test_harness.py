"""What the harness accepts as right and what it must not, and how it compares times."""

import functools
import json

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch; it cannot be imported")

import triton  # noqa: E402

from bench import harness  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@pytest.fixture(params=[torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
def inputs(request):
    generator = torch.Generator(device=DEVICE).manual_seed(5)
    return harness.Problem(96, 80, 1000, request.param).inputs(generator)


def rounded(a, b, out):
    """The best result that the output's type can hold."""
    out.copy_(a.double() @ b.double())


def test_a_right_product_passes(inputs):
    check = harness.check(rounded, *inputs)
    assert check.passed and 0.5 < check.worst <= 1.0


def test_float32_accumulation_passes(inputs):
    assert harness.check(lambda a, b, out: out.copy_(a.float() @ b.float()), *inputs).passed


def test_an_element_that_is_not_written_fails(inputs):
    def all_but_one(a, b, out):
        kept = out[40, 50].clone()
        rounded(a, b, out)
        out[40, 50] = kept

    # What memory often holds by itself would be right here.
    inputs[0][40] = 0
    assert not harness.check(all_but_one, *inputs).passed


def test_a_product_that_leaves_out_one_step_fails(inputs):
    assert not harness.check(lambda a, b, out: rounded(a[:, 1:], b[1:], out), *inputs).passed


def test_a_swapped_pair_of_elements_fails(inputs):
    def swapped(a, b, out):
        rounded(a, b, out)
        out[[3, 4], 7] = out[[4, 3], 7]

    assert not harness.check(swapped, *inputs).passed


def test_an_error_in_any_row_fails():
    def wrong(a, b, out):
        rounded(a, b, out)
        out[0, 0] += 1

    a, b = torch.randn(3000, 16).half(), torch.randn(16, 16).half()
    assert harness.check(rounded, a, b).passed
    assert not harness.check(wrong, a, b).passed


@pytest.mark.parametrize(("worst", "passed"), [(1.0, True), (1.01, False), (float("nan"), False)])
def test_errors_have_a_bound(worst, passed):
    assert harness.Check(worst, 0.1).passed == passed


@pytest.mark.parametrize("names", [("right", "wrong"), ("wrong", "right")])
def test_each_contender_is_checked(inputs, names):
    problem = harness.Problem(96, 80, 1000, inputs[0].dtype)
    contenders = {"right": rounded, "wrong": lambda a, b, out: out.zero_()}
    assert harness.check_all(problem, {"right": rounded}, *inputs)["right"].passed
    with pytest.raises(ArithmeticError, match="^wrong is wrong on .*: the largest error is"):
        harness.check_all(problem, {name: contenders[name] for name in names}, *inputs)


@pytest.fixture
def clock(monkeypatch):
    """What is timed tells itself how many milliseconds it takes."""
    monkeypatch.setattr(triton.testing, "do_bench", lambda run, **_: run())


def test_contenders_take_turns(clock):
    log = []

    def run(name, milliseconds):
        log.append(name)
        return milliseconds

    contenders = {"x": functools.partial(run, "x", 1), "y": functools.partial(run, "y", 2)}
    speeds = harness.take_turns(contenders, lambda: log.append("inputs"), flops=4 * 10**9, rounds=2)
    assert log == ["inputs", "x", "y", "inputs", "y", "x"]
    assert speeds == {"x": [4.0, 4.0], "y": [2.0, 2.0]}


def test_the_fastest_of_those_that_run(clock):
    def fails(error):
        raise error

    errors = {
        "pass": RuntimeError("a pass failed"),
        "kernel": triton.CompilationError(None, None, "no such name"),
        "memory": triton.runtime.errors.OutOfResources(2, 1, "shared memory"),
    }
    failing = {name: functools.partial(fails, error) for name, error in errors.items()}
    assert harness.fastest_of({"a": lambda: 2, "b": lambda: 1, "c": lambda: 3} | failing) == "b"
    with pytest.raises(RuntimeError, match="no candidate runs on this GPU: pass: a pass failed; "):
        harness.fastest_of(failing)


def test_the_summary_is_json():
    summary = harness.summarize({"x": [6.0, 1.0, 2.04]})
    assert json.loads(json.dumps(summary)) == {
        "x": {"tflops": 2.0, "min": 1.0, "max": 6.0, "rounds": [6.0, 1.0, 2.0]}
    }
