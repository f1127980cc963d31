"""Cache keys: equal when nothing changed, different when something did."""

import functools
import os
import subprocess
import sys

import pytest
from kernels import add_one
from triton.runtime.jit import JITFunction

import triton_plugins
from triton_plugins import Pipeline, PipelineError, PluginNotLoadedError, Step, keys, on
from triton_plugins.keys import describe, pipeline_key

LIMIT = 4


def helper(x):
    return x + LIMIT


def step(module, depth=2):
    return helper(depth)


def closing_over(value):
    def inner(module):
        return value

    return inner


def with_step(run, **kwargs):
    return pipeline_key(Pipeline().append("ttgir", run, **kwargs))


def test_same_in_another_process():
    code = "from test_keys import *; print(with_step(step), with_step('common.cse'))"
    for seed in "12":
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PYTHONHASHSEED": seed,
        }
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.split() == [
            with_step(step),
            with_step("common.cse"),
        ]


def test_everything_of_an_edit_counts():
    base = Pipeline("p").insert_before("ttgir", "a", "common.cse")
    others = [
        Pipeline("p").insert_after("ttgir", "a", "common.cse"),
        Pipeline("p").insert_before("llir", "a", "common.cse"),
        Pipeline("p").insert_before("ttgir", "b", "common.cse"),
        Pipeline("p").insert_before("ttgir", "a", "common.sccp"),
        Pipeline("p").insert_before("ttgir", "a", "common.cse", args=(1,)),
        Pipeline("p").insert_before("ttgir", "a", "common.cse", args=("1",)),
        Pipeline("p").insert_before("ttgir", "a", "common.cse", occurrence="last"),
        Pipeline("p").insert_before("ttgir", "a", "common.cse", when=on("cuda")),
        Pipeline("p").insert_before("ttgir", "a", "common.cse", when=on("cuda", 90)),
        Pipeline("p"),
        base + base,
    ]
    assert len({pipeline_key(p) for p in (base, *others)}) == len(others) + 1


def test_the_name_does_not_count():
    first, second = (Pipeline(name).insert_before("ttgir", "a", "common.cse") for name in "pq")
    assert pipeline_key(first) == pipeline_key(second)


def test_computed_once(monkeypatch):
    pipeline = Pipeline().append("ttgir", step)
    pipeline_key(pipeline)
    monkeypatch.setattr(keys, "_edit", None)
    pipeline_key(pipeline)


def test_library_bytes_count(make_library):
    first = triton_plugins.load_path(make_library())
    second = triton_plugins.load_path(make_library(passes=["second_build_pass"]))
    assert with_step(f"{first.name}_pass") != with_step("second_build_pass")
    object.__setattr__(second, "digest", "another build")
    assert with_step("second_build_pass") != with_step(Step("second_build_pass", ("x",)))


def test_pass_of_no_plugin():
    with pytest.raises(PluginNotLoadedError, match=r"'zzz_pass'.*load\('zzz'\)"):
        with_step("zzz_pass")


def test_closures_defaults_and_bound_arguments_count():
    texts = [
        describe(closing_over(1)),
        describe(closing_over(2)),
        describe(closing_over([1])),
        describe(closing_over({"a": 1})),
        describe(functools.partial(step, depth=1)),
        describe(functools.partial(step, depth=2)),
        describe(step),
        describe(lambda module: 1),
    ]
    assert len(set(texts)) == len(texts)
    assert describe(closing_over(1)) == describe(closing_over(1))


def test_globals_of_the_module_count(monkeypatch):
    before = describe(step)
    monkeypatch.setattr(sys.modules[__name__], "LIMIT", 5)
    assert describe(step) != before


@pytest.mark.parametrize(
    "use", ["import helping\ndef run(module): helping.step()", "from helping import step as run"]
)
def test_source_of_other_modules_counts(use, tmp_path):
    texts = set()
    for body in ("pass", "return 1", "pass"):
        (tmp_path / "helping.py").write_text(f"def step(module=None): {body}\n")
        code = f"from triton_plugins.keys import describe\n{use}\nprint(describe(run))"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        command = [sys.executable, "-B", "-c", code]
        ran = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
        texts.add(ran.stdout)
    assert len(texts) == 2


def test_recursion_ends():
    def forever(module):
        return forever(module)

    assert describe(forever) == describe(forever)


def test_functions_without_source():
    namespace = {}
    exec("def f(module): return 1\ndef g(module): return 2", namespace)
    assert describe(namespace["f"]) != describe(namespace["g"])


def test_objects_without_a_stable_text():
    with pytest.raises(PipelineError, match=r"text changes from run to run.*Step\(function, key="):
        with_step(closing_over(object()))
    assert with_step(Step(closing_over(object()), key="1")) != with_step(
        Step(closing_over(object()), key="2")
    )


def test_two_pipelines_live_side_by_side_on_disk(driver, pointer):
    ran = []
    pipelines = [
        Pipeline(name).append("ttgir", Step(functools.partial(_note, ran, name), key=name))
        for name in "ab"
    ]
    for _ in range(3):
        for pipeline in (*pipelines, None):
            # Nothing in memory.
            kernel = JITFunction(add_one.fn)
            used = triton_plugins.use(pipeline)(kernel) if pipeline else kernel
            used[(1,)](pointer, 100, BLOCK=128)
    assert ran == ["a", "b"]


def _note(ran, name, module):
    ran.append(name)


def test_callable_objects():
    class Configured:
        def __init__(self, depth):
            self.depth = depth

        def __call__(self, module):
            return self.depth

        def __repr__(self):
            return f"Configured({self.depth})"

    assert describe(Configured(1)) != describe(Configured(2))
