"""The launch benchmark without a GPU: whom it measures, and that nothing is left behind."""

import os
import subprocess
import sys

import pytest

from bench import launch

SCRIPT = """
import sys
import triton
from stand_ins import Driver, Pointer
from bench import launch

assert "triton_plugins" not in sys.modules, "stock Triton is to be measured without it"
driver = Driver()
triton.runtime.driver.set_active(driver)
times = launch.measure((Pointer(), Pointer(), Pointer(), 128), lambda: None, 2, 50)
assert all(len(turns) == 2 and min(turns) > 0 for turns in times.values())
assert len(driver.launches) == len(times) * 2 * 51
for row in launch.summarize([times, times]):
    print(row["contender"])
"""


def test_everyone_is_measured(tmp_path):
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TRITON_CACHE_DIR": str(tmp_path),
        "TRITON_DEFAULT_FP_FUSION": "1",
    }
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    names = ran.stdout.splitlines()
    assert names[:2] == [launch.STOCK, launch.LOADED]
    assert len(names) == 7


def test_costs_are_compared_within_a_process():
    fast, slow = (
        {
            launch.STOCK: [t, t, 9 * t],
            launch.LOADED: [t + 0.5] * 3,
            "x": [t + 1, t + 1.5, t + 2],
        }
        for t in (5, 50)
    )
    stock, loaded, other = launch.summarize([fast, slow, fast])
    assert stock["over_stock"] == loaded["over_loaded"] == 0
    assert (other["microseconds"], other["over_stock"], other["over_loaded"]) == (6.5, 1.5, 1.0)
    assert other["processes"] == [6.5, 51.5, 6.5]


@pytest.mark.parametrize("arguments", [["--turns", "0"], ["--launches=-1"], ["--processes=x"]])
def test_bad_arguments(arguments, capsys):
    with pytest.raises(SystemExit):
        launch.parse_args(arguments)
    assert arguments[0].partition("=")[0].strip("-") in capsys.readouterr().err
