"""Ten thousand damaged libraries and notes go through the checker: each is accepted or refused with
a `PluginError`, in no time worth noting, and none is opened.

    python -m pytest tests/fuzz                     seed 0
    FUZZ_SEED=7 FUZZ_COUNT=100000 python -m pytest tests/fuzz

A failure names its number, and the same seed gives the same file again.
"""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from library_maker import LibraryMaker, built
from mutations import ELF_MUTATIONS, NOTE_MUTATIONS, Mutation, Seed

from triton_plugins import PluginError, check, note

SEED = int(os.environ.get("FUZZ_SEED", "0"))
COUNT = int(os.environ.get("FUZZ_COUNT", "10000"))
# A few milliseconds are usual; a shared machine may stand still for a while.
SECONDS = 20


class HungError(BaseException):
    """The checker took too long. Not an Exception, since the reader turns those into its own."""


@contextmanager
def limited() -> Iterator[None]:
    """Ends a block that hangs."""

    def stop(*_: object) -> None:
        raise HungError

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seed]:
    """Good libraries: small ones with and without a note, and one that the kit made."""
    make = LibraryMaker(tmp_path_factory.mktemp("seeds"))
    paths = {"note": make(), "foreign": make(note=False), "kit": built("core/test/libkit.so")}
    return {name: Seed.of(path.read_bytes()) for name, path in paths.items()}


def look_at(path: Path) -> str:
    """Checks one file as loading does before it opens it; returns how that ended."""
    try:
        with limited():
            library = note.read_library(path)
            check.check(library)
    except PluginError as error:
        # The base class would be an error that nobody thought of.
        assert type(error) is not PluginError
        assert str(path) in str(error), "the message names the file"
        return type(error).__name__
    return "accepted"


def damaged(number: int, seeds: dict[str, Seed]) -> tuple[bytes, Mutation, str]:
    """The file of a number, what was done to it, and the library it comes from."""
    rng = random.Random(SEED * 1_000_003 + number)
    name = rng.choices(("note", "foreign", "kit"), (70, 22, 8))[0]
    mutations = ELF_MUTATIONS + NOTE_MUTATIONS if seeds[name].note[1] else ELF_MUTATIONS
    mutation = rng.choice(mutations)
    return mutation(seeds[name], rng), mutation, name


def test_the_seeds_are_accepted(seeds: dict[str, Seed], tmp_path: Path) -> None:
    for name, seed in seeds.items():
        path = tmp_path / f"{name}.so"
        path.write_bytes(seed.data)
        assert look_at(path) == "accepted"


def test_damaged_libraries(seeds: dict[str, Seed], tmp_path: Path) -> None:
    outcomes: Counter[str] = Counter()
    used: Counter[tuple[str, str]] = Counter()
    for number in range(COUNT):
        data, mutation, name = damaged(number, seeds)
        path = tmp_path / f"damaged{number}.so"
        path.write_bytes(data)
        try:
            outcomes[look_at(path)] += 1
        except BaseException as problem:
            pytest.fail(
                f"FUZZ_SEED={SEED}, number {number} ({mutation.__name__} of {name!r}): {problem!r}"
            )
        used[mutation.__name__, name] += 1
        # Opened files would show as mapped, even after they are gone.
        path.unlink()
    mapped = Path("/proc/self/maps").read_text()
    assert str(tmp_path) not in mapped, "a damaged library was opened"
    print(f"{COUNT} files, seed {SEED}: {dict(outcomes)}; {dict(used)}")
    if COUNT >= 1000:
        assert outcomes["PluginFileError"] > COUNT // 4
        assert outcomes["PluginMismatchError"] > COUNT // 100
        assert len(used) == 2 * len({*ELF_MUTATIONS, *NOTE_MUTATIONS}) + len(ELF_MUTATIONS)
