"""What differs between two layouts of one class."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping

import names
from layouts import Layout, Member


@dataclasses.dataclass(frozen=True)
class Difference:
    """One thing that is not the same here and in the wheel."""

    type: str
    what: str
    here: str
    wheel: str


@dataclasses.dataclass
class Comparison:
    """The outcome for many classes."""

    equal: list[str] = dataclasses.field(default_factory=list)
    differences: list[Difference] = dataclasses.field(default_factory=list)


def compare(
    here: Mapping[str, Layout], wheel: Mapping[str, Layout], nameless: Collection[str] = ()
) -> Comparison:
    """Compares the classes that both sides define.

    Args:
        here: our classes.
        wheel: the wheel's classes.
        nameless: classes of which only sizes and offsets must be equal. Releases of the standard
            library rename members and move them to bases, and may not change a layout.
    """
    result = Comparison()
    for name in sorted(here.keys() & wheel.keys()):
        ours, theirs = here[name], wheel[name]
        if name in nameless:
            ours, theirs = _nameless(ours, theirs), _nameless(theirs, ours)
        differences = list(_compare_layout(name, ours, theirs))
        result.differences += differences
        if not differences:
            result.equal.append(name)
    return result


def _compare_layout(name: str, here: Layout, wheel: Layout) -> Iterator[Difference]:
    if here.size != wheel.size:
        yield Difference(name, "size", f"{here.size} bytes", f"{wheel.size} bytes")
    ours = {_key(member): member for member in here.members}
    theirs = {_key(member): member for member in wheel.members}
    for key in [key for key in ours if key in theirs]:
        member, twin = ours.pop(key), theirs.pop(key)
        if not _same_place(member, twin):
            yield Difference(name, _label(member), _place(member), _place(twin))
    # A base class under another name is no other layout.
    for key, member in list(ours.items()):
        twins = [twin for twin in theirs if theirs[twin].kind == "base" == member.kind]
        twin = next((twin for twin in twins if _same_place(member, theirs[twin])), None)
        if twin is not None:
            del ours[key], theirs[twin]
    for member in ours.values():
        if _takes_room(member):
            yield Difference(name, _label(member), _place(member), "absent")
    for twin in theirs.values():
        if _takes_room(twin):
            yield Difference(name, _label(twin), "absent", _place(twin))


def _nameless(layout: Layout, other: Layout) -> Layout:
    # Of a base whose size one side does not tell, nothing can be said on either.
    untold = {
        m.offset for m in (*layout.members, *other.members) if m.kind == "base" and not m.size
    }
    members = (
        dataclasses.replace(member, kind="member", name="")
        for member in layout.members
        if member.kind != "base" or member.offset not in untold and not _empty_base(member)
    )
    return dataclasses.replace(layout, members=tuple(members))


def _key(member: Member) -> tuple[str, str, int]:
    # Nameless fields, padding in bit fields for one, are told apart by where they are.
    return member.kind, names.canonical(member.name), 0 if member.name else member.offset


def _same_place(member: Member, twin: Member) -> bool:
    if _empty_base(member) and _empty_base(twin):
        return True
    # A size of 0 is one that this debug information does not tell.
    sizes = {member.size, twin.size} - {0}
    return member.offset == twin.offset and len(sizes) < 2


def _takes_room(member: Member) -> bool:
    return member.kind != "base" or member.size > 8


def _empty_base(member: Member) -> bool:
    return member.kind == "base" and member.size == 8


def _label(member: Member) -> str:
    return f"{member.kind} {member.name}" if member.kind != "vptr" else "vptr"


def _offset(member: Member) -> str:
    whole, bits = divmod(member.offset, 8)
    return f"{whole}.{bits}" if bits else str(whole)


def _place(member: Member) -> str:
    whole, bits = divmod(member.size, 8)
    return f"at {_offset(member)}, {f'{member.size} bits' if bits else f'{whole} bytes'}"
