"""The values of TLX kernels that are no tensors."""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton._C.libtriton import ir

from triton_plugins import dsl


class _HandleType(tl.core.base_type):
    """Type of a value that is one IR value.

    The IR type is kept from the value itself: it belongs to the kernel being compiled, as does
    every object of this class.
    """

    def __init__(self, ir_type: ir.type):
        self.ir_type = ir_type

    def _flatten_ir_types(self, builder: ir.builder, out: list[ir.type]) -> None:
        out.append(self.ir_type)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.mangle() == self.mangle()

    def __hash__(self) -> int:
        return hash((type(self), self.mangle()))

    def __str__(self) -> str:
        return self.mangle()


class _Handle(tl.core.base_value):
    """A value that is one IR value."""

    def __init__(self, handle: ir.value, type_: _HandleType):
        self.handle = handle
        self.type = type_

    def _flatten_ir(self, handles: list[ir.value]) -> None:
        handles.append(self.handle)

    def _set_name(self, builder: ir.builder, name: str) -> None:
        self.handle.set_loc(builder.create_name_loc(name, self.handle.get_loc()))


class buffered_tensor_type(_HandleType):
    """Type of `buffered_tensor`.

    Attributes:
        shape: Shape of one buffer, in elements.
        num: Number of buffers, or None for a view of one of them.
        element_ty: dtype of the elements.
    """

    def __init__(self, ir_type: ir.type, shape: list[int], num: int | None, element_ty: tl.dtype):
        super().__init__(ir_type)
        self.shape = tl.tuple([tl.constexpr(size) for size in shape])
        self.num = num
        self.element_ty = element_ty

    def _unflatten_ir(self, handles: list[ir.value], cursor: int) -> tuple[buffered_tensor, int]:
        return buffered_tensor(handles[cursor], self), cursor + 1

    def mangle(self) -> str:
        sizes = [size.value for size in self.shape]
        sizes = sizes if self.num is None else [self.num, *sizes]
        return f"buffer{'x'.join(str(size) for size in sizes)}x{self.element_ty.mangle()}"


class buffered_tensor(_Handle):
    """Buffers in local memory (`local_alloc`) or a view of one of them (`local_view`)."""

    type: buffered_tensor_type

    def __getitem__(self, index: Any, _semantic: Any = None) -> buffered_tensor:
        """`buffers[i]` in a kernel: see `local_view`."""
        index = _semantic.to_tensor(dsl.unwrap(index)).to(tl.int32, _semantic=_semantic)
        handle = dsl.create_op(_semantic, "tlx_local_view", buffer=self, index=index)
        sizes = [size.value for size in self.shape]
        return buffered_tensor(
            handle, buffered_tensor_type(handle.get_type(), sizes, None, self.dtype)
        )

    @property
    def shape(self) -> tl.tuple:
        """Shape of one buffer."""
        return self.type.shape

    @property
    def dtype(self) -> tl.dtype:
        """dtype of the elements."""
        return self.type.element_ty


class mbarrier_type(_HandleType):
    """Type of `mbarrier`.

    Attributes:
        num: Number of barriers, or None for one of them.
        warps: Warps of a task whose warps arrive each by itself, or None if a task arrives as one.
    """

    def __init__(self, ir_type: ir.type, num: int | None, warps: int | None = None):
        super().__init__(ir_type)
        self.num = num
        self.warps = warps

    def _unflatten_ir(self, handles: list[ir.value], cursor: int) -> tuple[mbarrier, int]:
        return mbarrier(handles[cursor], self), cursor + 1

    def mangle(self) -> str:
        name = "mbarrier" if self.num is None else f"mbarriers{self.num}"
        return name if self.warps is None else f"{name}warps{self.warps}"


