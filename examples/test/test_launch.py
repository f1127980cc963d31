"""Launches with descriptors that are encoded once pass on what Triton's own launches do."""

import types

import pytest
import triton
import triton.language as tl
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia import driver as nvidia
from triton.runtime import driver
from triton.tools.tensor_descriptor import TensorDescriptor

import triton_plugins
from examples.hopper_launch import Launcher

STREAM, GRID = 7, (3, 2, 1)
BLOCK = "tensordesc<fp16[64, 64]>"
# What the driver's launch takes.
NAMES = (
    "x", "y", "z", "stream", "function", "cooperative", "pdl", "packed", "metadata", "enter",
    "leave", "scratch", "profile", "annotations", "signature", "args",
)  # fmt: skip


@triton.jit
def add_blocks(a_descs, b_desc, unused, row, BLOCK: tl.constexpr):
    b_desc.store([row, BLOCK], a_descs[0].load([row, 0]) + a_descs[1].load([row, BLOCK]))


class Matrix:
    """Stands for a tensor at an address."""

    dtype = types.SimpleNamespace(itemsize=2)

    def __init__(self, address):
        self.data_ptr = lambda: address


def described(address):
    return TensorDescriptor(Matrix(address), [128, 256], [256, 1], [64, 64])


class Driver:
    """Keeps what reaches the CUDA driver."""

    def __init__(self):
        self.launched = []
        self.encoded = []
        self.device = 0
        # The current device at each launch.
        self.devices = []
        self.utils = types.SimpleNamespace(
            launch=self.launch,
            fill_tma_descriptor_tiled=self.encode,
            build_signature_metadata=lambda signature: tuple(signature),
        )

    def launch(self, *args):
        self.launched.append(args)
        self.devices.append(self.device)

    def encode(self, *args):
        self.encoded.append(args)
        return args

    def launcher_cls(self, src, metadata):
        return nvidia.CudaLauncher(src, metadata)

    def get_current_device(self):
        return self.device

    def set_current_device(self, device):
        self.device = device

    def get_current_stream(self, device):
        return STREAM

    def allocate_default_profile_scratch(self, size, align, stream):
        raise AssertionError("the kernel has no such memory")


@pytest.fixture
def active(monkeypatch):
    standing_in = Driver()
    monkeypatch.setattr(driver, "_active", standing_in)
    # Known once Triton has found a GPU.
    monkeypatch.setattr(nvidia, "PyKernelArg", lambda **kind: kind, raising=False)
    for name in ("ARG_CONSTEXPR", "ARG_KERNEL", "ARG_TUPLE"):
        monkeypatch.setattr(nvidia, name, name, raising=False)
    return standing_in


@pytest.fixture
def kernel(active):
    compiled = triton_plugins.compile(
        add_blocks,
        signature={"a_descs": (BLOCK, BLOCK), "b_desc": BLOCK, "row": "i32"},
        constexprs={"unused": None, "BLOCK": 64},
        target=GPUTarget("cuda", 90, 32),
    )
    # What loading the kernel onto a GPU leaves.
    compiled.module, compiled.function = object(), 11
    compiled._run = active.launcher_cls(compiled.src, compiled.metadata)
    yield compiled
    compiled.module = None


def launches(active, kernel):
    """What reaches the driver from a launch of Triton's, and from one of ours."""
    a, b, rest = (described(4096), described(6144)), described(8192), (None, 5, 64)
    kernel[GRID](a, b, *rest)
    launcher = Launcher(kernel, GRID)
    launcher(*launcher.encoded(a, b), *rest)
    theirs, ours = (dict(zip(NAMES, args, strict=True)) for args in active.launched)
    for each in theirs, ours:
        each["args"] = list(each["args"])
        each["annotations"] = list(map(repr, each["annotations"]))
    return theirs, ours


def test_a_launch_is_triton_s(active, kernel):
    theirs, ours = launches(active, kernel)
    # Triton has chains of hooks that do nothing, if there are none.
    assert not theirs["enter"].calls and not theirs["leave"].calls
    hooks = dict.fromkeys(("metadata", "enter", "leave"))
    assert ours == theirs | hooks
    assert [ours["stream"], ours["function"]] == [STREAM, 11]


@pytest.mark.parametrize("which", ["launch_enter_hook", "launch_exit_hook"])
def test_hooks_are_called(active, kernel, which, monkeypatch):
    monkeypatch.setattr(knobs.runtime, which, print)
    theirs, ours = launches(active, kernel)
    expected = {"name": "add_blocks", "function": 11, "stream": STREAM}
    assert [each.pop("metadata").get() for each in (theirs, ours)] == [expected, expected]
    assert ours == theirs
    assert print in ours.values()


def test_scratch_memory_is_allocated(active, kernel):
    active.allocate_default_profile_scratch = lambda size, align, stream: ("scratch", size, stream)
    kernel._run.profile_scratch_size = 32
    theirs, ours = launches(active, kernel)
    assert ours["profile"] == theirs["profile"] == ("scratch", 32 * 6, STREAM)


def test_descriptors_are_encoded_once(active, kernel):
    launcher = Launcher(kernel, GRID)
    encoded = launcher.encoded((described(4096), described(6144)), described(8192))
    assert [args[0] for args in active.encoded] == [4096, 6144, 8192]
    for row in range(3):
        launcher(*encoded, None, row, 64)
    assert len(active.encoded) == 3
    assert [args[-1][-2] for args in active.launched] == [0, 1, 2]


def test_every_descriptor_is_needed(active, kernel):
    with pytest.raises(ValueError, match="zip"):
        Launcher(kernel, GRID).encoded((described(4096), described(6144)))


def test_the_kernel_s_device_is_current_while_it_is_launched(active, kernel):
    launcher = Launcher(kernel, GRID)
    encoded = launcher.encoded((described(4096), described(6144)), described(8192))
    for device in (0, 1, 0):
        active.device = device
        launcher(*encoded, None, 5, 64)
        assert active.device == device
    assert active.devices == [0, 0, 0]


def test_another_device_is_current_again_after_a_launch_that_fails(active, kernel):
    def fail(*args):
        raise RuntimeError("out of resources")

    active.utils.launch = fail
    launcher = Launcher(kernel, GRID)
    active.device = 1
    with pytest.raises(RuntimeError, match="out of resources"):
        launcher(None, 5, 64)
    assert active.device == 1
