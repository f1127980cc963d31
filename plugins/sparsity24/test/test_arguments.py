"""What operations say of wrong arguments, with the kernel's line."""

import pytest
import triton
import triton.language as tl

import triton_plugins
import triton_plugins.sparsity24 as sp
from triton_plugins import dsl


@tl.core.builtin
def meta_of(values, _semantic=None):
    """The metadata that `compress_tile` takes from what it just made; here from anything."""
    handle = dsl.create_op(_semantic, "sparsity24_compress_meta", values=values)
    return tl.tensor(handle, tl.block_type(tl.int16, [64, 4]))


@triton.jit
def columns(x_ptr):
    places = tl.arange(0, 64)[:, None] * 8 + tl.arange(0, 8)[None, :]
    sp.compress_tile(tl.load(x_ptr + places))


@triton.jit
def not_compressed(x_ptr):
    places = tl.arange(0, 64)[:, None] * 32 + tl.arange(0, 32)[None, :]
    # So that the plugin is one of this kernel's.
    sp.compress_tile(tl.load(x_ptr + places))
    meta_of(tl.load(x_ptr + places))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (columns, "argument 'dense' has 8 columns; a multiple of 16 is needed"),
        (not_compressed, "argument 'values' must come from compress"),
    ],
)
def test_errors(kernel, message):
    with pytest.raises(triton.CompilationError) as caught:
        triton_plugins.compile(kernel, signature={"x_ptr": "*fp16:16"}, target="cuda:90")
    error = caught.value.__cause__
    assert isinstance(error, triton_plugins.OpError)
    assert message in str(error) and "test_arguments.py" in str(error)
