"""Makes small plugin libraries on the spot: right ones, and wrong in every way a test may want."""

from __future__ import annotations

import json
import string
import subprocess
import uuid
from pathlib import Path
from typing import Any

import triton

from triton_plugins import check

# A plugin in plain C++: what the kit generates, without MLIR. Its passes do nothing.
_SOURCE = string.Template("""
#include <cstddef>
#include <cstdint>
extern "C" {
struct Pass { const char *name, *version; void (*add)(void *, void *); void (*enroll)(); };
struct Dialect { const char *name, *version; void (*enroll)(void *); };
struct Op { const char *name; void (*add)(void *, void *); };
struct Info {
  uint32_t api; const char *name, *version;
  Pass *passes; size_t num_passes; Dialect *dialects; size_t num_dialects; Op *ops; size_t num_ops;
  const char *triton;
};
static void none(void *, void *) {}
static void nothing() {}
static void no_dialect(void *) {}
static Pass passes[] = {$passes {nullptr, nullptr, none, nothing}};
static Dialect dialects[] = {$dialects {nullptr, nullptr, no_dialect}};
static Op ops[] = {$ops {nullptr, none}};
$extra
__attribute__((visibility("default"))) Info *$entry() {
  static Info info = {$api, "$name", "$version", passes, $num_passes, dialects, $num_dialects, ops,
                      $num_ops, "$triton"};
  return &info;
}
}
$note
""")

_NOTE = string.Template("""
struct Note { uint32_t name_size, size, type; char name[16]; char text[$size + 4]; };
extern "C" __attribute__((section(".note.triton_plugin"), used, aligned(4)))
const Note note = {$owner_size, $size, 1, "$owner", $text};
""")

_ROOT = Path(__file__).parents[2]


def built(path: str) -> Path:
    """A library that Bazel built, by its path in the repository: in a test's runfiles, or below
    bazel-bin when pytest runs in a checkout."""
    places = [root / path for root in (_ROOT, _ROOT / "bazel-bin")]
    return next((place for place in places if place.exists()), places[0])


class LibraryMaker:
    """Compiles plugin libraries."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Linking takes the name alone from this, and not a second from the real library.
        self._stub = folder / "stub" / "libtriton.so"
        self._stub.parent.mkdir()
        self._compile("", self._stub, "-Wl,-soname,libtriton.so")

    def __call__(
        self,
        name: str | None = None,
        *,
        note: bool | str = True,
        owner: str = "TritonPlugin",
        entry: str = check.ENTRY_POINT,
        needs_triton: bool = True,
        file_name: str | None = None,
        extra: str = "",
        **fields: Any,
    ) -> Path:
        """Makes a library.

        Args:
            name: The plugin; a fresh one by default, since a process keeps what it loads.
            note: Whether it carries a note, or the text that stands in its place.
            owner: Owner of the note.
            entry: Name of the entry point.
            needs_triton: Whether it names libtriton.so as needed.
            file_name: Name of the file.
            extra: More C++.
            **fields: Entries of the note and of the table that differ from fitting ones.
        """
        name = name or f"t{uuid.uuid4().hex[:8]}"
        record = {
            "note": 1,
            "name": name,
            "version": "0.1.0",
            "api_version": check.API_VERSION,
            "triton_version": triton.__version__,
            "llvm_commit": check.llvm_commit(),
            "archs": ["sm_90a"],
            "dialects": [],
            "passes": [f"{name}_pass"],
            "ops": [f"{name}_op"],
        } | fields
        text = note if isinstance(note, str) else json.dumps(record)
        replacements = {
            "passes": "".join(f'{{"{p}", "1", none, nothing}},' for p in record["passes"]),
            "dialects": "".join(f'{{"{d}", "1", no_dialect}},' for d in record["dialects"]),
            "ops": "".join(f'{{"{o}", none}},' for o in record["ops"]),
            "num_passes": len(record["passes"]),
            "num_dialects": len(record["dialects"]),
            "num_ops": len(record["ops"]),
            "entry": entry,
            "api": record["api_version"],
            "name": name,
            "version": record["version"],
            "triton": record["triton_version"],
            "extra": extra,
            "note": "" if note is False else self._note(text, owner),
        }
        source = _SOURCE.substitute(replacements)
        path = self._folder / uuid.uuid4().hex / (file_name or f"lib{name}.so")
        path.parent.mkdir()
        flags = ["-Wl,--no-as-needed", f"-L{self._stub.parent}", "-l:libtriton.so"]
        self._compile(source, path, *flags * needs_triton)
        return path

    @staticmethod
    def _note(text: str, owner: str) -> str:
        return _NOTE.substitute(
            size=len(text), owner_size=len(owner) + 1, owner=owner, text=json.dumps(text)
        )

    def _compile(self, source: str, path: Path, *flags: str) -> None:
        command = [
            "g++",
            "-shared",
            "-fPIC",
            "-nostdlib",
            "-x",
            "c++",
            "-",
            "-x",
            "none",
            "-o",
            str(path),
            *flags,
        ]
        subprocess.run(command, input=source, text=True, check=True)
