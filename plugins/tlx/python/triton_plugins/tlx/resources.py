"""What a kernel needs more of than there is."""

from __future__ import annotations

from triton._C.libtriton import ir
from triton.runtime.errors import OutOfResources


class SharedMemoryError(OutOfResources):
    """A kernel needs more shared memory than a block can have.

    Triton's autotuner skips a configuration that raises it.

    Attributes:
        required: Bytes that the kernel needs.
        limit: Bytes that a block can have.
        report: Table of the buffers: place, bytes, name and line.
    """

    def __init__(self, required: int, limit: int, report: str) -> None:
        super().__init__(required, limit, "shared memory")
        self.report = report

    def __str__(self) -> str:
        return (
            f"the kernel needs {self.required} bytes of shared memory, and a block can have "
            f"{self.limit}; allocate fewer or smaller buffers, or let some share memory "
            f"(reuse=). Buffers whose bytes overlap are not needed at the same time:\n{self.report}"
        )

    def __reduce__(self) -> tuple[type[SharedMemoryError], tuple[int, int, str]]:
        return type(self), (self.required, self.limit, self.report)


def check_shared_memory(module: ir.module) -> None:
    """Makes an exception of what the pass tlx_report_shared_memory found.

    Raises:
        SharedMemoryError: It found that the kernel needs too much.
    """
    limit = module.get_int_attr("tlx.shared_memory_limit")
    if limit is not None:
        report = module.get_operation().get_str_attr("tlx.shared_memory_report")
        raise SharedMemoryError(module.get_int_attr("ttg.shared"), limit, report)
