"""Pipelines as values, and where their edits land in a list of passes."""

import functools

import pytest

from triton_plugins import Pipeline, PipelineError, Step, Target, on
from triton_plugins.plan import StockPass, matches, place
from triton_plugins.target import parse_target

TARGET = Target("cuda", 90)


def placed(pipeline, *lists, target=TARGET):
    """Names of what runs, one list for each pass manager."""
    stocks = [[StockPass(name) for name in names.split()] for names in lists]
    entries = place(stocks, pipeline.edits, "ttgir", target)
    return [" ".join(e.name for e in manager if e.removed_by is None) for manager in entries]


def function(module):
    """A step."""


def test_methods_return_new_pipelines():
    empty = Pipeline("p")
    longer = empty.insert_before("ttgir", "x", "y")
    assert empty.edits == ()
    assert len(longer.edits) == 1
    assert longer == Pipeline("p").insert_before("ttgir", "x", "y")
    with pytest.raises(AttributeError):
        longer.name = "other"


def test_insertions_keep_their_order():
    p = Pipeline().insert_before("ttgir", "b", "p1", "p2").insert_before("ttgir", "b", "p3")
    p = p.insert_after("ttgir", "b", "q1", "q2").insert_after("ttgir", "b", "q3")
    assert placed(p, "t.a t.b t.c") == ["t.a p1 p2 p3 t.b q1 q2 q3 t.c"]


def test_steps_can_be_anchors():
    first = Pipeline("a").insert_after("ttgir", "a", "lower")
    second = (
        Pipeline("b")
        .insert_before("ttgir", "lower", "prepare")
        .insert_after("ttgir", "lower", "clean")
    )
    assert placed(first + second, "t.a t.b") == ["t.a prepare lower clean t.b"]


def test_functions_are_steps_named_after_themselves():
    p = Pipeline().insert_after("ttgir", "a", function, functools.partial(function))
    assert placed(p, "t.a") == ["t.a function function"]


@pytest.mark.parametrize(
    "occurrence, expected",
    [
        ("first", "x t.a t.b t.a t.a"),
        ("last", "t.a t.b t.a x t.a"),
        ("all", "x t.a t.b x t.a x t.a"),
        (1, "t.a t.b x t.a t.a"),
        (-2, "t.a t.b x t.a t.a"),
    ],
)
def test_occurrences(occurrence, expected):
    p = Pipeline().insert_before("ttgir", "a", "x", occurrence=occurrence)
    assert placed(p, "t.a t.b t.a t.a") == [expected]


def test_occurrences_count_over_the_pass_managers_of_a_stage():
    p = Pipeline().insert_after("ttgir", "a", "x", occurrence="last")
    assert placed(p, "t.a", "t.b t.a") == ["t.a", "t.b t.a x"]


def test_prepend_and_append():
    p = (
        Pipeline()
        .append("ttgir", "z1")
        .prepend("ttgir", "a1")
        .append("ttgir", "z2")
        .prepend("ttgir", "a2")
    )
    assert placed(p, "t.a", "t.b") == ["a1 a2 t.a", "t.b z1 z2"]


def test_disable_and_replace():
    assert placed(Pipeline().disable("ttgir", "a"), "t.a t.b t.a") == ["t.b"]
    assert placed(Pipeline().disable("ttgir", "a", occurrence="last"), "t.a t.b t.a") == ["t.a t.b"]
    assert placed(Pipeline().replace("ttgir", "a", "x", "y"), "t.a t.b t.a") == ["x y t.b x y"]


def test_a_removed_pass_is_still_an_anchor():
    p = (
        Pipeline()
        .replace("ttgir", "b", "x")
        .insert_before("ttgir", "b", "p")
        .insert_after("ttgir", "b", "q")
    )
    assert placed(p, "t.a t.b t.c") == ["t.a p x q t.c"]


def test_qualified_names():
    assert matches("amd.ttgpuir.pipeline", "pipeline")
    assert matches("amd.ttgpuir.pipeline", "ttgpuir.pipeline")
    assert matches("amd.ttgpuir.pipeline", "amd.ttgpuir.pipeline")
    assert not matches("ttgpuir.pipeline", "amd.ttgpuir.pipeline")
    assert not matches("ttgpuir.warp_pipeline", "pipeline")


