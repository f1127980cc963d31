"""Memory that several allocations share."""

from __future__ import annotations

import enum
from typing import Any

from triton._C.libtriton import ir

from triton_plugins import dsl

from .arguments import constant, unwrap
from .pipeline import PIPELINE
from .types import _Handle, _HandleType, buffered_tensor


class storage_kind(enum.Enum):
    """Where buffers lie: shared memory (LDS on AMD), Blackwell's tensor memory, or the shared
    memory of a cluster."""

    smem = "smem"
    tmem = "tmem"
    smemCluster = "smemCluster"


class reuse_group_type(enum.Enum):
    """How the members of a `reuse_group` lie: at the same byte, or one behind the other."""

    shared = "shared"
    distinct = "distinct"


class reuse_group:
    """Buffers, or groups of them, that share memory.

    Buffer `i` of every member lies in instance `i` of the group.

    Args:
        *args: Results of `local_alloc`, and other groups.
        group_type: Whether the members start at the same byte or lie one behind the other.
        group_size: How many consecutive buffers of each member belong to one instance.
    """

    def __init__(
        self,
        *args: Any,
        group_type: reuse_group_type = reuse_group_type.shared,
        group_size: int = 1,
    ):
        self.members = tuple(unwrap(member) for member in args)
        self.group_type = unwrap(group_type)
        self.group_size = constant(group_size, "group_size")
        for member in self.members:
            if not isinstance(member, (reuse_group, buffered_tensor)):
                raise TypeError(
                    f"a reuse_group holds buffers of local_alloc and reuse_groups, not {member!r}"
                )

    def tree(self, buffers: list[buffered_tensor]) -> dict[str, Any]:
        """Returns the group as `tlx.set_buffer_overlap` has it, and adds its buffers to the list
        whose indices it uses."""
        nodes: list[Any] = []
        for member in self.members:
            if isinstance(member, reuse_group):
                nodes.append(member.tree(buffers))
            else:
                nodes.append(len(buffers))
                buffers.append(member)
        return {"kind": self.group_type.value, "size": self.group_size, "members": nodes}


class storage_alias_spec_type(_HandleType):
    """Type of what `storage_alias_spec` returns."""

    def _unflatten_ir(self, handles: list[ir.value], cursor: int) -> tuple[shared_storage, int]:
        return shared_storage(handles[cursor], self), cursor + 1

    def mangle(self) -> str:
        return "storage_alias_spec"


class shared_storage(_Handle):
    """Memory that several allocations share (`storage_alias_spec`)."""

    def set_buffer_overlap(self, overlap_def: reuse_group, _semantic: Any = None) -> None:
        """Says which buffers of the allocations that reuse this memory share their bytes.

        Args:
            overlap_def: Names every allocation that reuses this memory, once.

        Raises:
            OpError: A buffer is named twice, or reuses other memory.
            PassError: When the kernel is compiled, if the buffers do not fit.
        """
        group = unwrap(overlap_def)
        if not isinstance(group, reuse_group):
            raise TypeError(f"set_buffer_overlap needs a tlx.reuse_group, but got {group!r}")
        buffers: list[buffered_tensor] = []
        tree = group.tree(buffers)
        dsl.create_op(
            _semantic, "tlx_set_buffer_overlap", storage=self, buffers=buffers, groups=tree
        )


@dsl.op("tlx", PIPELINE)
def storage_alias_spec(
    storage=storage_kind.smem, buffer_size_bytes=None, _semantic=None
) -> shared_storage:
    """Returns memory that every `local_alloc(..., reuse=...)` of it shares.

    Args:
        storage: `storage_kind.smem`.
        buffer_size_bytes: The most bytes that the allocations may need, known at compile time; as
            many as they need by default.

    Raises:
        OpError: The size is not positive.
        ValueError: The storage is one that this architecture lacks.
    """
    check_storage(storage, "storage_alias_spec")
    size = unwrap(buffer_size_bytes)
    handle = dsl.create_op(
        _semantic,
        "tlx_storage_alias_spec",
        size=None if size is None else constant(size, "buffer_size_bytes"),
    )
    return shared_storage(handle, storage_alias_spec_type(handle.get_type()))


def check_storage(storage: Any, function: str) -> None:
    """Checks that memory of a kind can be allocated.

    Raises:
        ValueError: It cannot.
    """
    kind = unwrap(storage)
    if kind is storage_kind.tmem:
        raise ValueError(
            f"{function}: tensor memory (storage_kind.tmem) needs Blackwell (sm_100); use "
            "storage_kind.smem, or a tensor in registers for an accumulator"
        )
    if kind is not storage_kind.smem:
        raise ValueError(
            f"{function} takes storage_kind.smem, not {kind!r}; other blocks of a cluster reach it "
            "through tlx.remote_view"
        )
