"""The example without a GPU: its machine code, its report, and bad arguments."""

import pytest

import triton_plugins
from examples import gemm, hopper_gemm_kernel
from triton_plugins import machine_code


def compiled(target: str, *arguments: str):
    """The example's kernel for a target, summarized."""
    args = gemm.parse_args(["--target", target, *arguments])
    return machine_code.inspect(gemm.compile_for(gemm.TARGETS[target], args))


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", str(tmp_path))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_hopper_machine_code(dtype):
    code = compiled("sm_90a", "--dtype", dtype)
    stages = hopper_gemm_kernel.CONSTANTS["NUM_STAGES"]
    # In the loop the copies ahead and one MMA stay in flight; at the end all are waited for.
    assert code.ptx.waits["cp.async"] == (stages - 2, 0)
    assert code.ptx.waits["wgmma"] == (1, 0)
    assert code.sass.waits == code.ptx.waits
    assert code.sass.count(r"HGMMA\..*") > 0
    assert code.sass.count(r"LDGSTS\..*") == code.sass.count(r"LDGSTS\..*\b128\b.*") > 0
    assert code.resources.spills == 0


@pytest.mark.parametrize("target", list(gemm.TARGETS))
def test_sizes_that_nothing_divides_compile(target):
    assert compiled(target, "--m=1001", "--n=517", "--k=333").resources.spills == 0


def test_the_report_and_what_it_saves(tmp_path, capsys):
    assert gemm.main(["--out", "made/here"]) == 0
    out = capsys.readouterr().out
    for word in (
        "sm_90a",
        "gfx942",
        "gfx950",
        "wgmma",
        "v_mfma",
        "shared memory",
        "registers",
        "spills",
    ):
        assert word in out
    folder = tmp_path / "made" / "here"
    assert str(folder) in out.replace("\n", "")
    saved = {path.suffix for path in folder.rglob("*") if path.is_file()}
    assert saved >= {
        ".ttir",
        ".ttgir",
        ".llir",
        ".ptx",
        ".cubin",
        ".sass",
        ".amdgcn",
        ".hsaco",
        ".mlir",
    }
    for target in gemm.TARGETS:
        before = list((folder / target / "passes").rglob("*-before.mlir"))
        after = list((folder / target / "passes").rglob("*-after.mlir"))
        assert len(before) == len(after) > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--m", "0"], "argument --m: '0' is not a whole number from 1 to 2147483647"),
        (["--n", "-5"], "argument --n: '-5' is not"),
        (["--k", "many"], "argument --k: 'many' is not"),
        (["--k", "1e3"], "argument --k: '1e3' is not"),
        (["--m", "2147483648"], "argument --m: '2147483648' is not"),
        (["--dtype", "float8"], "argument --dtype: invalid choice: 'float8'"),
        (["--target", "sm_80"], "argument --target: invalid choice: 'sm_80'"),
        (["--out", "a-file/folder"], "argument --out: cannot write into"),
        (["--size", "3"], "unrecognized arguments: --size 3"),
    ],
)
def test_bad_arguments(arguments, message, tmp_path, capsys):
    (tmp_path / "a-file").touch()
    with pytest.raises(SystemExit) as stopped:
        gemm.main(arguments)
    assert stopped.value.code == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_a_plugin_error_is_a_message(monkeypatch, capsys):
    def fail(*_):
        raise triton_plugins.PluginError("the plugin said no")

    monkeypatch.setattr(gemm, "compile_for", fail)
    assert gemm.main([]) == 1
    assert capsys.readouterr().err == "gemm: the plugin said no\n"
