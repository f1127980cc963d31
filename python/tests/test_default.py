"""Default pipelines: ops that bring the passes of their plugin."""

import os
import subprocess
import sys
import types
from concurrent.futures import ThreadPoolExecutor

import pytest
import triton
import triton.language as tl
from kernels import add_one, compile_add_one
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compiler
from triton.runtime.jit import JITFunction

import triton_plugins
from triton_plugins import OpError, Pipeline, PluginNotLoadedError, Step, dsl, editing

PLUGIN = "DialectPlugin"
RAN = []


def noting(name, stage="ttgir"):
    return Pipeline(name).append(stage, Step(lambda module: RAN.append(name), key=name))


PIPELINE = noting("default")


@dsl.op(PLUGIN, PIPELINE)
def add_all(x, y, z, _semantic=None):
    """Adds."""
    return tl.tensor(dsl.create_op(_semantic, "custom_op", x=x, y=y, z=z), x.type)


@dsl.op(
    PLUGIN, Pipeline("second").append("ttgir", Step(lambda module: RAN.append("second"), key="2"))
)
def second(x, _semantic=None):
    return x


@dsl.op("latecomer")
def of_a_latecomer(x, _semantic=None):
    return x


# What a plugin's package looks like to a kernel.
language = types.ModuleType("language")
language.add_all = add_all


@triton.jit
def by_name(x):
    v = tl.load(x + tl.arange(0, 128))
    tl.store(x + tl.arange(0, 128), add_all(v, v, v))


@triton.jit
def by_attribute(x):
    v = tl.load(x + tl.arange(0, 128))
    tl.store(x + tl.arange(0, 128), language.add_all(v, v, v))


@triton.jit
def helper(v):
    return language.add_all(v, v, v)


@triton.jit
def helper_of_helper(v):
    return helper(v)


@triton.jit
def nested(x):
    v = tl.load(x + tl.arange(0, 128))
    tl.store(x + tl.arange(0, 128), helper_of_helper(v))


@triton.jit
def sized(x, n, BLOCK: tl.constexpr):
    v = tl.load(x + tl.arange(0, BLOCK))
    tl.store(x + tl.arange(0, BLOCK), add_all(v, add_all(v, v, v), v))


@triton.jit
def two(x):
    v = tl.load(x)
    tl.store(x, second(add_all(v, v, v)))


@triton.jit
def late(x):
    tl.store(x, of_a_latecomer(tl.load(x)))


@triton.jit
def without(x):
    tl.store(x, tl.load(x) + 1)


@pytest.fixture(scope="module", autouse=True)
def plugin(wheel_plugins):
    return triton_plugins.load_path(wheel_plugins / "libMLIRDialectPlugin.so")


@pytest.fixture(autouse=True)
def _no_runs():
    RAN.clear()


def compile_kernel(kernel, target="cuda:90"):
    return triton_plugins.compile(kernel, signature={"x": "*fp32"}, target=target)


@pytest.mark.parametrize("target", ["cuda:90", "gfx942"])
@pytest.mark.parametrize("kernel", [by_name, by_attribute, nested], ids=lambda k: k.__name__)
def test_op_brings_its_pipeline(kernel, target):
    compile_kernel(kernel, target)
    assert RAN == ["default"]


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


def fresh_key(kernel):
    for function in (kernel, helper, helper_of_helper):
        function.hash = None
    return kernel.cache_key


@pytest.mark.parametrize("kernel", [by_name, by_attribute, nested], ids=lambda k: k.__name__)
def test_the_build_is_part_of_the_key_of_kernels_that_use_it(kernel, plugin, monkeypatch):
    before, other = fresh_key(kernel), fresh_key(add_one)
    monkeypatch.setattr(add_all, "hash", None)
    assert fresh_key(kernel) == before
    original = plugin.digest
    object.__setattr__(plugin, "digest", "another build")
    try:
        monkeypatch.setattr(add_all, "hash", None)
        assert fresh_key(kernel) != before
        assert fresh_key(add_one) == other
    finally:
        object.__setattr__(plugin, "digest", original)
        fresh_key(kernel)


def test_the_pipeline_is_part_of_the_key(monkeypatch):
    before = fresh_key(by_name)
    monkeypatch.setattr(add_all, "hash", None)
    monkeypatch.setattr(add_all, "pipeline", noting("another"))
    assert fresh_key(by_name) != before
    monkeypatch.undo()
    assert fresh_key(by_name) == before


def test_op_of_a_plugin_that_is_not_loaded(make_library):
    message = r"uses latecomer.of_a_latecomer.*load\('latecomer'\)"
    for _ in range(2):
        with pytest.raises(triton.CompilationError, match=message) as error:
            compile_kernel(late)
        assert isinstance(error.value.__cause__, PluginNotLoadedError)
    # Half a key must not stay.
    assert not late.cache_key.startswith("recursion")
    triton_plugins.load_path(make_library("latecomer"))
    compile_kernel(late)


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


def test_warm_launches_ask_for_no_key(driver, pointer, monkeypatch):
    kernel = JITFunction(sized.fn)
    kernel[(1,)](pointer, 1, BLOCK=128)
    monkeypatch.setattr(type(add_all), "cache_key", property(lambda self: 1 / 0))
    kernel[(1,)](pointer, 1, BLOCK=128)
    assert len(driver.launches) == 2


_COMPILE = """
import triton
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget
{prepare}
from plain import kernel
triton.compile(ASTSource(kernel, {{"x": "*fp32"}}), target=GPUTarget("cuda", 90, 32))
"""

_PREPARATIONS = [
    # A process without us.
    "",
    # One with plugins, DSL functions, pipelines and kernels that use them.
    """
import triton_plugins, test_default
triton_plugins.load_path(r"{library}")
test_default.compile_kernel(test_default.by_name)
with test_default.PIPELINE:
    pass
""",
]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_kernels_that_use_no_plugin_share_cache_entries(order, wheel_plugins, tmp_path):
    """What a process without plugins has compiled is found by one with plugins, and the other way
    round."""
    (tmp_path / "plain.py").write_text(
        "import triton, triton.language as tl\n\n"
        "@triton.jit\ndef kernel(x):\n    tl.store(x, tl.load(x) + 1)\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
        "TRITON_CACHE_DIR": str(tmp_path / "cache"),
    }
    found = []
    for turn in order:
        prepare = _PREPARATIONS[turn].format(library=wheel_plugins / "libMLIRDialectPlugin.so")
        code = _COMPILE.format(prepare=prepare)
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)
        files = (tmp_path / "cache").glob("*/kernel.*")
        found.append({path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files})
    assert found[0] and found[0] == found[1]
