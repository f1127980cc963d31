"""Activation: blocks, kernels, threads, other people's hooks, and what a launch costs."""

import builtins
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import triton
from kernels import add_one, compile_add_one
from triton import knobs
from triton.runtime.jit import JITFunction

import triton_plugins
from triton_plugins import Pipeline, PipelineError


@pytest.fixture
def rename(test_pass):
    """A pipeline whose effect shows in the name of the compiled kernel: `foo`."""
    return Pipeline("rename").insert_after("ttgir", "convert_to_ttgpuir", test_pass)


@pytest.fixture
def kernel():
    """A fresh kernel with empty caches."""
    return JITFunction(add_one.fn)


def launch(kernel, pointer, **kwargs):
    return kernel[(1,)](pointer, 100, **{"BLOCK": 1024, **kwargs})


def noting(name, log):
    """A step that notes that it ran."""

    def step(module):
        log.append(name)

    return triton_plugins.Step(step, key=name)


def test_block(driver, kernel, pointer, rename):
    launch(kernel, pointer)
    with rename:
        launch(kernel, pointer)
    launch(kernel, pointer)
    assert driver.launches == ["add_one", "foo", "add_one"]


def test_use_makes_a_second_kernel(driver, kernel, pointer, rename):
    renamed = triton_plugins.use(rename)(kernel)
    assert isinstance(renamed, JITFunction)
    assert renamed.__name__ == kernel.__name__
    assert renamed.arg_names == kernel.arg_names
    for k in (kernel, renamed, kernel):
        launch(k, pointer)
    assert driver.launches == ["add_one", "foo", "add_one"]
    assert kernel.warmup(pointer, 100, BLOCK=1024, grid=(1,)).name == "add_one"
    assert renamed.warmup(pointer, 100, BLOCK=1024, grid=(1,)).name == "foo"


def test_two_pipelines_live_side_by_side(driver, kernel, pointer):
    log = []
    kernels = [
        triton_plugins.use(Pipeline(name).append("ttgir", noting(name, log)))(kernel)
        for name in "ab"
    ]
    for k in kernels * 3:
        launch(k, pointer)
    assert log == ["a", "b"]


def test_nested_activations_compose_from_the_outside_in(driver, kernel, pointer):
    log = []
    a, b, c = (Pipeline(name).append("ttgir", noting(name, log)) for name in "abc")
    inner = triton_plugins.use(b)(triton_plugins.use(c)(kernel))
    with a:
        launch(inner, pointer)
        assert log == ["a", "b", "c"]
        with c:
            launch(kernel, pointer)
        launch(inner, pointer)
    assert log == ["a", "b", "c", "a", "c"]
    launch(inner, pointer)
    assert log[5:] == ["b", "c"]


def test_block_that_fails(driver, kernel, pointer, rename):
    with pytest.raises(KeyError), rename:
        raise KeyError
    launch(kernel, pointer)
    assert driver.launches == ["add_one"]


def test_autotuner_and_heuristics(driver, kernel, pointer, rename):
    def tuned(k):
        return triton.autotune([triton.Config({"BLOCK": n}) for n in (256, 512)], key=["n"])(k)

    def guessed(k):
        return triton.heuristics({"BLOCK": lambda args: 256})(k)

    use = triton_plugins.use(rename)
    for made in (
        use(tuned(kernel)),
        tuned(use(kernel)),
        use(guessed(kernel)),
        guessed(use(kernel)),
    ):
        driver.launches.clear()
        made[(1,)](pointer, 100)
        assert set(driver.launches) == {"foo"}
    driver.launches.clear()
    tuned(kernel)[(1,)](pointer, 100)
    assert set(driver.launches) == {"add_one"}


def test_tuner_of_the_kernel_below_keeps_its_choice(driver, kernel, pointer, rename):
    below = triton.autotune([triton.Config({"BLOCK": n}) for n in (256, 512)], key=["n"])(kernel)
    above = triton_plugins.use(rename)(below)
    above[(1,)](pointer, 100)
    assert above.cache and not below.cache


def test_use_takes_kernels_only(rename):
    with pytest.raises(PipelineError, match="is none"):
        triton_plugins.use(rename)(print)
    with pytest.raises(PipelineError, match="takes a Pipeline"):
        triton_plugins.use("tlx")


def test_interpreted_kernels_stay_as_they_are(rename):
    from triton.runtime.interpreter import InterpretedFunction

    interpreted = InterpretedFunction(add_one.fn)
    assert triton_plugins.use(rename)(interpreted) is interpreted


def test_threads(driver, pointer, test_pass):
    """Eight threads with and without pipelines: each compilation sees its own, and the slot is
    empty at the end."""
    log = []
    pipelines = [
        None,
        *(Pipeline(n).append("ttgir", triton_plugins.Step(_Named(n, log), key=n)) for n in "abc"),
    ]
    barrier = threading.Barrier(8)

    def work(index):
        barrier.wait()
        names = []
        for turn in range(4):
            pipeline = pipelines[(index + turn) % 4]
            mine = JITFunction(add_one.fn)
            constants = {"BLOCK": 32 << turn, "num_warps": 1 << index % 3}
            if pipeline is None:
                launch(mine, pointer, **constants)
            else:
                with pipeline:
                    launch(mine, pointer, **constants)
            names.append(pipeline.name if pipeline else None)
        return names

    with ThreadPoolExecutor(8) as pool:
        asked = [name for names in pool.map(work, range(8)) for name in names if name]
    # Compilations of one key in two threads may share the result through the disk.
    assert set(log) == {"a", "b", "c"}
    assert all((name in asked) for name in log)
    assert len(driver.launches) == 32


