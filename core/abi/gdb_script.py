"""Runs inside gdb (see layouts.py) and writes the layouts of C++ classes as JSON.

The request, a JSON file named by $ABI_AUDIT_REQUEST, asks for one of two things:
  {"units": [[addresses in one compile unit], ...]}   every class that those units define
  {"lookup": {key: [spellings], ...}}                 these classes, wherever they are defined
"""

import json
import os

import gdb

_RECORDS = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


def _size(type_, known):
    """Bits of a type. One that its unit only declares has the size that is known from elsewhere, or
    0."""
    stripped = type_.strip_typedefs()
    try:
        return (stripped.sizeof or known.get(stripped.name, 0)) * 8
    except gdb.error:
        return 0


def _members(type_, known, offset=0):
    for field in type_.fields():
        if getattr(field, "bitpos", None) is None:
            continue  # A static member, or a virtual base, which has no fixed place.
        position = offset + field.bitpos
        stripped = field.type.strip_typedefs()
        if field.is_base_class:
            kind = "base"
        elif field.name and field.name.startswith("_vptr"):
            kind = "vptr"
        else:
            kind = "field"
        if not field.name and stripped.code in _RECORDS:
            yield from _members(stripped, known, position)
            continue
        name = field.name or ""
        if kind == "vptr":
            name = ""  # It has the class's name in it, in two spellings.
        elif kind == "base":
            # One compiler names a base class by the typedef in the source, the other by its name.
            name = stripped.name or name
        yield [kind, name, position, field.bitsize or _size(field.type, known)]


def _layout(type_, known):
    return {"size": type_.sizeof, "members": list(_members(type_, known))}


def _unit_types(addresses):
    for address in addresses:
        table = gdb.find_pc_line(address).symtab
        if table is None:
            continue
        for block in (table.static_block(), table.global_block()):
            for symbol in block:
                if symbol.addr_class == gdb.SYMBOL_LOC_TYPEDEF and symbol.type.code in _RECORDS:
                    yield symbol
        return
    raise gdb.GdbError(f"no compile unit holds any of the addresses {addresses[:5]}")


def _all(units):
    layouts = {}
    for addresses in units:
        for symbol in _unit_types(addresses):
            type_ = symbol.type
            name = type_.name
            if name and name not in layouts and type_.sizeof:
                layouts[name] = _layout(type_, {})
                layouts[name]["file"] = symbol.symtab.filename
    return layouts


def _lookup(wanted):
    found = {}
    for key, spellings in wanted.items():
        for spelling in spellings:
            try:
                type_ = gdb.lookup_type(spelling).strip_typedefs()
            except gdb.error:
                continue
            if type_.code in _RECORDS and type_.sizeof:
                found[key] = type_
                break
    # Which unit a class comes from depends on the order in which gdb's threads read them, and some
    # only declare the classes of its members.
    known = {type_.name: type_.sizeof for type_ in found.values()}
    return {key: _layout(type_, known) for key, type_ in found.items()}


def main():
    with open(os.environ["ABI_AUDIT_REQUEST"]) as stream:
        request = json.load(stream)
    answer = _all(request["units"]) if "units" in request else _lookup(request["lookup"])
    with open(request["output"], "w") as stream:
        json.dump(answer, stream)


main()
