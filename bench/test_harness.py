"""What the harness accepts as right, and what it must not."""

import json

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch; it cannot be imported")

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
    assert check.passed and 0.1 < check.worst <= 1.0


def test_float32_accumulation_passes(inputs):
    assert harness.check(lambda a, b, out: out.copy_(a.float() @ b.float()), *inputs).passed


def test_an_element_that_is_not_written_fails(inputs):
    def all_but_one(a, b, out):
        kept = out[40, 50].clone()
        rounded(a, b, out)
        out[40, 50] = kept

    assert not harness.check(all_but_one, *inputs).passed


def test_a_product_that_leaves_out_one_step_fails(inputs):
    assert not harness.check(lambda a, b, out: rounded(a[:, 1:], b[1:], out), *inputs).passed


def test_a_swapped_pair_of_elements_fails(inputs):
    def swapped(a, b, out):
        rounded(a, b, out)
        out[[3, 4], 7] = out[[4, 3], 7]

    assert not harness.check(swapped, *inputs).passed


def test_the_summary_is_json():
    summary = harness.summarize({"x": [3.0, 1.0, 2.04]})
    assert json.loads(json.dumps(summary)) == {
        "x": {"tflops": 2.0, "min": 1.0, "max": 3.0, "rounds": [3.0, 1.0, 2.0]}
    }
