"""The operations of TLX kernels.

Each function checks what only Python can check, makes its arguments plain and creates one op. The
ops' verifiers check shapes and dtypes.
"""

from __future__ import annotations

from typing import Any

import triton.language as tl

from triton_plugins import dsl

from .pipeline import PIPELINE
from .types import async_token, async_token_type, buffered_tensor, buffered_tensor_type


@dsl.op("tlx", PIPELINE)
def local_alloc(shape, dtype, num, _semantic=None) -> buffered_tensor:
    """Allocates `num` buffers in local memory (shared memory on NVIDIA, LDS on AMD).

    Args:
        shape: Shape of one buffer in elements; every dimension a power of two, known at compile
            time.
        dtype: dtype of the elements, of 8 bits or more.
        num: Number of buffers, known at compile time.

    Raises:
        OpError: A size is not positive, no power of two, or the dtype cannot be stored.
    """
    sizes = [_constant(size, "shape") for size in shape]
    count = _constant(num, "num")
    dtype = _unwrap(dtype)
    handle = dsl.create_op(_semantic, "tlx_local_alloc", num=count, shape=sizes, dtype=dtype)
    return buffered_tensor(handle, buffered_tensor_type(handle.get_type(), sizes, count, dtype))


@dsl.op("tlx", PIPELINE)
def local_view(local_allocated_buffers, buffer_idx, _semantic=None) -> buffered_tensor:
    """Returns the buffer with an index, which may be a run-time value.

    Args:
        local_allocated_buffers: Result of `local_alloc`.
        buffer_idx: int or scalar int32 tensor in `[0, num)`. A run-time index is not checked.

    Raises:
        OpError: A constant index is out of range, or the first argument is one buffer already.
    """
    buffers = _buffer(local_allocated_buffers, "local_view")
    index = _semantic.to_tensor(_unwrap(buffer_idx)).to(tl.int32, _semantic=_semantic)
    handle = dsl.create_op(_semantic, "tlx_local_view", buffer=buffers, index=index)
    sizes = [size.value for size in buffers.shape]
    return buffered_tensor(
        handle, buffered_tensor_type(handle.get_type(), sizes, None, buffers.dtype)
    )


@dsl.op("tlx", PIPELINE)
def local_load(src, token=None, _semantic=None) -> tl.tensor:
    """Reads one buffer into registers.

    Args:
        src: A buffer (`local_view`).
        token: Token of the wait that the load relies on; it documents the order.

    Returns:
        Tensor of the buffer's shape and dtype.
    """
    buffer = _buffer(src, "local_load")
    handle = dsl.create_op(_semantic, "tlx_local_load", buffer=buffer, token=_unwrap(token))
    sizes = [size.value for size in buffer.shape]
    return tl.tensor(handle, tl.block_type(buffer.dtype, sizes))


@dsl.op("tlx", PIPELINE)
def local_store(dst, src, _semantic=None) -> None:
    """Writes a tensor into one buffer.

    Args:
        dst: A buffer (`local_view`).
        src: Tensor of the buffer's shape and dtype.

    Raises:
        OpError: Shape or dtype differ.
    """
    dsl.create_op(_semantic, "tlx_local_store", buffer=_buffer(dst, "local_store"), value=src)


@dsl.op("tlx", PIPELINE)
def async_load(
    src, result, mask=None, other=None, is_volatile=False, _semantic=None
) -> async_token:
    """Starts a copy from global memory into a buffer.

    The data is there after `async_load_wait_group` has waited for the group it was committed to.

    Args:
        src: Tensor of pointers.
        result: A buffer (`local_view`) of the pointers' shape and element type.
        mask: Tensor of bools; elements without it are not read. Broadcast to the pointers' shape.
        other: What the buffer holds where the mask is false; zero by default.
        is_volatile: The memory may change while the kernel runs.

    Raises:
        OpError: Shape or dtype differ from the buffer's.
    """
    buffer = _buffer(result, "async_load")
    mask, other = _unwrap(mask), _unwrap(other)
    if mask is not None:
        mask = _semantic.to_tensor(mask)
        src, mask = _semantic.broadcast_impl_value(src, mask)
    if other is not None:
        other = _semantic.cast(_semantic.to_tensor(other), src.dtype.element_ty)
        src, other = _semantic.broadcast_impl_value(src, other)
    handle = dsl.create_op(
        _semantic,
        "tlx_async_load",
        pointers=src,
        buffer=buffer,
        mask=mask,
        other=other,
        is_volatile=bool(_unwrap(is_volatile)),
    )
    return async_token(handle, async_token_type(handle.get_type()))


