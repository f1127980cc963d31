"""The comparison and its parts on small made-up input."""

import compare
import names
import proofs
import pytest
import vtables
from elf import Vtable
from layouts import Layout, Member

HEADER = "/usr/lib/llvm-23/include/mlir/IR/Block.h"


def field(name, offset, size):
    return Member("field", name, offset * 8, size * 8)


def base(name, offset, size):
    return Member("base", name, offset * 8, size * 8)


def differences(here, wheel, **options):
    found = compare.compare({"X": here}, {"X": wheel}, **options).differences
    return [(difference.what, difference.here, difference.wheel) for difference in found]


def test_equal():
    layout = Layout(16, (base("B", 0, 8), field("x", 8, 4)))
    result = compare.compare({"X": layout, "OnlyHere": layout}, {"X": layout})
    assert result.equal == ["X"]
    assert not result.differences


def test_size():
    assert differences(Layout(8), Layout(16)) == [("size", "8 bytes", "16 bytes")]


def test_moved_field():
    here = Layout(24, (field("x", 8, 4),))
    wheel = Layout(24, (field("x", 16, 4),))
    assert differences(here, wheel) == [("field x", "at 8, 4 bytes", "at 16, 4 bytes")]


def test_fields_of_one_size_that_changed_places():
    here = Layout(8, (field("used", 0, 4), field("entries", 4, 4)))
    wheel = Layout(8, (field("entries", 0, 4), field("used", 4, 4)))
    assert len(differences(here, wheel)) == 2


def test_field_of_another_size_in_the_same_room():
    here = Layout(8, (field("x", 0, 4),))
    wheel = Layout(8, (field("x", 0, 8),))
    assert differences(here, wheel) == [("field x", "at 0, 4 bytes", "at 0, 8 bytes")]


def test_field_that_is_new():
    here = Layout(8, (field("x", 0, 4),))
    wheel = Layout(8, (field("x", 0, 4), field("epoch", 4, 4)))
    assert differences(here, wheel) == [("field epoch", "absent", "at 4, 4 bytes")]


def test_bit_fields():
    here = Layout(4, (Member("field", "bit", 3, 1),))
    wheel = Layout(4, (Member("field", "bit", 4, 1),))
    assert differences(here, wheel) == [("field bit", "at 0.3, 1 bits", "at 0.4, 1 bits")]


def test_virtual_functions_in_one_only():
    here = Layout(8, (Member("vptr", "", 0, 64),))
    assert differences(here, Layout(8, (field("x", 0, 8),))) != []


def test_unknown_size_is_no_difference():
    here = Layout(16, (field("x", 8, 8), base("B", 0, 8)))
    wheel = Layout(16, (field("x", 8, 0), base("B", 0, 0)))
    assert differences(here, wheel) == []


def test_renamed_base_is_no_difference():
    assert differences(Layout(8, (base("New", 0, 8),)), Layout(8, (base("Old", 0, 8),))) == []


def test_base_elsewhere_is_a_difference():
    assert differences(Layout(16, (base("B", 0, 8),)), Layout(16, (base("B", 8, 8),))) != []


def test_empty_bases_have_no_place():
    assert differences(Layout(8, (base("Trait", 0, 1),)), Layout(8, (base("Other", 4, 1),))) == []


def test_nameless():
    here = Layout(8, (field("_M_size", 0, 8),))
    wheel = Layout(8, (base("std::_Size", 0, 8),))
    assert differences(here, wheel)
    assert differences(here, wheel, nameless={"X"}) == []
    assert differences(here, Layout(8, (base("std::_Size", 4, 4),)), nameless={"X"})


def test_nameless_base_of_unknown_size():
    here = Layout(8, (base("std::exception", 0, 8), field("_M_flag", 8, 1)))
    wheel = Layout(8, (base("std::exception", 0, 0), field("_M_flag", 8, 1)))
    assert differences(here, wheel, nameless={"X"}) == []
    assert differences(wheel, here, nameless={"X"}) == []


@pytest.mark.parametrize(
    ("gcc", "clang"),
    [
        ("SmallVector<mlir::Value, 6>", "SmallVector<mlir::Value, 6U>"),
        ("Foo<long unsigned int>", "Foo<unsigned long>"),
        ("ArrayRef<const char*>", "ArrayRef<const char *>"),
        ("Range<mlir::Value const*>", "Range<const mlir::Value *>"),
        ("function<void(int)>", "function<void (int)>"),
        ("A<B<int> >", "A<B<int>>"),
    ],
)
def test_canonical(gcc, clang):
    assert names.canonical(gcc) == names.canonical(clang)


