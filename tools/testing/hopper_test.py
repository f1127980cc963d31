"""Where tests that need a Hopper GPU are skipped, and what they say."""

import importlib
import sys
import types

import pytest


@pytest.mark.parametrize(
    ("found", "hip", "capability", "reason"),
    [
        (True, None, (9, 0), None),
        (True, None, (8, 9), "needs a Hopper GPU (sm_90); this one is sm_89"),
        (True, None, (10, 0), "needs a Hopper GPU (sm_90); this one is sm_100"),
        (True, "6.4", (9, 0), "needs an NVIDIA GPU; PyTorch finds none"),
        (False, None, (9, 0), "needs an NVIDIA GPU; PyTorch finds none"),
    ],
)
def test_reasons(monkeypatch, found, hip, capability, reason):
    torch = types.ModuleType("torch")
    torch.cuda = types.SimpleNamespace(
        is_available=lambda: found, get_device_capability=lambda: capability
    )
    torch.version = types.SimpleNamespace(hip=hip)
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.delitem(sys.modules, "tools.testing.hopper", raising=False)
    hopper = importlib.import_module("tools.testing.hopper")
    nvidia, skip = hopper.MARKS
    assert nvidia.name == "nvidia"
    assert skip.name == "skipif"
    assert skip.args == (reason is not None,)
    assert reason is None or skip.kwargs["reason"] == reason
