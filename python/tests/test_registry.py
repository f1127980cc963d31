"""Functions as named passes."""

import pytest
from kernels import compile_add_one

import triton_plugins
from triton_plugins import Pipeline, PipelineError, PluginConflictError, opt
from triton_plugins.keys import pipeline_key
from triton_plugins.registry import _passes

SEEN = []


@pytest.fixture(autouse=True)
def _forget(monkeypatch):
    """A name is for the process; the tests take theirs back."""
    monkeypatch.setattr("triton_plugins.registry._passes", dict(_passes))
    SEEN.clear()


def register(name, **kwargs):
    @triton_plugins.register_pass(name, **kwargs)
    def note(module, *args):
        SEEN.append((name, "ttg.num-warps" in str(module), *args))

    return note


def test_runs_by_name_as_any_pass():
    register("first", key="1")
    register("second", key="1")
    p = Pipeline().insert_after("ttgir", "convert_to_ttgpuir", "first", args=(3, "x"))
    p = p.insert_before("ttgir", "first", "second")
    compile_add_one(p)
    assert SEEN == [("second", True), ("first", True, 3, "x")]


def test_in_place_of_a_pass_and_of_all():
    register("first", key="1")
    compile_add_one(Pipeline().replace("ttgir", "coalesce", "first"))
    assert SEEN == [("first", True)]
    compile_add_one(Pipeline().override_stage("ttir", ["common.inliner", "first"]))
    assert SEEN[1:] == [("first", False)]


def test_stays_a_function():
    note = register("first")
    note("module")
    assert SEEN == [("first", False)]
    assert triton_plugins.register_pass("first")(note) is note


def test_names_that_are_taken(make_library):
    register("first")
    with pytest.raises(PluginConflictError, match=r"'first' is registered twice: by test_registry"):
        register("first")
    plugin = triton_plugins.load_path(make_library())
    with pytest.raises(PluginConflictError, match=f"loaded plugin {plugin.name}"):
        register(f"{plugin.name}_pass")


def test_plugin_that_comes_later(make_library):
    library = make_library("overlapping")
    register("overlapping_pass", key="1")
    triton_plugins.load_path(library)
    with pytest.raises(PluginConflictError, match="loaded plugin overlapping.*register.*note"):
        compile_add_one(Pipeline().append("ttgir", "overlapping_pass"))


@pytest.mark.parametrize("name", ["", "a.b", "1a", "a b"])
def test_names_that_cannot_be(name):
    with pytest.raises(PipelineError, match="cannot name a pass"):
        register(name)


def test_keys():
    keys = set()
    for name, key, args in (("a", "1", ()), ("b", "1", ()), ("c", "2", ()), ("d", "2", (3,))):
        register(name, key=key)
        keys.add(pipeline_key(Pipeline().append("ttgir", name, args=args)))
    assert len(keys) == 4

    @triton_plugins.register_pass("sourced")
    def sourced(module):
        """Its source is its key."""

    assert pipeline_key(Pipeline().append("ttgir", "sourced"))


def test_failure_names_it():
    @triton_plugins.register_pass("broken")
    def broken(module):
        raise KeyError("mine")

    with pytest.raises(KeyError) as error:
        compile_add_one(Pipeline("p").append("ttgir", "broken"))
    assert "function 'broken' of pipeline 'p' failed" in error.value.__notes__[0]


def test_pass_managers_cannot_run_it():
    register("first")
    with pytest.raises(PipelineError, match="'first' is a registered Python function"):
        opt.run_passes("module {}", ["first"])