class mbarrier(_Handle):
    """Barriers in shared memory (`alloc_barriers`), or one of them."""

    type: mbarrier_type

    @tl.core.builtin
    def __getitem__(self, index, _semantic=None) -> mbarrier:
        """Returns the barrier with an index, which may be a run-time value."""
        index = _semantic.to_tensor(index).to(tl.int32, _semantic=_semantic)
        handle = dsl.create_op(_semantic, "tlx_local_view", buffer=self, index=index)
        return mbarrier(handle, mbarrier_type(handle.get_type(), None, self.type.warps))


class tensor_descriptor_ptr_type(_HandleType):
    """Type of `tensor_descriptor_ptr`.

    Attributes:
        num: Number of slots, or None for one of them.
        size: Bytes of one slot.
    """

    size = 128

    def __init__(self, ir_type: ir.type, num: int | None):
        super().__init__(ir_type)
        self.num = num

    def _unflatten_ir(
        self, handles: list[ir.value], cursor: int
    ) -> tuple[tensor_descriptor_ptr, int]:
        return tensor_descriptor_ptr(handles[cursor], self), cursor + 1

    def mangle(self) -> str:
        return "descslot" if self.num is None else f"descslots{self.num}"


class tensor_descriptor_ptr(_Handle):
    """Slots for descriptors in global memory (`allocate_tensor_descriptor`), or one of them."""

    type: tensor_descriptor_ptr_type

    @tl.core.builtin
    def __getitem__(self, index, _semantic=None) -> tensor_descriptor_ptr:
        """Returns the slot with an index, which may be a run-time value."""
        index = _semantic.to_tensor(index).to(tl.int32, _semantic=_semantic)
        handle = dsl.create_op(_semantic, "tlx_descriptor_slot", slots=self, index=index)
        return tensor_descriptor_ptr(handle, tensor_descriptor_ptr_type(handle.get_type(), None))

    @property
    def num(self) -> int | None:
        """Number of slots, or None for one of them."""
        return self.type.num

    @property
    def descriptor_size(self) -> int:
        """Bytes of one slot."""
        return self.type.size


class remote_buffer_type(tl.core.base_type):
    """Type of `remote_buffer`.

    Attributes:
        local: Type of what this block has at the same place.
    """

    def __init__(self, local: buffered_tensor_type | mbarrier_type):
        self.local = local

    def _flatten_ir_types(self, builder: ir.builder, out: list[ir.type]) -> None:
        self.local._flatten_ir_types(builder, out)
        tl.int32._flatten_ir_types(builder, out)

    def _unflatten_ir(self, handles: list[ir.value], cursor: int) -> tuple[remote_buffer, int]:
        local, cursor = self.local._unflatten_ir(handles, cursor)
        rank, cursor = tl.int32._unflatten_ir(handles, cursor)
        return remote_buffer(local, rank), cursor

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.local == self.local

    def __hash__(self) -> int:
        return hash((type(self), self.local))

    def mangle(self) -> str:
        return f"remote_{self.local.mangle()}"

    def __str__(self) -> str:
        return self.mangle()


class remote_buffer(tl.core.base_value):
    """What another block of the cluster has at the place of a barrier (`remote_view`).

    Attributes:
        local: What this block has there.
        rank: Rank of the other block.
    """

    type: remote_buffer_type

    def __init__(self, local: buffered_tensor | mbarrier, rank: tl.tensor):
        self.local = local
        self.rank = rank
        self.type = remote_buffer_type(local.type)

    def _flatten_ir(self, handles: list[ir.value]) -> None:
        self.local._flatten_ir(handles)
        self.rank._flatten_ir(handles)

    def _set_name(self, builder: ir.builder, name: str) -> None:
        self.local._set_name(builder, name)


class async_token_type(_HandleType):
    """Type of `async_token`."""

    def _unflatten_ir(self, handles: list[ir.value], cursor: int) -> tuple[async_token, int]:
        return async_token(handles[cursor], self), cursor + 1

    def mangle(self) -> str:
        return "async_token"


class async_token(_Handle):
    """Stands for asynchronous copies that were started or committed."""
