"""The operations of kernels with 2:4 sparse operands.

Each function checks what only Python can check, makes its arguments plain and creates one op. The
ops' verifiers check shapes, dtypes and what the architecture can do.
"""

from __future__ import annotations

import triton.language as tl

from triton_plugins import dsl

from .pipeline import PIPELINE


@dsl.op("sparsity24", PIPELINE)
def dot(values, meta, b, acc=None, out_dtype=tl.float32, _semantic=None) -> tl.tensor:
    """Multiplies a 2:4 sparse matrix, which `values` and `meta` stand for, by `b`.

    Args:
        values: Tensor of shape (M, K // 2), float16 or bfloat16: two elements of every four.
        meta: int16 tensor of shape (M, K // 16): which two they are.
        b: Tensor of shape (K, N) of the values' dtype.
        acc: Tensor of shape (M, N) that the product is added to; zeros of `out_dtype` by default.
            float32, or float16 for float16 operands on NVIDIA.
        out_dtype: dtype of the result where there is no `acc`.

    Returns:
        `decompress(values, meta) @ b + acc`.

    Raises:
        OpError: Shapes or dtypes don't fit.
        PassError: When the kernel is compiled, if the GPU has no sparse instruction of that shape.
    """
    acc = dsl.unwrap(acc)
    if acc is None:
        acc = _semantic.full([values.shape[0], b.shape[1]], 0, dsl.unwrap(out_dtype))
    handle = dsl.create_op(
        _semantic, "sparsity24_sparse_dot", values=values, meta=meta, b=b, acc=acc
    )
    return tl.tensor(handle, acc.type)


@dsl.op("sparsity24", PIPELINE)
def compress_tile(dense, _semantic=None) -> tl.tuple:
    """Splits a 2:4 sparse tile into its values and its metadata.

    Every bit of the kept elements is kept, so negative zeros count as elements. A group of four
    with more than two elements is not 2:4 sparse; the first two are kept.

    Args:
        dense: Tensor of shape (M, K), float16 or bfloat16; K a multiple of 16.

    Returns:
        Values of shape (M, K // 2) and int16 metadata of shape (M, K // 16).

    Raises:
        OpError: Shape or dtype don't fit.
    """
    rows, columns = (int(size) for size in dense.shape)
    values = dsl.create_op(_semantic, "sparsity24_compress", dense=dense)
    meta = dsl.create_op(_semantic, "sparsity24_compress_meta", values=values)
    return tl.tuple(
        [
            tl.tensor(values, tl.block_type(dense.dtype, [rows, columns // 2])),
            tl.tensor(meta, tl.block_type(tl.int16, [rows, columns // 16])),
        ]
    )


@dsl.op("sparsity24", PIPELINE)
def decompress_tile(values, meta, _semantic=None) -> tl.tensor:
    """Puts a 2:4 sparse tile together again.

    Args:
        values: Tensor of shape (M, K // 2), float16 or bfloat16.
        meta: int16 tensor of shape (M, K // 16).

    Returns:
        Tensor of shape (M, K) with positive zeros where there is no value.

    Raises:
        OpError: Shapes or dtypes don't fit.
    """
    rows, columns = (int(size) for size in values.shape)
    handle = dsl.create_op(_semantic, "sparsity24_decompress", values=values, meta=meta)
    return tl.tensor(handle, tl.block_type(values.dtype, [rows, columns * 2]))