@dsl.op("tlx", PIPELINE)
def async_load_commit_group(tokens=(), _semantic=None) -> async_token:
    """Makes all copies started since the last commit one group.

    Args:
        tokens: Tokens of these copies; they document which are meant.
    """
    handle = dsl.create_op(_semantic, "tlx_async_commit", tokens=_tokens(tokens))
    return async_token(handle, async_token_type(handle.get_type()))


@dsl.op("tlx", PIPELINE)
def async_load_wait_group(pendings, tokens=(), _semantic=None) -> async_token:
    """Waits until at most `pendings` groups of copies are still running.

    Args:
        pendings: Number of groups, known at compile time.
        tokens: Tokens of the groups that are waited for; they document the order.

    Raises:
        OpError: `pendings` is negative.
        PassError: When the kernel is compiled, if fewer groups were committed than may be pending.
    """
    handle = dsl.create_op(
        _semantic,
        "tlx_async_wait",
        pendings=_constant(pendings, "pendings"),
        tokens=_tokens(tokens),
    )
    return async_token(handle, async_token_type(handle.get_type()))


@dsl.op("tlx", PIPELINE)
def async_dot(
    A, B, acc=None, input_precision=None, out_dtype=tl.float32, _semantic=None
) -> tl.tensor:
    """Starts `A @ B + acc` on Hopper's tensor cores (wgmma, sm_90a).

    Until `async_dot_wait` covers it, the result may only be the `acc` of another `async_dot`, and
    the operands' buffers must not be written.

    Args:
        A: Buffer or tensor of shape (M, K); M in steps of 64, K of 32 bytes.
        B: Buffer of shape (K, N); N in steps of 8.
        acc: Tensor of shape (M, N); zeros of `out_dtype` by default. float32 or float16 for
            float16 and fp8, float32 for bfloat16 and float32, int32 for int8.
        input_precision: For float32 operands, which wgmma multiplies as "tf32" (the default) only.
        out_dtype: dtype of the result where there is no `acc`.

    Raises:
        OpError: Shapes or dtypes don't fit.
    """
    b = _buffer(B, "async_dot")
    acc, input_precision = _unwrap(acc), _unwrap(input_precision)
    if acc is None:
        acc = _semantic.full([A.shape[0], b.shape[1]], 0, _unwrap(out_dtype))
    precision = input_precision or _semantic.builder.options.default_dot_input_precision
    is_fp8 = b.dtype.is_fp8()
    handle = dsl.create_op(
        _semantic,
        "tlx_async_dot",
        a=A,
        b=b,
        accumulator=acc,
        input_precision=precision,
        max_num_imprecise_acc=(
            _semantic.builder.options.max_num_imprecise_acc_default if is_fp8 else 0
        ),
    )
    return tl.tensor(handle, acc.type)


@dsl.op("tlx", PIPELINE)
def async_dot_wait(pendings, inp, _semantic=None) -> tl.tensor:
    """Waits until at most `pendings` products are still running.

    Args:
        pendings: Number of products, known at compile time.
        inp: Result of `async_dot`.

    Returns:
        `inp`, which may be used freely once its product has ended.

    Raises:
        OpError: `pendings` is negative.
    """
    handle = dsl.create_op(
        _semantic, "tlx_async_dot_wait", input=inp, pendings=_constant(pendings, "pendings")
    )
    return tl.tensor(handle, inp.type)


@tl.core.builtin
def dtype_of(v, _semantic=None) -> tl.dtype:
    """Returns the dtype of a tensor's or buffer's elements, or of what a pointer points to."""
    dtype = v.dtype
    return dtype.element_ty if dtype.is_ptr() else dtype


def _unwrap(value: Any) -> Any:
    return value.value if isinstance(value, tl.constexpr) else value


def _constant(value: Any, name: str) -> int:
    value = _unwrap(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"argument '{name}' must be an int known at compile time, but is {value!r}")
    return value


def _buffer(value: Any, function: str) -> buffered_tensor:
    if isinstance(value, buffered_tensor):
        return value
    raise TypeError(
        f"{function} needs a buffer of tlx.local_alloc or tlx.local_view, but got {value!r}"
    )


def _tokens(tokens: Any) -> list[async_token]:
    for token in tokens:
        if not isinstance(token, async_token):
            raise TypeError(f"'tokens' must hold tokens of asynchronous copies, but has {token!r}")
    return list(tokens)
