"""Asynchronous matrix products."""

from __future__ import annotations

import triton.language as tl

from triton_plugins import dsl

from .arguments import buffer_of, constant, unwrap
from .pipeline import PIPELINE


@dsl.op("tlx", PIPELINE)
def async_dot(
    A,
    B,
    acc=None,
    use_acc=None,
    pred=None,
    mBarriers=(),
    two_ctas=False,
    force_async=False,
    input_precision=None,
    out_dtype=tl.float32,
    _semantic=None,
) -> tl.tensor:
    """Starts `A @ B + acc` on Hopper's tensor cores (wgmma, sm_90a).

    Until `async_dot_wait` covers it, the result may only be the `acc` of another `async_dot`, and
    the operands' buffers must not be written.

    Args:
        A: Buffer or tensor of shape (M, K); M in steps of 64, K of 32 bytes.
        B: Buffer of shape (K, N); N in steps of 8.
        acc: Tensor of shape (M, N); zeros of `out_dtype` by default. float32 or float16 for
            float16 and fp8, float32 for bfloat16 and float32, int32 for int8.
        use_acc: bool or scalar int1 tensor; where it is false, the result is `A @ B`.
        pred: For Blackwell's tensor cores only, as are `mBarriers` and `two_ctas`.
        mBarriers: See `pred`.
        two_ctas: See `pred`.
        force_async: Accepted; the product is asynchronous always.
        input_precision: For float32 operands, which wgmma multiplies as "tf32" (the default) only.
        out_dtype: dtype of the result where there is no `acc`.

    Raises:
        OpError: Shapes or dtypes don't fit.
        ValueError: An argument is given that Blackwell alone has.
    """
    if unwrap(pred) is not None or unwrap(mBarriers) or unwrap(two_ctas):
        raise ValueError(
            "async_dot has pred=, mBarriers= and two_ctas= on Blackwell (sm_100) only; on Hopper "
            "leave them out and wait with async_dot_wait"
        )
    b = buffer_of(B, "async_dot")
    acc, use_acc, input_precision = unwrap(acc), unwrap(use_acc), unwrap(input_precision)
    if acc is None:
        acc = _semantic.full([A.shape[0], b.shape[1]], 0, unwrap(out_dtype))
    precision = input_precision or _semantic.builder.options.default_dot_input_precision
    is_fp8 = b.dtype.is_fp8()
    handle = dsl.create_op(
        _semantic,
        "tlx_async_dot",
        a=A,
        b=b,
        accumulator=acc,
        use_acc=None if use_acc is None else _semantic.to_tensor(use_acc),
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
        _semantic, "tlx_async_dot_wait", input=inp, pendings=constant(pendings, "pendings")
    )
    return tl.tensor(handle, inp.type)