def test_components():
    name = "llvm::DenseMap<a::B, c::D>::Iterator<e::F>::X"
    assert names.components(name) == ["llvm", "DenseMap<a::B, c::D>", "Iterator<e::F>", "X"]
    assert names.template_of(name) == "llvm::DenseMap::Iterator::X"


def test_spellings():
    wanted = ["llvm::SmallVector<mlir::Value, 6>", "mlir::Block", "mlir::Gone"]
    strings = ["llvm", "mlir", "Block", "SmallVector<mlir::Value, 6U>", "Other<int>"]
    spellings = names.Spellings(strings, wanted)
    assert spellings.of(wanted[0]) == ["llvm::SmallVector<mlir::Value, 6U>"]
    assert spellings.of(wanted[1]) == ["mlir::Block"]
    assert spellings.of(wanted[2]) == []


def test_proofs():
    plain = Layout(8, (field("x", 0, 8),), HEADER)
    unknown = {
        "mlir::Pass": plain,
        "mlir::Dialect": plain,
        "llvm::SmallVector<mlir::Pass*, 1>": plain,
        "mlir::Handle": Layout(8, (base("mlir::OpState", 0, 8),), HEADER),
        "mlir::Operation": plain,
        "mlir::Unseen": plain,
    }
    found = proofs.prove(
        unknown,
        equal=["mlir::OpState", "llvm::SmallVector<int, 1>"],
        vtables=["mlir::Dialect", "mlir::Pass"],
        exercised=["mlir::Operation", "mlir::Pass"],
    )
    assert found == {
        proofs.VTABLE_AND_CANARY: ["mlir::Pass"],
        proofs.VTABLE: ["mlir::Dialect"],
        proofs.TEMPLATE: ["llvm::SmallVector<mlir::Pass*, 1>"],
        proofs.BASES: ["mlir::Handle"],
        proofs.CANARY: ["mlir::Operation"],
        proofs.NONE: ["mlir::Unseen"],
    }


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (HEADER, True),
        ("external/_main~sdk~mlir_sdk/root/usr/include/llvm-23/llvm/ADT/DenseMap.h", True),
        ("external/_main~sdk~triton/triton/include/python/src/ir.h", True),
        ("core/include/triton_plugin/Plugin.h", False),
        ("plugins/tlx/IR/TLX.h", False),
        ("/usr/include/c++/12/vector", False),
    ],
)
def test_from_sdk(file, expected):
    assert proofs.from_sdk(Layout(1, (), file)) == expected


def table(*functions):
    return Vtable(16 + 8 * len(functions), tuple(frozenset(f) for f in functions))


# Base has f() and pure g(); Heir, of the wheel, overrides g(); Ours is the plugin's.
WHEEL = {
    "_ZTV4Base": table(["_ZN4Base1fEv"], []),
    "_ZTV4Heir": table(["_ZN4Base1fEv"], ["_ZN4Heir1gEv"]),
}


def test_vtable_with_a_base_of_the_wheel():
    ours = {"_ZTV4Ours": table(["_ZN4Base1fEv"], ["_ZN4Ours1gEv"])}
    result = vtables.WheelVtables(WHEEL).compare(ours)
    assert result.equal == {"Base": 2}
    assert not result.differences


def test_vtable_with_swapped_slots():
    ours = {"_ZTV4Ours": table(["_ZN4Ours1gEv"], ["_ZN4Base1fEv"])}
    result = vtables.WheelVtables(WHEEL).compare(ours)
    assert [(d.type, d.what, d.here, d.wheel) for d in result.differences] == [
        ("Ours (as Base)", "vtable slot 0", "g()", "f()"),
        ("Ours (as Base)", "vtable slot 1", "f()", "g()"),
    ]


def test_vtable_of_another_size():
    ours = {"_ZTV4Base": table(["_ZN4Base1fEv"], [], ["_ZN4Base1hEv"])}
    result = vtables.WheelVtables(WHEEL).compare(ours)
    assert [(d.type, d.what, d.here, d.wheel) for d in result.differences] == [
        ("Base", "vtable", "40 bytes", "32 bytes")
    ]


def test_folded_functions_keep_all_their_names():
    ours = {"_ZTV4Ours": table(["_ZN4Base1fEv"], ["_ZN4Ours1gEv", "_ZN5Other1hEv"])}
    assert not vtables.WheelVtables(WHEEL).compare(ours).differences
