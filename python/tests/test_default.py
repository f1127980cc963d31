"""Default pipelines: ops that bring the passes of their plugin."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import triton
from kernels import compile_add_one
from op_kernels import (
    PIPELINE,
    PLUGIN,
    RAN,
    add_all,
    by_attribute,
    by_name,
    calling_back,
    compile_kernel,
    nested,
    noting,
    sized,
    two,
    without,
)
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compiler
from triton.runtime.jit import JITFunction

import triton_plugins
from triton_plugins import OpError, Pipeline, Step, dsl, editing


@pytest.fixture(scope="module", autouse=True)
def plugin(wheel_plugins):
    return triton_plugins.load_path(wheel_plugins / "libMLIRDialectPlugin.so")


@pytest.fixture(autouse=True)
def _no_runs():
    RAN.clear()


@pytest.mark.parametrize("target", ["cuda:90", "gfx942"])
@pytest.mark.parametrize("kernel", [by_name, by_attribute, nested], ids=lambda k: k.__name__)
def test_op_brings_its_pipeline(kernel, target):
    compile_kernel(kernel, target)
    assert RAN == ["default"]


def test_an_operation_calls_jitted_functions():
    assert compile_kernel(calling_back).asm["ttir"].count("arith.mulf") == 2


def test_once_for_many_ops(driver, pointer):
    JITFunction(sized.fn)[(1,)](pointer, 1, BLOCK=128)
    assert RAN == ["default"]


def test_other_kernels_are_not_affected():
    compile_kernel(by_name)
    compile_add_one()
    assert RAN == ["default"]


def test_the_slot_stays_empty(monkeypatch):
    seen = []
    step = Step(lambda module: seen.append(knobs.runtime.add_stages_inspection_hook), key="seen")
    monkeypatch.setattr(add_all, "pipeline", Pipeline().append("ttgir", step))
    compile_kernel(by_name)
    assert seen == [None]


def test_plain_compile_of_triton():
    triton.compile(ASTSource(by_name, {"x": "*fp32"}), target=GPUTarget("cuda", 90, 32))
    assert RAN == ["default"]


@pytest.mark.parametrize("wrap", ["use", "with", "install"])
def test_explicit_use_does_not_add_it_twice(wrap):
    both = PIPELINE + noting("mine")
    if wrap == "use":
        compile_kernel(triton_plugins.use(both)(by_name))
    elif wrap == "with":
        with both:
            compile_kernel(by_name)
    else:
        both.install()
        compile_kernel(by_name)
        both.uninstall()
    assert RAN == ["default", "mine"]


@pytest.mark.parametrize("stage", ["ttir", "ttgir", "llir"])
def test_it_is_innermost(stage):
    with noting("outer", stage):
        compile_kernel(by_name)
    assert RAN == (["default", "outer"] if stage == "llir" else ["outer", "default"])


def test_two_plugins():
    compile_kernel(two)
    assert RAN == ["default", "second"]


def test_with_somebody_elses_hook_around_ours():
    """Their hook wraps the stage function that ours has put there."""
    with noting("outer"):
        ours = knobs.runtime.add_stages_inspection_hook

        def hook(backend=None, stages=None, *rest):
            if stages is None:
                return ours()
            ours(backend, stages, *rest)
            inner = stages["ttgir"]
            stages["ttgir"] = lambda source, metadata: inner(source, metadata)
            return None

        knobs.runtime.add_stages_inspection_hook = hook
        try:
            compile_kernel(by_name)
        finally:
            knobs.runtime.add_stages_inspection_hook = ours
    assert RAN == ["outer", "default"]


def test_with_a_stage_that_somebody_elses_hook_replaced():
    """As Triton's README shows it."""

    def hook(backend=None, stages=None, options=None, language=None, capability=None):
        if stages is None:
            return "theirs", "theirs"

        def make_ttgir(source, metadata):
            RAN.append("theirs")
            return backend.make_ttgir(source, metadata, options, capability)

        stages["ttgir"] = make_ttgir
        return None

    knobs.runtime.add_stages_inspection_hook = hook
    try:
        compile_kernel(by_name)
    finally:
        knobs.runtime.add_stages_inspection_hook = None
    # A first run tells the passes.
    assert RAN == ["theirs", "theirs", "default"]


def test_launches_autotuner_and_async(driver, pointer):
    tuned = triton.autotune([triton.Config({"BLOCK": n}) for n in (128, 256)], key=["n"])
    tuned(JITFunction(sized.fn))[(1,)](pointer, 100)
    assert RAN == ["default"] * 2
    with ThreadPoolExecutor(2) as pool, triton.AsyncCompileMode(pool):
        futures = [
            JITFunction(sized.fn).warmup(pointer, 1, BLOCK=n, grid=(1,)) for n in (512, 1024)
        ]
        for future in futures:
            future.result()
    assert RAN == ["default"] * 4


def test_dump(tmp_path):
    with triton_plugins.dump(tmp_path) as dumped:
        compile_kernel(by_name)
        compile_kernel(by_name)
    assert [file.step for file in dumped.files] == ["<lambda>", "<lambda>"]


def test_creating_ir_alone_runs_no_stage():
    target = GPUTarget("cuda", 90, 32)
    backend = compiler.make_backend(target)
    options = backend.parse_options({})
    context = compiler.ir.context()
    compiler.ir.load_dialects(context)
    backend.load_dialects(context)
    module = ASTSource(by_name, {"x": "*fp32"}).make_ir(
        target, options, backend.get_codegen_implementation(options), {}, context
    )
    assert "by_name" in str(module)
    assert RAN == []


def test_a_triton_that_compiles_in_another_way(monkeypatch):
    """Its `compile` has no variable of that name."""
    namespace = vars(compiler)
    monkeypatch.setitem(namespace, "add_default", editing.add_default)
    code = "def compile(*args): add_default(*args)"
    made = {}
    exec(code, namespace, made)
    with pytest.raises(OpError, match=r"add_all: .*@triton_plugins.use\(...\).*'default'"):
        made["compile"](PIPELINE, "add_all")


def test_outside_of_kernels():
    with pytest.raises(OpError, match="add_all is an operation of kernels"):
        add_all(1, 2, 3)
    with pytest.raises(OpError, match="has no parameter _semantic"):
        dsl.op(PLUGIN)(lambda x: x)
    assert add_all.__doc__ == "Adds."


def test_threads():
    """Eight threads: each compilation has its own passes, and machine code is that of one."""

    def code(job):
        kernel, target = job
        source = ASTSource(kernel, {"x": "*fp32"})
        asm = triton.compile(source, target=target).asm
        return asm.get("cubin") or asm["hsaco"]

    targets = [GPUTarget("cuda", 90, 32), GPUTarget("hip", "gfx942", 64)]
    jobs = [(k, t) for k in (by_name, nested, without, two) for t in targets]
    with knobs.compilation.scope():
        knobs.compilation.always_compile = True
        alone = [code(job) for job in jobs]
        count = len(RAN)
        with ThreadPoolExecutor(8) as pool:
            for _ in range(4):
                assert list(pool.map(code, jobs)) == alone
    assert len(RAN) == 5 * count
