"""Matrix products on Hopper from Python: a kernel is chosen once for a problem, launches are cheap.

    from examples.hopper_persistent_gemm import matmul

    c = matmul(a, b)

A launch of a 2048 x 2048 x 2048 product takes about 25 us on the GPU. Triton's launch of a kernel
with descriptors takes as long on the host, so the compiled kernel, its grid and the encoded
descriptors of matrices that were seen before are kept.
"""

from __future__ import annotations

import contextvars
import functools
import math
from concurrent import futures
from typing import TYPE_CHECKING, Any

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

from examples import hopper_gemm_kernel, hopper_gemm_plans
from examples.hopper_launch import Launcher
from examples.hopper_matrices import by_columns, check_devices, descriptor, is_tma_matrix, lines
from examples.hopper_persistent_gemm_kernel import hopper_persistent_gemm, sum_parts
from examples.hopper_workspace import Workspace, workspace

if TYPE_CHECKING:
    from examples.hopper_gemm_configs import Config

FLOAT16 = torch.float16, torch.bfloat16
FLOAT8 = torch.float8_e4m3fn, torch.float8_e5m2
# Kernels start before the one in front of them in the stream is over, and wait for it themselves.
OPTIONS = {"num_warps": 4, "launch_pdl": True}
# Candidates of the model that are measured, and how often, and for how many milliseconds at a time.
MEASURED = 5
TURNS = 4
TURN_MS = 40
# Addresses whose descriptors a plan keeps.
KEPT_DESCRIPTORS = 64
# What one program adds of the parts of a split K.
SUM_BLOCK = (16, 128)
# Factors of the result's rows and columns.
Scales = tuple["torch.Tensor | None", "torch.Tensor | None"]
UNSCALED: Scales = (None, None)


@functools.cache
def _processors(device: torch.device) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


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
        self._by_columns = by_columns(a), by_columns(b)
        self._encoded: dict[tuple[int, ...], tuple[Any, ...]] = {}
        rows, columns = config.tile
        tiles_m, tiles_n = triton.cdiv(m, rows), triton.cdiv(n, columns)
        self._parts_shape = (config.splits * tiles_m * rows, tiles_n * columns)
        constants = config.constants | {
            "ONE_ROW": tiles_m == 1,
            "A_BY_COLUMNS": self._by_columns[0],
            "B_BY_COLUMNS": self._by_columns[1],
        }
        clusters = _processors(a.device) // config.cluster
        grid = (min(clusters, max(tiles_m * tiles_n * config.splits, config.sharers)), 1, 1)
        names = hopper_persistent_gemm.arg_names
        sizes = m, n, k, config.shared, config.sharers
        self._sizes = (*sizes, *(constants[name] for name in names if name in constants))
        parts = self._parts(c)
        self.kernel: Any = hopper_persistent_gemm[grid](
            *self._described(a, b, parts), *scales, *self._handed(a.device), *self._sizes,
            **OPTIONS, num_ctas=config.cluster,
        )  # fmt: skip
        self._multiply = Launcher(self.kernel, grid)
        if config.splits > 1:
            self._sum_sizes = (
                m, n, parts.stride(0), parts.numel() // config.splits, c.stride(0),
                config.splits, *SUM_BLOCK,
            )  # fmt: skip
            grid = triton.cdiv(m, SUM_BLOCK[0]), triton.cdiv(n, SUM_BLOCK[1]), 1
            self._sum = Launcher(sum_parts[grid](parts, c, *self._sum_sizes, **OPTIONS), grid)

    def __call__(
        self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scales: Scales = UNSCALED
    ) -> bool:
        """Multiplies such matrices if all are at multiples of 16 bytes, and returns whether."""
        parts = self._parts(c)
        addresses = a.data_ptr(), b.data_ptr(), parts.data_ptr()
        encoded = self._encoded.get(addresses)
        if encoded is None:
            if any(address % 16 for address in addresses):
                return False
            if len(self._encoded) == KEPT_DESCRIPTORS:
                self._encoded.clear()
            encoded = self._multiply.encoded(*self._described(a, b, parts))
            self._encoded[addresses] = encoded
        self._multiply(*encoded, *scales, *self._handed(a.device), *self._sizes)
        if parts is not c:
            self._sum(parts, c, *self._sum_sizes)
        return True

    def _parts(self, c: torch.Tensor) -> torch.Tensor:
        """What the kernel stores to: the result, or float32 parts of it below each other."""
        if self._config.splits == 1:
            return c
        return c.new_empty(self._parts_shape, dtype=torch.float32)

    def _handed(self, device: torch.device) -> Workspace | tuple[None, None]:
        """Where programs that share tiles hand over accumulators, if they do."""
        if self._config.shared == 0:
            return None, None
        accumulators = self._config.sharers * math.prod(self._config.tile)
        flags = self._config.sharers * self._config.cluster * self._config.consumers
        return workspace(device, accumulators, flags)

    def _described(
        self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor
    ) -> tuple[TensorDescriptor, tuple[TensorDescriptor, ...], TensorDescriptor]:
        if not torch.cuda.is_current_stream_capturing():
            # The driver encodes only in threads with a context; any look at the GPU gives them one.
            torch.cuda.current_stream(a.device).query()
        a_block, b_blocks, c_block = self._config.blocks(*self._by_columns)
        return (
            descriptor(a, a_block),
            tuple(descriptor(b, block) for block in b_blocks),
            descriptor(c, c_block),
        )


