"""Stages and lists of stages that are overridden."""

import pytest
from kernels import compile_add_one

from triton_plugins import Pipeline, PipelineError, Step, inspection, on
from triton_plugins.keys import pipeline_key
from triton_plugins.plan import StockPass, place
from triton_plugins.target import Target

TARGETS = ["cuda:90", "gfx942"]
TTIR = ["common.inliner", "common.canonicalizer", "common.cse"]


def placed(pipeline, *lists):
    stocks = [[StockPass(name) for name in names.split()] for names in lists]
    entries = place(stocks, pipeline.edits, "ttgir", Target("cuda", 90))
    return [" ".join(e.name for e in manager if e.removed_by is None) for manager in entries]


def keep(module, metadata):
    return module


@pytest.mark.parametrize("target", TARGETS)
def test_passes_in_place_of_passes(target):
    asm = compile_add_one(Pipeline().override_stage("ttir", TTIR), target).asm
    plain = compile_add_one(target=target).asm
    assert asm["ttgir"] == plain["ttgir"]


@pytest.mark.parametrize("target", TARGETS)
def test_the_rest_of_the_stage_stays(target):
    """llir turns the module into text after its passes."""
    listed = inspection.passes(target)["llir"]
    passes = [Step(entry.name, entry.args) for manager in listed for entry in manager]
    asm = compile_add_one(Pipeline().override_stage("llir", passes), target).asm
    assert asm["llir"] == compile_add_one(target=target).asm["llir"]


def test_one_pass_and_none():
    assert placed(Pipeline().override_stage("ttgir", "x"), "t.a t.b", "t.c") == ["x", ""]
    assert placed(Pipeline().override_stage("ttgir", []), "t.a t.b", "t.c") == ["", ""]


def test_prepend_append_and_anchors_on_the_new_passes():
    p = Pipeline().append("ttgir", "z").prepend("ttgir", "a")
    p = (
        p.override_stage("ttgir", ["x", "y"])
        .insert_after("ttgir", "x", "n")
        .disable("ttgir", "t.a")
    )
    assert placed(p, "t.a t.b") == ["a x n y z"]


@pytest.mark.parametrize("target", TARGETS)
def test_function_in_place_of_a_stage(target):
    name = "ptx" if target.startswith("cuda") else "amdgcn"
    plain = compile_add_one(target=target).asm[name]
    seen = []

    def canned(source, metadata):
        seen.append((type(source).__name__, metadata["num_warps"]))
        metadata["name"] = "add_one"
        return plain

    pipeline = Pipeline().override_stage(name, canned).append(name, lambda text: f"{text}\n")
    assert compile_add_one(pipeline, target).asm[name] == f"{plain}\n"
    assert seen == [("str", 4)]


def test_function_in_place_of_a_stage_with_passes(test_pass):
    """The functions and passes around it get the module."""
    around = []
    p = Pipeline().override_stage("ttir", keep)
    p = p.prepend("ttir", Step(lambda module: around.append("before"), key="1"), test_pass)
    p = p.append("ttir", Step(lambda module: around.append(str(module)), key="2"))
    asm = compile_add_one(p).asm
    assert around[0] == "before" and "@foo" in around[1]
    # None of the stage's own passes ran.
    assert "tt.func public @foo" in asm["ttir"] and "arith.constant dense<1.0" in asm["ttir"]


def test_a_stage_that_returns_nothing():
    with pytest.raises(PipelineError, match="'p' says override_stage 'ttir' with nothing, but it"):
        compile_add_one(Pipeline("p").override_stage("ttir", nothing))


def nothing(module, metadata):
    """Forgets to return."""


def test_passes_cannot_override_text():
    with pytest.raises(PipelineError, match="works on text and runs no passes"):
        compile_add_one(Pipeline().override_stage("ptx", "common.cse"))


def test_predicates(test_pass):
    p = Pipeline().override_stage("ttir", keep, when=on("hip", num_warps=8))
    plain = compile_add_one(target="gfx942").asm["ttir"]
    assert compile_add_one(p, "gfx942").asm["ttir"] == plain
    assert compile_add_one(p, "gfx942", options={"num_warps": 8}).asm["ttir"] != plain
    assert compile_add_one(p, "cuda:90").asm["ttir"] == compile_add_one().asm["ttir"]


