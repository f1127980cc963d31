"""Pipelines that are installed in the whole process."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import triton
from kernels import add_one, compile_add_one
from triton import knobs
from triton.runtime.jit import JITFunction

import triton_plugins
from triton_plugins import Pipeline, PipelineError, Step
from triton_plugins.activation import installed

RAN = []


def noting(name):
    return Pipeline(name).append("ttgir", Step(lambda module: RAN.append(name), key=name))


A, B, C = noting("a"), noting("b"), noting("c")


@pytest.fixture(autouse=True)
def _clean():
    RAN.clear()
    yield
    assert installed.activation is None


@pytest.fixture
def install():
    """Installs pipelines until the end of the test."""
    made = []

    def put(*pipelines):
        for pipeline in pipelines:
            pipeline.install()
            made.append(pipeline)

    yield put
    for pipeline in made:
        pipeline.uninstall()


@pytest.fixture
def kernel():
    return JITFunction(add_one.fn)


def launch(kernel, pointer, **kwargs):
    return kernel[(1,)](pointer, 100, **{"BLOCK": 1024, **kwargs})


def test_every_kernel_and_thread_until_uninstalled(driver, kernel, pointer):
    launch(kernel, pointer)
    A.install()
    assert knobs.runtime.add_stages_inspection_hook is not None
    launch(kernel, pointer)
    thread = threading.Thread(
        target=launch, args=(JITFunction(add_one.fn), pointer), kwargs={"BLOCK": 64}
    )
    thread.start()
    thread.join()
    A.uninstall()
    assert knobs.runtime.add_stages_inspection_hook is None
    launch(kernel, pointer, BLOCK=32)
    assert RAN == ["a", "a"]
    # What was compiled before is still there.
    launch(kernel, pointer)
    assert len(driver.launches) == 5


def test_installed_pipelines_are_outermost_the_first_one_first(driver, kernel, pointer, install):
    used = triton_plugins.use(noting("used"))(kernel)
    with C:
        install(A, B)
        launch(used, pointer)
    assert RAN == ["a", "b", "c", "used"]
    RAN.clear()
    launch(kernel, pointer)
    assert RAN == ["a", "b"]


def test_any_order_of_uninstalling(install):
    install(A)
    B.install()
    C.install()
    B.uninstall()
    compile_add_one()
    C.uninstall()
    assert RAN == ["a", "c"]


def test_the_key_is_that_of_the_same_blocks(install):
    with A, B:
        inside = compile_add_one().hash
    install(A)
    with B:
        assert compile_add_one().hash == inside
    assert RAN == ["a", "b"]


def test_twice(install):
    install(A)
    with pytest.raises(PipelineError, match="'a' is installed already"):
        Pipeline(A.name, A.edits).install()
    compile_add_one()
    assert RAN == ["a"]


def test_what_is_not_installed(install):
    with pytest.raises(PipelineError, match="'b' is not installed; installed are: none"):
        B.uninstall()
    install(A)
    with pytest.raises(PipelineError, match="'b' is not installed; installed are: 'a'"):
        B.uninstall()


def test_asynchronous_compilations_keep_what_was_installed_at_their_launch(driver, kernel, pointer):
    gate = threading.Event()
    futures = []
    with ThreadPoolExecutor(1) as pool:
        pool.submit(gate.wait)
        with triton.AsyncCompileMode(pool):
            try:
                for pipeline in (A, B):
                    pipeline.install()
                    try:
                        futures.append(kernel.warmup(pointer, 100, BLOCK=1024, grid=(1,)))
                    finally:
                        pipeline.uninstall()
            finally:
                # Only now, with nothing installed, is any of them compiled.
                gate.set()
    first, second = (future.result().hash for future in futures)
    assert first != second
    assert RAN == ["a", "b"]


def test_somebody_elses_hook_stays(install):
    def hook(backend=None, stages=None, *rest):
        return ("theirs", "theirs") if stages is None else None

    knobs.runtime.add_stages_inspection_hook = hook
    try:
        A.install()
        compile_add_one()
        key = knobs.runtime.add_stages_inspection_hook()
        A.uninstall()
        assert knobs.runtime.add_stages_inspection_hook is hook
    finally:
        knobs.runtime.add_stages_inspection_hook = None
    assert RAN == ["a"]
    assert key[0].startswith("theirs-triton_plugins-")
