"""The figure that is made from result files."""

import json

import pytest

from bench import figure

RESULT = {
    "m": 64,
    "n": 128,
    "k": 256,
    "dtype": "float16",
    "contenders": {
        "cuBLAS": {"tflops": 2.0, "rounds": [2.0, 2.5]},
        "stock Triton": {"tflops": 1.5, "rounds": [1.0, 2.0]},
        "TLX": {"tflops": 2.2, "rounds": [2.2, 2.25]},
    },
}


def test_ratios_of_medians_and_of_rounds():
    assert figure.ratios(RESULT, "TLX") == pytest.approx((1.1, 0.9, 1.1))


def test_a_row_for_each_problem_from_the_top():
    contenders = {name: RESULT["contenders"][name] for name in ("cuBLAS", "stock Triton")}
    other = RESULT | {"m": 32, "contenders": contenders}
    (axes,) = figure.draw([RESULT, other], "").axes
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert labels == [figure.label(other), figure.label(RESULT)]
    dots = [line.get_xydata().round(2).tolist() for line in axes.lines if line.get_marker() in "os"]
    assert dots == [[[1.1, 1.14]], [[0.75, -0.14]], [[0.75, 0.86]]]


def test_attention_is_beside_its_own_library():
    contenders = RESULT["contenders"]
    result = {
        "direction": "backward",
        "length": 4096,
        "head_dim": 96,
        "dtype": "float16",
        "causal": True,
        "contenders": {"cuDNN": contenders["cuBLAS"], "TLX": contenders["TLX"]},
    }
    (axes,) = figure.draw([result], "").axes
    (label,) = axes.get_yticklabels()
    assert label.get_text() == "backward, head_dim 96, S = 4096, float16, causal"
    assert axes.get_xlabel() == "speed / cuDNN"
    assert figure.ratios(result, "TLX") == pytest.approx((1.1, 0.9, 1.1))


def test_the_same_results_make_the_same_file(tmp_path, monkeypatch):
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", str(tmp_path))
    document = {"benchmark": "gemm", "machine": {"gpu": "a GPU"}, "results": [RESULT, RESULT]}
    (tmp_path / "results.json").write_text(json.dumps(document))
    for name in ("first.svg", "second.svg"):
        assert figure.main(["results.json", "--out", name]) == 0
    first = (tmp_path / "first.svg").read_text()
    assert first == (tmp_path / "second.svg").read_text()
    assert not any(line.endswith(" ") for line in first.splitlines())
    assert "64 × 128 × 256, float16" in first and "gemm on a GPU" in first