def test_predicate_on_an_option_that_does_not_exist():
    with pytest.raises(PipelineError, match="option 'num_warp' on cuda:90.*num_warps"):
        compile_add_one(Pipeline().override_stage("ttir", keep, when=on("cuda", num_warp=8)))


@pytest.mark.parametrize("target", TARGETS)
def test_all_stages(target):
    plain = compile_add_one(target=target)
    ran = []

    def middle(text, metadata):
        ran.append(type(text).__name__)
        return text

    text, binary = ("ptx", "cubin") if target.startswith("cuda") else ("amdgcn", "hsaco")
    stages = {"ttir": TTIR, "ttgir": None, "llir": None, text: None, "checked": middle}
    made = compile_add_one(Pipeline().override_pipeline({**stages, binary: None}), target)
    assert ran == ["str"]
    assert made.asm["checked"] == made.asm[text] == plain.asm[text]
    assert made.asm[binary] == plain.asm[binary]


def test_a_stage_that_is_left_out_is_not_there_for_others():
    short = Pipeline("short").override_pipeline(
        {"ttir": None, "cubin": lambda module, metadata: b"x"}, when=on("cuda")
    )
    with pytest.raises(
        PipelineError, match=r"'o' says append.*ttir, cubin. Pipeline 'short' chose"
    ):
        compile_add_one(Pipeline("o").append("ptx", lambda text: text) + short)


@pytest.mark.parametrize(
    "stages, message",
    [
        ({"ttgir": None, "cubin": None}, "starts with 'ttir' and ends with 'cubin'"),
        ({}, "starts with 'ttir' and ends with 'cubin'"),
        ({"ttir": None, "mine": None, "cubin": None}, "nothing says what the stage 'mine' runs"),
        ({"ttir": None, "mine": ["common.cse"], "cubin": None}, "Give it a function first"),
    ],
)
def test_lists_of_stages_that_cannot_be(stages, message):
    with pytest.raises(PipelineError, match=message):
        compile_add_one(Pipeline("p").override_pipeline(stages))


OVERRIDE = Pipeline("a").override_stage("ttgir", "x")
FUNCTION = Pipeline("a").override_stage("ttgir", keep)


@pytest.mark.parametrize(
    "one, other",
    [
        (OVERRIDE, Pipeline("b").override_stage("ttgir", "y")),
        (OVERRIDE, Pipeline("b").override_stage("ttgir", keep)),
        (OVERRIDE, Pipeline("b").insert_before("ttgir", "t.a", "y")),
        (OVERRIDE, Pipeline("b").replace("ttgir", "t.a", "y")),
        (FUNCTION, Pipeline("b").insert_after("ttgir", "t.a", "y")),
        (FUNCTION, Pipeline("b").disable("ttgir", "t.a")),
    ],
)
def test_contradictions_name_both_sides(one, other):
    for both in (one + other, other + one):
        with pytest.raises(PipelineError, match="contradict") as error:
            placed(both, "t.a t.b")
        for part in ("'a' says override_stage 'ttgir' with", "'b' says", "'ttgir'"):
            assert part in str(error.value)


def test_contradicting_lists_of_stages():
    one = Pipeline("a").override_pipeline({"ttir": None, "cubin": keep})
    other = Pipeline("b").override_pipeline({"ttir": None, "ttgir": None, "cubin": keep})
    with pytest.raises(PipelineError, match="list of stages: pipeline 'a'.*pipeline 'b'"):
        compile_add_one(one + other)


def test_agreement():
    assert placed(OVERRIDE + Pipeline("b").override_stage("ttgir", "x"), "t.a") == ["x"]


def test_keys():
    pipelines = [
        Pipeline().override_stage("ttir", ["common.cse"]),
        Pipeline().override_stage("ttir", []),
        Pipeline().override_stage("ttir", keep),
        Pipeline().override_pipeline({"ttir": None, "cubin": None}),
        Pipeline().override_pipeline({"ttir": None, "llir": None, "cubin": None}),
    ]
    assert len({pipeline_key(p) for p in pipelines}) == len(pipelines)
