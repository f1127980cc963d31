"""Reading libraries without opening them: whatever the bytes, a note or one `PluginFileError`."""

import json
import random

import pytest

from triton_plugins import Note, PluginFileError, read_note
from triton_plugins.note import read_library


def test_reads_every_field(make_library):
    path = make_library("full", dialects=["full"], archs=["sm_90a", "gfx942"], version="1.2.3")
    note = read_note(path)
    assert (note.name, note.version, note.api_version) == ("full", "1.2.3", 2)
    assert note.archs == ("sm_90a", "gfx942")
    assert (note.dialects, note.passes, note.ops) == (("full",), ("full_pass",), ("full_op",))
    assert len(note.llvm_commit) == 40
    assert note.label == "full 1.2.3"


def test_padding_after_the_text_is_ignored(make_library):
    text = json.dumps(
        {
            "note": 1,
            "name": "pad",
            "version": "1",
            "api_version": 2,
            "triton_version": "3",
            "llvm_commit": "0",
        }
    )
    expected = Note("pad", "1", 2, "3", "0")
    assert read_note(make_library("pad", note=text + "   ")) == expected


def test_reads_the_elf_headers(make_library):
    library = read_library(
        make_library(
            "headers", extra="extern void from_elsewhere(); void *p = (void *)from_elsewhere;"
        )
    )
    assert "libtriton.so" in library.needed
    assert "tritonGetPluginInfo" in library.exports
    assert "from_elsewhere" in library.undefined


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda p: None, "cannot be read: No such file"),
        (lambda p: p.mkdir(), "is a directory"),
        (lambda p: p.write_bytes(b""), "is empty"),
        (lambda p: p.write_text("hello, this is text and no library"), "is not an ELF file"),
        (lambda p: p.symlink_to(p), "cannot be read"),
        (lambda p: p.write_bytes(b"\x7fELF"), "damaged or truncated"),
    ],
)
def test_no_library(tmp_path, make, message):
    path = tmp_path / "libx.so"
    make(path)
    with pytest.raises(PluginFileError, match=message) as error:
        read_note(path)
    assert str(path) in str(error.value)


def test_path_with_a_nul_character():
    with pytest.raises(PluginFileError, match="cannot be read"):
        read_note("a\0b")


def test_unreadable(tmp_path):
    # A mode of 0 would stop everybody but root; reading a process's memory from address 0 stops
    # root too.
    path = tmp_path / "libx.so"
    path.symlink_to("/proc/self/mem")
    with pytest.raises(PluginFileError, match="cannot be read"):
        read_note(path)


@pytest.mark.parametrize(
    "at, value, message",
    [
        (4, 1, "another machine"),
        (5, 2, "another machine|damaged"),
        (18, 0xB7 + 1, "another machine"),
        (16, 2, "ET_EXEC"),
    ],
)
def test_wrong_header(make_library, at, value, message):
    path = make_library()
    data = bytearray(path.read_bytes())
    data[at] = value
    path.write_bytes(data)
    with pytest.raises(PluginFileError, match=message):
        read_note(path)


def test_no_note(make_library):
    path = make_library(note=False)
    assert read_library(path).note is None
    with pytest.raises(PluginFileError, match=r"no \.note\.triton_plugin section"):
        read_note(path)


@pytest.mark.parametrize(
    "text, message",
    [
        ("{broken", "not valid JSON"),
        ("[1]", "not an object"),
        ('{"note": 7}', "format 7"),
        ('{"note": 1}', "None as its 'name'"),
        ('{"note": 1, "name": "x", "version": 3}', "3 as its 'version'"),
        ('{"note": 1, "name": "../x"}', "as its 'name'; an identifier of C"),
        ('{"note": 1, "name": "\\u00e9"}', "as its 'name'; an identifier of C"),
    ],
)
def test_broken_note(make_library, text, message):
    with pytest.raises(PluginFileError, match=message):
        read_note(make_library(note=text))


def test_note_of_another_owner(make_library):
    with pytest.raises(PluginFileError, match="no record of owner"):
        read_note(make_library(owner="SomebodyElse"))


def test_bad_list_in_the_note(make_library):
    with pytest.raises(PluginFileError, match="as its 'archs'; a list of names"):
        read_note(make_library(archs="sm_90a"))


@pytest.mark.parametrize("key", ["passes", "ops"])
def test_bad_name_in_the_note(make_library, key):
    with pytest.raises(PluginFileError, match=f"'a b' as its '{key}'; an identifier of C"):
        read_note(make_library(**{key: ["fine", "a b"]}))


def _survives(path):
    try:
        read_library(path)
    except PluginFileError as error:
        assert str(path) in str(error)


def test_truncated_anywhere(make_library):
    path = make_library()
    data = path.read_bytes()
    header = range(0, 1024, 5)
    rest = range(1024, len(data), 101)
    for size in (*header, *rest):
        path.write_bytes(data[:size])
        with pytest.raises(PluginFileError):
            read_note(path)


def test_random_damage(make_library):
    path = make_library()
    data = path.read_bytes()
    random_numbers = random.Random(7)
    for _ in range(400):
        damaged = bytearray(data)
        for _ in range(random_numbers.choice((1, 1, 4, 64))):
            damaged[random_numbers.randrange(len(damaged))] = random_numbers.randrange(256)
        path.write_bytes(damaged)
        _survives(path)


def test_damaged_headers(make_library):
    path = make_library()
    data = path.read_bytes()
    headers = [*range(64), *range(len(data) - 2000, len(data))]
    random_numbers = random.Random(8)
    for at in random_numbers.sample(headers, 300):
        damaged = bytearray(data)
        damaged[at] ^= 1 << random_numbers.randrange(8)
        path.write_bytes(damaged)
        _survives(path)
