"""Matrix products on Hopper from Python: a kernel is chosen once for a problem, launches are cheap.

    from examples.hopper_persistent_gemm import matmul

    c = matmul(a, b)

A launch of a 2048 x 2048 x 2048 product takes about 25 us on the GPU. Triton's launch of a kernel
with descriptors takes as long on the host, so the compiled kernel, its grid and the descriptors of
matrices that were seen before are kept.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

from examples import hopper_gemm_kernel, hopper_gemm_plans
from examples.hopper_persistent_gemm_kernel import hopper_persistent_gemm, sum_parts

if TYPE_CHECKING:
    from examples.hopper_gemm_plans import Config

OPTIONS = {"num_warps": 4}
# Candidates of the model that are measured.
MEASURED = 5
# Addresses whose descriptors a plan keeps.
KEPT_DESCRIPTORS = 64
# What one program adds of the parts of a split K.
SUM_BLOCK = (16, 128)
# Factors of the result's rows and columns.
Scales = tuple["torch.Tensor | None", "torch.Tensor | None"]
UNSCALED: Scales = (None, None)


@dataclasses.dataclass(frozen=True)
class _Address:
    """Where a matrix is. A descriptor that holds the matrix itself would keep its memory."""

    address: int
    dtype: torch.dtype

    def data_ptr(self) -> int:
        return self.address


@functools.cache
def _processors(device: torch.device) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


def _descriptor(matrix: torch.Tensor, block: list[int]) -> TensorDescriptor:
    """The descriptor of a matrix as it is stored: transposed if it is stored by columns."""
    rows = matrix.t() if _by_columns(matrix) else matrix
    base = _Address(matrix.data_ptr(), matrix.dtype)
    return TensorDescriptor(base, list(rows.shape), list(rows.stride()), block)


def _by_columns(matrix: torch.Tensor) -> bool:
    """Whether the elements of a column are neighbours, and those of a row are not."""
    return matrix.stride(1) != 1 and matrix.stride(0) == 1


def is_tma_matrix(matrix: torch.Tensor) -> bool:
    """Whether TMA can read and write the matrix: rows of neighbours, each at a 16-byte boundary."""
    line = matrix.stride(0) * matrix.element_size()
    return (
        matrix.numel() > 0
        and matrix.stride(1) == 1
        and line % 16 == 0
        and line >= matrix.shape[1] * matrix.element_size()
        and matrix.data_ptr() % 16 == 0
    )


class Launch:
    """A configuration of the persistent kernel for matrices of given shapes and strides.

    Attributes:
        kernel: The compiled kernel.
    """

    def __init__(
        self,
        a: torch.Tensor,
        b: torch.Tensor,
        c: torch.Tensor,
        config: Config,
        scales: Scales = UNSCALED,
    ) -> None:
        """Compiles the kernel, and launches it once."""
        (m, k), n = a.shape, b.shape[1]
        self._config = config
        self._by_columns = _by_columns(a), _by_columns(b)
        self._descriptors: dict[tuple[int, ...], tuple[TensorDescriptor, ...]] = {}
        rows, columns = config.tile
        tiles_m, tiles_n = triton.cdiv(m, rows), triton.cdiv(n, columns)
        self._parts_shape = (config.splits * tiles_m * rows, tiles_n * columns)
        constants = config.constants | {
            "ONE_ROW": tiles_m == 1,
            "A_BY_COLUMNS": self._by_columns[0],
            "B_BY_COLUMNS": self._by_columns[1],
        }
        clusters = _processors(a.device) // config.cluster
        grid = (min(clusters, tiles_m * tiles_n * config.splits), 1, 1)
        names = hopper_persistent_gemm.arg_names
        self._sizes = (m, n, k, *(constants[name] for name in names if name in constants))
        self._run: Any = functools.partial(
            hopper_persistent_gemm[grid], **OPTIONS, num_ctas=config.cluster
        )
        self._sum: Any = sum_parts[(triton.cdiv(m, SUM_BLOCK[0]), triton.cdiv(n, SUM_BLOCK[1]), 1)]
        self.kernel: Any = self(a, b, c, scales)
        self._run = self.kernel[grid]

    def __call__(
        self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scales: Scales = UNSCALED
    ) -> Any:
        config = self._config
        parts = c
        if config.splits > 1:
            parts = c.new_empty(self._parts_shape, dtype=torch.float32)
        addresses = a.data_ptr(), b.data_ptr(), parts.data_ptr()
        described = self._descriptors.get(addresses)
        if described is None:
            described = self._describe(addresses, a, b, parts)
        kernel = self._run(*described, *scales, *self._sizes)
        if config.splits > 1:
            strides = parts.stride(0), parts.numel() // config.splits, c.stride(0)
            self._sum(parts, c, *c.shape, *strides, config.splits, *SUM_BLOCK)
        return kernel

    def _describe(
        self, addresses: tuple[int, ...], a: torch.Tensor, b: torch.Tensor, c: torch.Tensor
    ) -> tuple[TensorDescriptor, ...]:
        if len(self._descriptors) == KEPT_DESCRIPTORS:
            self._descriptors.clear()
        config = self._config
        a_block, b_block = [config.rows, config.bk], [config.bk, config.bn // config.cluster_m]
        described = self._descriptors[addresses] = (
            _descriptor(a, a_block[::-1] if self._by_columns[0] else a_block),
            _descriptor(b, b_block[::-1] if self._by_columns[1] else b_block),
            _descriptor(c, [config.rows, config.bn // config.slices]),
        )
        return described


def tuned(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scales: Scales = UNSCALED) -> Launch:
    """The fastest of the configurations that the model proposes.

    While a CUDA graph is captured nothing can be measured, so the model alone decides.
    """
    problem = hopper_gemm_plans.Problem(a.shape[0], b.shape[1], a.shape[1], a.element_size())
    capturing = torch.cuda.is_current_stream_capturing()
    proposed = hopper_gemm_plans.best(problem, _processors(a.device), 1 if capturing else MEASURED)
    launches = [Launch(a, b, c, config, scales) for config in proposed]
    if len(launches) == 1:
        return launches[0]

    def milliseconds(launch: Launch) -> float:
        return triton.testing.do_bench(
            lambda: launch(a, b, c, scales), warmup=5, rep=20, return_mode="median"
        )

    return min(launches, key=milliseconds)


_launches: dict[tuple[Any, ...], Launch] = {}


def _launch(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scales: Scales = UNSCALED) -> bool:
    """Multiplies with a launch that is kept for these shapes, strides and dtypes.

    Returns:
        Whether TMA can read and write the matrices; if not, nothing was done.
    """
    key = (a.shape, b.shape[1], a.stride(), b.stride(), c.stride(), a.dtype, c.dtype, a.device)
    launch = _launches.get(key)
    if launch is not None and (a.data_ptr() | b.data_ptr() | c.data_ptr()) % 16 == 0:
        launch(a, b, c, scales)
        return True
    stored = [matrix.t() if _by_columns(matrix) else matrix for matrix in (a, b)]
    if not all(map(is_tma_matrix, (*stored, c))):
        return False
    launch = tuned(a, b, c, scales)
    if not torch.cuda.is_current_stream_capturing():
        _launches[key] = launch
    return True


def matmul(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Multiplies two float16 or two bfloat16 matrices on a Hopper GPU.

    The first product of a shape measures a few configurations. Matrices that TMA cannot read (rows
    or columns that don't start at multiples of 16 bytes) go to the pipelined kernel.

    Args:
        a: Matrix of shape (M, K), with any strides.
        b: Matrix of shape (K, N), with any strides, of a's dtype.
        out: Where the result goes, of shape (M, N); a new matrix by default.

    Returns:
        `out`, or the new matrix, of a's dtype.

    Raises:
        ValueError: Shapes or dtypes don't fit.
    """
    if a.shape[1] != b.shape[0] or a.dtype != b.dtype:
        raise ValueError(
            f"cannot multiply {a.dtype} {tuple(a.shape)} and {b.dtype} {tuple(b.shape)}"
        )
    c = a.new_empty((a.shape[0], b.shape[1])) if out is None else out
    if c.stride(1) != 1 and c.stride(0) == 1:
        matmul(b.t(), a.t(), c.t())
    elif 0 in (*a.shape, *b.shape):
        c.zero_()
    elif not _launch(a, b, c):
        hopper_gemm_kernel.matmul(a, b, c)
    return c


