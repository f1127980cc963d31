"""plugin-opt with stock passes; what plugins' passes do is for the lit tests beside them."""

import plugin_opt
import pytest

GOOD = """\
module {
  tt.func public @first(%a: !tt.ptr<f16>) {
    %unused = arith.constant 1 : i32
    tt.return
  }
}
"""
BAD = "module { tt.func public @second() { tt.nothing } }\n"


@pytest.fixture
def run(tmp_path, capfd):
    """Runs plugin-opt over a text; returns the exit code and both outputs."""

    def run_on(text, *arguments):
        file = tmp_path / "input.mlir"
        file.write_text(text)
        code = plugin_opt.main([*arguments, str(file)])
        return code, *capfd.readouterr()

    return run_on


def test_round_trip(run):
    code, out, err = run(GOOD)
    assert (code, err) == (0, "")
    assert "tt.func public @first" in out and "arith.constant" in out


def test_a_pass_changes_the_module(run):
    code, out, _ = run(GOOD, "--pass", "common.canonicalizer")
    assert code == 0
    assert "arith.constant" not in out


def test_every_part_of_a_split_file_is_a_module(run):
    code, out, _ = run(GOOD + "// -----\n" + GOOD, "--split-input-file")
    assert code == 0
    assert out.count("module {") == 2


def test_a_diagnostic_names_the_line_in_the_whole_file(run):
    code, _, err = run(GOOD + "// -----\n" + BAD, "--split-input-file")
    assert code == 1
    assert f":{GOOD.count(chr(10)) + 2}:" in err and "tt.nothing" in err


def test_an_expected_failure_goes_to_standard_output(run):
    code, out, err = run(BAD, "--expect-failure")
    assert (code, err) == (0, "")
    assert "tt.nothing" in out


def test_an_expected_failure_must_come(run):
    code, out, err = run(GOOD, "--expect-failure")
    assert code == 1
    assert "module 1 of 1 was expected to fail and did not" in err


def test_an_unknown_pass_is_an_error(run):
    code, out, err = run(GOOD, "--pass", "no_such_pass")
    assert (code, out) == (1, "")
    assert "no_such_pass" in err


def test_a_missing_file_is_a_usage_error(capfd):
    assert plugin_opt.main(["no-such-file.mlir"]) == 2
    assert "no-such-file.mlir" in capfd.readouterr().err
