"""Forms of the persistent Hopper GEMM: sizes of tiles and rings that fit into a multiprocessor."""

from __future__ import annotations

import dataclasses
import math

import triton

# Bytes of shared memory that a program may have on Hopper.
SHARED_BYTES = 227 * 1024
# What L2 sends, and what TMA writes to one row of a buffer, swizzled.
LINE_BYTES = 128
# Barriers and what warp groups are passed at their start.
RESERVED_BYTES = 1024
# Registers of a thread that are not for accumulators, and those more for factors of float8.
OTHER_REGISTERS = 40
FACTOR_REGISTERS = 16
# Programs that run at the same time: one on each multiprocessor of an H200.
PROGRAMS = 132


@triton.constexpr_function
def widths_of(columns: int) -> tuple[int, ...]:
    """The columns of a tile's strips, the widest first: powers of two, as tensors and TMA have."""
    return tuple(1 << bit for bit in reversed(range(columns.bit_length())) if columns >> bit & 1)


@dataclasses.dataclass(frozen=True)
class Config:
    """The constants of a kernel; see `hopper_persistent_gemm_kernel`."""

    bm: int
    bn: int
    bk: int
    stages: int
    c_buffers: int
    pingpong: bool
    splits: int = 1
    # Programs below each other that share what they load of B, or beside each other that share A.
    cluster_m: int = 1
    cluster_n: int = 1
    # Tiles whose steps are divided, and among how many programs, or clusters, they are.
    shared: int = 0
    sharers: int = 0

    @property
    def constants(self) -> dict[str, int | bool]:
        """Arguments of the kernel."""
        return {
            "BM": self.bm,
            "BN": self.bn,
            "BK": self.bk,
            "GROUP_M": self.group_m,
            "SPLITS": self.splits,
            "NUM_STAGES": self.stages,
            "SLICES": self.slices,
            "C_BUFFERS": self.c_buffers,
            "CLUSTER_M": self.cluster_m,
            "CLUSTER_N": self.cluster_n,
            "CONSUMERS": self.consumers,
            "REGISTERS": self.registers,
            "PINGPONG": self.pingpong,
            "STORE_LATE": self.stores_late,
        }

    @property
    def cluster(self) -> int:
        """Programs in a cluster."""
        return self.cluster_m * self.cluster_n

    @property
    def tile(self) -> tuple[int, int]:
        """Rows and columns that a cluster computes at the same time."""
        return self.bm * self.cluster_m, self.bn * self.cluster_n

    @property
    def group_m(self) -> int:
        """Rows of clusters' tiles that are computed at the same time.

        Programs read least where all their tiles together are about a square.
        """
        return 2 * round(math.sqrt(PROGRAMS * self.bn / self.bm) / 2) // self.cluster_m

    @property
    def consumers(self) -> int:
        """Warp groups that multiply: three where a tile has three times 64 rows."""
        return 3 if self.bm == 192 else 2

    @property
    def registers(self) -> int:
        """Registers of a consumer's thread.

        A multiprocessor has 512 for each thread of a warp group. What consumers leave is for four
        warps more, of which the producer is one.
        """
        return 232 if self.consumers == 2 else 160

    @property
    def rows(self) -> int:
        """Rows of a tile that one warp group multiplies."""
        return self.bm if self.pingpong else self.bm // self.consumers

    @property
    def accumulators(self) -> int:
        """Accumulators of a consumer's thread."""
        return self.rows * self.bn // 128

    @property
    def stores_late(self) -> bool:
        """Whether the first steps of the next tile store a tile.

        16 bits of it stay in registers until then. Programs that share tiles have fewer to spare.
        """
        room = self.registers - OTHER_REGISTERS
        if self.shared and (self.cluster > 1 or len(self.widths) > 1):
            room = min(room, 96)
        return not self.pingpong and self.accumulators * 3 // 2 <= room

    @property
    def widths(self) -> tuple[int, ...]:
        """The columns of a tile's strips."""
        return widths_of(self.bn)

    @property
    def stored_bytes(self) -> int:
        """Bytes of an element that is stored: of 16 bits, or float32 where K is split."""
        return 2 if self.splits == 1 else 4

    @property
    def slices(self) -> int:
        """Slices of a tile that TMA stores, each of a line a row, or as wide as the last strip."""
        return self.bn // min(LINE_BYTES // self.stored_bytes, self.widths[-1])

    def blocks(
        self, a_by_columns: bool, b_by_columns: bool
    ) -> tuple[list[int], list[list[int]], list[int]]:
        """Shapes of what TMA copies at a time: of A, of each strip of B, of the result."""
        b = [[width, self.bk] if b_by_columns else [self.bk, width] for width in self.widths]
        return (
            [self.bk, self.rows] if a_by_columns else [self.rows, self.bk],
            [[lines // self.cluster_m, elements] for lines, elements in b],
            [self.rows, self.bn // self.slices],
        )

    def shared_bytes(self, element_bytes: int) -> int:
        """The ring, and slices of the result for all consumers."""
        ring = self.stages * (self.bm + self.bn) * self.bk * element_bytes
        a_slice = self.rows * self.bn // self.slices * self.stored_bytes
        return ring + self.consumers * self.c_buffers * a_slice

    def fits(self, element_bytes: int) -> bool:
        """Whether buffers fit into shared memory and accumulators into registers."""
        others = OTHER_REGISTERS + (FACTOR_REGISTERS if element_bytes == 1 else 0)
        return (
            self.shared_bytes(element_bytes) <= SHARED_BYTES - RESERVED_BYTES
            and self.accumulators + others <= self.registers
        )


def candidates(element_bytes: int) -> list[Config]:
    """Every tile that is worth trying, with as many stages as shared memory has room for."""
    # The elements of one swizzled line.
    line = LINE_BYTES // element_bytes
    found = []
    for bm, bn, bk, c_buffers, pingpong, cluster in (
        (128, 256, line, 2, False, (1, 1)),
        (256, 128, line, 1, False, (1, 1)),
        (128, 128, line, 1, True, (1, 1)),
        (64, 256, line, 2, True, (1, 1)),
        (128, 128, line, 2, False, (1, 1)),
        (128, 128, 2 * line, 2, False, (1, 1)),
        (128, 64, line, 1, True, (1, 1)),
        (64, 128, line, 2, True, (1, 1)),
        (128, 256, line, 2, False, (2, 1)),
        (256, 128, line, 1, False, (1, 2)),
        (128, 128, line, 2, False, (2, 1)),
        (192, 128, line, 1, False, (1, 1)),
        (192, 128, line, 1, False, (2, 1)),
        (128, 192, line, 2, False, (1, 1)),
        (128, 192, line, 2, False, (2, 1)),
        (128, 224, line, 2, False, (2, 1)),
        (192, 192, line, 1, False, (1, 1)),
        (192, 192, line, 1, False, (2, 1)),
        (256, 160, line, 1, False, (1, 1)),
        (256, 192, line, 1, False, (1, 1)),
    ):
        for stages in range(8, 1, -1):
            config = Config(bm, bn, bk, stages, c_buffers, pingpong, 1, *cluster)
            if config.fits(element_bytes):
                found.append(config)
                break
    return found