class _Named:
    """A step that notes its name."""

    def __init__(self, name, log):
        self.name = name
        self.log = log

    def __call__(self, module):
        self.log.append(self.name)


def test_machine_code_of_threads_is_that_of_one_thread(rename, monkeypatch):
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    pipelines = [None, rename, Pipeline("d").disable("ttgir", "coalesce")]
    targets = ["cuda:80", "cuda:90", "gfx942", "gfx950"]
    jobs = [(pipeline, target) for pipeline in pipelines for target in targets]

    def code(job):
        asm = compile_add_one(*job).asm
        return asm.get("cubin") or asm["hsaco"]

    alone = [code(job) for job in jobs]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(2):
            assert list(pool.map(code, jobs)) == alone


def test_asynchronous_compilation(driver, kernel, pointer, rename):
    with ThreadPoolExecutor(2) as pool:
        with triton.AsyncCompileMode(pool):
            plain = kernel.warmup(pointer, 100, BLOCK=1024, grid=(1,))
            used = triton_plugins.use(rename)(kernel).warmup(pointer, 100, BLOCK=1024, grid=(1,))
            with rename:
                block = kernel.warmup(pointer, 100, BLOCK=512, grid=(1,))
            plain_again = kernel.warmup(pointer, 100, BLOCK=512, grid=(1,))
        names = [k.result().name for k in (plain, used, block, plain_again)]
    assert names == ["add_one", "foo", "foo", "add_one"]


def test_asynchronous_mode_inside_a_block(driver, kernel, pointer, rename):
    with ThreadPoolExecutor(2) as pool, rename, triton.AsyncCompileMode(pool):
        future = kernel.warmup(pointer, 100, BLOCK=1024, grid=(1,))
    assert future.result().name == "foo"


class Hook:
    """Somebody else's hook, which may keep the one before it."""

    def __init__(self, name, previous=None):
        self.name = name
        self.previous = previous
        self.stages = []

    def __call__(self, backend=None, stages=None, options=None, language=None, capability=None):
        if stages is None:
            before = self.previous() if self.previous else ("", "")
            return before[0] + self.name, before[1] + self.name
        if self.previous:
            self.previous(backend, stages, options, language, capability)
        self.stages.append(list(stages))
        inner = stages["ttir"]
        stages["ttir"] = lambda source, metadata: inner(source, metadata)


@pytest.fixture
def set_hook():
    def put(hook):
        knobs.runtime.add_stages_inspection_hook = hook
        return hook

    yield put
    knobs.runtime.add_stages_inspection_hook = None


def test_hook_that_was_there_before(driver, kernel, pointer, rename, set_hook):
    hook = set_hook(Hook("theirs"))
    launch(kernel, pointer)
    with rename:
        launch(kernel, pointer)
        key = knobs.runtime.add_stages_inspection_hook()
    launch(triton_plugins.use(rename)(kernel), pointer)
    assert knobs.runtime.add_stages_inspection_hook is hook
    assert driver.launches == ["add_one", "foo", "foo"]
    assert hook.stages, "their hook saw the stages"
    # Both have their say in the key.
    assert key[0].startswith("theirs-triton_plugins-")
    assert key[1].startswith("theirs") and len(key[1]) > 64


def test_hook_that_is_set_in_a_block_and_keeps_ours(driver, kernel, pointer, rename, set_hook):
    with rename:
        hook = set_hook(Hook("theirs", knobs.runtime.add_stages_inspection_hook))
        launch(kernel, pointer)
    assert knobs.runtime.add_stages_inspection_hook is hook
    launch(kernel, pointer)
    # Ours is now below theirs and above it at once: it must neither recurse nor count twice.
    log = []
    with Pipeline("n").append("ttgir", noting("n", log)):
        launch(kernel, pointer)
    assert driver.launches == ["foo", "add_one", "add_one"]
    assert log == ["n"]
    assert knobs.runtime.add_stages_inspection_hook is hook


def test_hook_that_replaces_ours_in_a_block_keeps_the_slot(
    driver, kernel, pointer, rename, set_hook
):
    with rename:
        hook = set_hook(Hook("theirs"))
        with rename:
            launch(kernel, pointer)
    assert knobs.runtime.add_stages_inspection_hook is hook
    assert driver.launches == ["foo"]


def test_warm_launches_read_no_file_and_hash_nothing(driver, kernel, pointer, rename, monkeypatch):
    import hashlib

    used = triton_plugins.use(rename)(kernel)
    with rename:
        launch(kernel, pointer)
    launch(used, pointer)

    def forbidden(*args, **kwargs):
        raise AssertionError("a warm launch must not do this")

    monkeypatch.setattr(builtins, "open", forbidden)
    monkeypatch.setattr(hashlib, "sha256", forbidden)
    launch(used, pointer)
    with rename:
        launch(kernel, pointer)
    assert driver.launches == ["foo"] * 4


def test_a_used_kernel_leaves_the_slot_alone_when_warm(driver, kernel, pointer, rename):
    used = triton_plugins.use(rename)(kernel)
    launch(used, pointer)
    seen = []
    used.pre_run_hooks.append(
        lambda *args, **kwargs: seen.append(knobs.runtime.add_stages_inspection_hook)
    )
    launch(used, pointer)
    assert seen == [None]
    assert not kernel.pre_run_hooks


def test_block_shares_the_disk_cache_between_kernels(driver, pointer):
    log = []
    pipeline = Pipeline("n").append("ttgir", noting("n", log))
    for _ in range(3):
        with pipeline:
            launch(JITFunction(add_one.fn), pointer)
    assert log == ["n"]