def scaled_matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    a_scale: torch.Tensor,
    b_scale: torch.Tensor,
    out_dtype: torch.dtype = torch.bfloat16,
) -> torch.Tensor:
    """Multiplies two float8 matrices on a Hopper GPU, with a factor for each row and column.

    Args:
        a: Matrix of shape (M, K), stored by rows.
        b: Matrix of shape (K, N), stored by columns: wgmma reads 8-bit operands along K only.
        a_scale: float32 factors of a's rows, of shape (M, 1).
        b_scale: float32 factors of b's columns, of shape (1, N).
        out_dtype: dtype of the result, of 16 bits.

    Returns:
        (a * a_scale) @ (b * b_scale), of shape (M, N).

    Raises:
        ValueError: Shapes, dtypes or strides don't fit.
    """
    (m, k), n = a.shape, b.shape[1]
    if b.shape[0] != k or a_scale.numel() != m or b_scale.numel() != n:
        raise ValueError(
            f"cannot multiply {tuple(a.shape)} and {tuple(b.shape)} with scales of shapes "
            f"{tuple(a_scale.shape)} and {tuple(b_scale.shape)}"
        )
    c = a.new_empty((m, n), dtype=out_dtype)
    scales = a_scale.contiguous(), b_scale.contiguous()
    if a.stride(1) != 1 or b.stride(0) != 1 or not _launch(a, b, c, scales):
        raise ValueError(
            f"strides {a.stride()} and {b.stride()}: a must be stored by rows and b by columns, "
            "each line at a multiple of 16 bytes, and a row of the result as well"
        )
    return c
