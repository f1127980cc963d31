"""Creates plugin ops from DSL functions, which `op` decorates.

Triton's interface for plugin ops takes values only. `create_op` sends every other argument beside
them as the text of an MLIR dictionary attribute on one more operand, which the C++ kit reads,
checks and removes.
"""

from __future__ import annotations

import math
import operator
import re
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import triton.language as tl
from triton._C.libtriton import ir

from . import interface, loading
from .builtin import op as op
from .errors import OpError, PluginNotLoadedError

# Attribute that holds the arguments; the C++ kit knows its name.
ARGUMENTS = "triton_plugin.args"

_FILE_LOCATION = re.compile(r'"((?:[^"\\]|\\.)+)":(\d+):\d+')
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*\Z")


def create_op(semantic: Any, name: str, /, **arguments: Any) -> ir.value | None:
    """Creates one plugin op at the builder's insertion point.

    The DSL function that calls it is decorated with `op`, since otherwise the plugin's build is not
    part of the kernel's cache key.

    Args:
        semantic: The `_semantic` of the DSL function.
        name: The op, for example "tlx_async_load".
        arguments: The op's arguments by name. Tensors, `ir.value`s, other Triton values and lists
            of them become operands. bools, ints, floats, strings, dtypes, `ir.type`s, lists and
            dicts of these travel as attributes. None stands for an argument that is left out.
            `tl.constexpr` is unwrapped.

    Returns:
        The op's result, or None if it has none.

    Raises:
        PluginNotLoadedError: No loaded plugin has that op.
        OpError: The plugin refused the arguments, or one of them has a type that cannot travel.
    """
    builder = semantic.builder
    here = builder.get_loc()
    create = interface.op_creator(builder, name)
    if create is None:
        raise PluginNotLoadedError(
            f"{_at(here)}the kernel uses the op {name!r}, which no loaded plugin provides. "
            f"{loading.how_to_load(name)}"
        )
    operands, text = _encode(builder, name, arguments, here)
    owner = loading.op_owner(name)
    if owner is None or owner.has_note:
        operands.append(_carrier(builder, text))
    elif len(operands) < sum(argument is not None for argument in arguments.values()):
        raise OpError(
            name,
            f"the plugin {owner.note.label} was built without the triton_plugin kit, so its ops "
            "take values only; compile-time arguments cannot reach it",
            file_and_line(here),
        )
    try:
        result = create(operands)
    except RuntimeError as error:
        raise OpError(name, str(error), file_and_line(here)) from error
    # A result slot that the op left alone comes back as a value around a null pointer.
    return result if result is not None and result.id() else None


def _carrier(builder: Any, text: str) -> ir.value:
    """A constant whose attribute holds the arguments; the kit reads and erases it.

    A location could carry them as well, but TRITON_DISABLE_LINE_INFO turns locations off.
    """
    carrier = builder.get_int32(0)
    carrier.set_attr(ARGUMENTS, builder.get_string_attr(text))
    return carrier


def file_and_line(location: ir.location) -> str | None:
    """Returns "file:line" of the kernel for a builder's location, or None when line information is
    off."""
    found = _FILE_LOCATION.search(str(location))
    return f"{found.group(1)}:{found.group(2)}" if found else None


def encode_attribute(builder: Any, value: Any) -> str:
    """Returns a Python value as the text of an MLIR attribute.

    Args:
        builder: A Triton builder, needed for dtypes.
        value: A bool, int, float, string, dtype, `ir.type`, or a list, tuple or dict of these.

    Raises:
        TypeError: The value has another type.
        ValueError: An integer does not fit into 64 bits.
    """
    value = unwrap(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, tl.dtype):
        return str(value.to_ir(builder))
    if isinstance(value, ir.type):
        return str(value)
    if isinstance(value, Mapping):
        entries = (
            f"{_key(key)} = {encode_attribute(builder, item)}" for key, item in value.items()
        )
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(encode_attribute(builder, item) for item in value) + "]"
    if hasattr(value, "__index__"):
        number = operator.index(value)
        if not -(2**63) <= number < 2**63:
            raise ValueError(f"{number} does not fit into 64 bits")
        return f"{number} : i64"
    raise TypeError(
        f"a {type(value).__name__} cannot be an argument; values, bools, ints, floats, strings, "
        "dtypes and lists of them can"
    )


def _encode(
    builder: Any, name: str, arguments: Mapping[str, Any], here: ir.location
) -> tuple[list[ir.value], str]:
    operands: list[ir.value] = []
    operand_names: list[str] = []
    attributes: dict[str, str] = {}
    for key, argument in arguments.items():
        argument = unwrap(argument)
        if argument is None:
            continue
        try:
            values = _values(argument)
            if values is not None:
                operands += values
                operand_names += [key] * len(values)
            else:
                attributes[key] = encode_attribute(builder, argument)
        except (TypeError, ValueError) as error:
            raise OpError(
                name, f"{name}: argument '{key}': {error}", file_and_line(here)
            ) from error
    args = ", ".join(f"{_key(key)} = {text}" for key, text in attributes.items())
    names = ", ".join(_quoted(key) for key in operand_names)
    return operands, f"{{args = {{{args}}}, values = [{names}]}}"


def unwrap(value: Any) -> Any:
    """Returns the value of a `tl.constexpr`, anything else as it is."""
    while isinstance(value, tl.constexpr):
        value = value.value
    return value


def _values(argument: Any) -> list[ir.value] | None:
    """The operands that an argument stands for, or None if it is not a value."""
    if isinstance(argument, ir.value):
        return [argument]
    if isinstance(argument, (list, tuple, tl.tuple)):
        items = [_values(unwrap(item)) for item in argument]
        found = [item for item in items if item is not None]
        if found and len(found) < len(items):
            raise TypeError("a list holds either values or compile-time constants, not both")
        return [value for item in found for value in item] if found else None
    if isinstance(argument, tl.core.base_value) and not isinstance(argument, tl.constexpr):
        handles: list[ir.value] = []
        argument._flatten_ir(handles)
        return handles
    return None


def _quoted(text: str) -> str:
    """A string literal of MLIR: everything but plain printable characters as hexadecimal bytes."""
    plain = (
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}"
        for byte in text.encode("utf-8", "surrogateescape")
    )
    return '"' + "".join(plain) + '"'


def _key(name: str) -> str:
    if not isinstance(name, str) or not name:
        raise TypeError(f"{name!r} cannot name an argument; a non-empty string can")
    return name if _IDENTIFIER.match(name) else _quoted(name)


def _float(value: float) -> str:
    if not math.isfinite(value):
        # MLIR spells infinities and NaNs by their bits.
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X} : f64"
    mantissa, _, exponent = repr(value).partition("e")
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{mantissa}e{exponent} : f64" if exponent else f"{mantissa} : f64"


def _at(location: ir.location) -> str:
    place = file_and_line(location)
    return f"{place}: " if place else ""