def tuned(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scales: Scales = UNSCALED) -> Launch:
    """The fastest of the configurations that the model proposes.

    While a CUDA graph is captured nothing can be measured, so the model alone decides.
    """
    m, n, k = a.shape[0], b.shape[1], a.shape[1]
    problem = hopper_gemm_plans.Problem(m, n, k, a.element_size(), lines(a), lines(b))
    capturing = torch.cuda.is_current_stream_capturing()
    proposed = hopper_gemm_plans.best(problem, _processors(a.device), 1 if capturing else MEASURED)
    if len(proposed) == 1:
        return Launch(a, b, c, proposed[0], scales)
    stream = torch.cuda.current_stream(a.device)

    def made(config: Config) -> Launch:
        # A thread begins with a stream of its own.
        with torch.cuda.stream(stream):
            return Launch(a, b, c, config, scales)

    # Most of a compilation leaves Python to other threads. A block with a pipeline is part of the
    # context of this one.
    with futures.ThreadPoolExecutor(len(proposed)) as pool:
        compiling = [pool.submit(contextvars.copy_context().run, made, plan) for plan in proposed]
    launches = [future.result() for future in compiling]
    times: list[list[float]] = [[] for _ in launches]
    for turn in range(TURNS):
        # Every second turn goes backwards, so that nobody always runs on what another has heated.
        for index in range(len(launches))[:: -1 if turn % 2 else 1]:
            run = functools.partial(launches[index], a, b, c, scales)
            time = triton.testing.do_bench(run, warmup=5, rep=TURN_MS, return_mode="median")
            times[index].append(time)
    return launches[hopper_gemm_plans.fastest(times)]


_launches: dict[tuple[Any, ...], Launch] = {}


def _key(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scales: Scales) -> tuple[Any, ...]:
    """What a launch was made for."""
    kinds = a.dtype, b.dtype, c.dtype, a.device, b.device, c.device, scales is UNSCALED
    return a.shape, b.shape, c.shape, a.stride(), b.stride(), c.stride(), kinds


def _launch_again(
    a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scales: Scales = UNSCALED
) -> bool:
    """Multiplies, and says so, if there was such a product before."""
    launch = _launches.get(_key(a, b, c, scales))
    return launch is not None and launch(a, b, c, scales)


def _launch_first(
    a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scales: Scales = UNSCALED
) -> bool:
    """Multiplies, and keeps what multiplies the next matrices of these shapes and strides.

    Returns:
        Whether TMA can read and write the matrices; if not, nothing was done.
    """
    stored = [matrix.t() if by_columns(matrix) else matrix for matrix in (a, b)]
    if not all(map(is_tma_matrix, (*stored, c))):
        return False
    with torch.cuda.device(a.device):
        launch = tuned(a, b, c, scales)
    if not torch.cuda.is_current_stream_capturing():
        _launches[_key(a, b, c, scales)] = launch
    return True


def matmul(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Multiplies two float16 or two bfloat16 matrices on a Hopper GPU.

    The first product of a shape measures a few configurations. Matrices that TMA cannot read (rows
    or columns that don't start at multiples of 16 bytes) go to the pipelined kernel.

    Args:
        a: Matrix of shape (M, K), with any strides.
        b: Matrix of shape (K, N), with any strides, of a's dtype.
        out: Where the result goes, of shape (M, N) and a's dtype; a new matrix by default.

    Returns:
        `out`, or the new matrix, of a's dtype.

    Raises:
        ValueError: Shapes, dtypes or devices don't fit.
    """
    c = a.new_empty((a.shape[0], b.shape[1])) if out is None else out
    if _launch_again(a, b, c):
        return c
    if a.shape[1] != b.shape[0] or a.dtype != b.dtype or a.dtype not in FLOAT16:
        raise ValueError(
            f"cannot multiply {a.dtype} {tuple(a.shape)} and {b.dtype} {tuple(b.shape)}"
        )
    if c.shape != (a.shape[0], b.shape[1]) or c.dtype != a.dtype:
        raise ValueError(
            f"out is {c.dtype} {tuple(c.shape)}, but the product is "
            f"{a.dtype} {(a.shape[0], b.shape[1])}"
        )
    check_devices(a, b, c)
    if c.stride(1) != 1 and c.stride(0) == 1:
        matmul(b.t(), a.t(), c.t())
    elif 0 in (*a.shape, *b.shape):
        c.zero_()
    elif not _launch_first(a, b, c):
        with torch.cuda.device(a.device):
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
        ValueError: Shapes, dtypes, strides or devices don't fit.
    """
    (m, k), n = a.shape, b.shape[1]
    dtypes = a.dtype, b.dtype, a_scale.dtype, b_scale.dtype
    if (
        (b.shape[0], a_scale.numel(), b_scale.numel()) != (k, m, n)
        or a.dtype not in FLOAT8
        or dtypes != (a.dtype, a.dtype, torch.float32, torch.float32)
    ):
        raise ValueError(
            f"cannot multiply {a.dtype} {tuple(a.shape)} and {b.dtype} {tuple(b.shape)} with "
            f"scales {a_scale.dtype} {tuple(a_scale.shape)} and {b_scale.dtype} "
            f"{tuple(b_scale.shape)}"
        )
    check_devices(a, b, a_scale, b_scale)
    c = a.new_empty((m, n), dtype=out_dtype)
    scales = a_scale.contiguous(), b_scale.contiguous()
    if _launch_again(a, b, c, scales):
        return c
    if a.stride(1) != 1 or b.stride(0) != 1 or not _launch_first(a, b, c, scales):
        raise ValueError(
            f"strides {a.stride()} and {b.stride()}: a must be stored by rows and b by columns, "
            "each line at a multiple of 16 bytes, and a row of the result as well"
        )
    return c