def test_when():
    p = (
        Pipeline()
        .insert_before("ttgir", "a", "nv", when=on("cuda", 90, 100))
        .insert_before("ttgir", "a", "amd", when=on("hip"))
    )
    p = p.insert_before("ttgir", "nosuch", "x", when=lambda target: target.arch == "gfx950")
    assert placed(p, "t.a") == ["nv t.a"]
    assert placed(p, "t.a", target=Target("cuda", 80)) == ["t.a"]
    assert placed(p, "t.a", target=Target("hip", "gfx942")) == ["amd t.a"]


def test_missing_anchor_lists_near_names_and_the_passes():
    with pytest.raises(PipelineError) as error:
        placed(Pipeline("mine").insert_before("ttgir", "colesce", "x"), "ttgpuir.coalesce ttir.cse")
    text = str(error.value)
    assert "'mine' says insert_before 'colesce' in stage 'ttgir': x" in text
    assert "(near: ttgpuir.coalesce" in text
    assert "runs there: ttgpuir.coalesce, ttir.cse." in text


def test_anchor_that_a_pipeline_further_inside_brings():
    inner = Pipeline("inner").insert_after("ttgir", "a", "lower")
    outer = Pipeline("outer").insert_after("ttgir", "lower", "x")
    with pytest.raises(PipelineError, match="pipeline 'inner' puts it there, but .* first, with"):
        placed(outer + inner, "t.a")
    assert placed(inner + outer, "t.a") == ["t.a lower x"]


def test_missing_occurrence():
    with pytest.raises(PipelineError, match="runs it 2 times, so there is no occurrence 2"):
        placed(Pipeline().disable("ttgir", "a", occurrence=2), "t.a t.a")


@pytest.mark.parametrize(
    "second",
    [
        Pipeline("b").replace("ttgir", "t.a", "x"),
        Pipeline("b").replace("ttgir", "a", "y", occurrence=0),
    ],
)
def test_contradictions_name_both_sides_and_the_pass(second):
    with pytest.raises(PipelineError) as error:
        placed(Pipeline("a").disable("ttgir", "a") + second, "t.a t.b")
    for part in ("'t.a'", "'a' says disable", "'b' says replace"):
        assert part in str(error.value)


def test_agreement_is_no_contradiction():
    p = Pipeline("a").disable("ttgir", "a") + Pipeline("b").disable("ttgir", "t.a")
    assert placed(p, "t.a t.b") == ["t.b"]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Pipeline().insert_before("ttgir", "a"), "has no step"),
        (lambda: Pipeline().insert_before("ttgir", "a", 3), "is no step"),
        (
            lambda: Pipeline().insert_before("ttgir", "a", "x", occurrence="second"),
            "occurrence='second' is unknown",
        ),
        (lambda: Pipeline().insert_before("ttgir", "a", "x", "y", args=("1",)), "exactly one step"),
        (lambda: Pipeline().append("ttgir", function, args=("1",)), "functools.partial"),
    ],
)
def test_malformed_edits(make, message):
    with pytest.raises(PipelineError, match=message):
        make()


def test_args_of_a_step():
    (edit,) = Pipeline().append("ttgir", "x", args=("a", "b")).edits
    assert edit.steps == (Step("x", ("a", "b")),)
    assert Step("x", "one").args == ("one",)


def test_adding_something_else():
    with pytest.raises(TypeError):
        Pipeline() + "x"


@pytest.mark.parametrize(
    "text, backend, arch, warp",
    [
        ("cuda:90", "cuda", 90, 32),
        ("sm_90a", "cuda", 90, 32),
        ("sm100", "cuda", 100, 32),
        ("gfx942", "hip", "gfx942", 64),
        ("hip:gfx90a", "hip", "gfx90a", 64),
        ("hip:gfx1201", "hip", "gfx1201", 32),
    ],
)
def test_targets(text, backend, arch, warp):
    target = parse_target(text)
    assert (target.backend, target.arch, target.warp_size) == (backend, arch, warp)


def test_no_target():
    with pytest.raises(PipelineError, match="'h100' is no target"):
        parse_target("h100")
