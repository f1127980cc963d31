"""Writes the IR before and after every step of a pipeline into a folder."""

from __future__ import annotations

import re
import shutil
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from triton._C.libtriton import ir
from triton.runtime.cache import get_cache_manager

from . import activate
from .stages import StageRun


@dataclass(frozen=True)
class DumpedFile:
    """One file of IR.

    Attributes:
        path: The file.
        kernel: Name of the kernel.
        stage: Stage of the step.
        step: The step.
        moment: "before" or "after" the step.
    """

    path: Path
    kernel: str
    stage: str
    step: str
    moment: str


@dataclass
class Dump:
    """What a `dump` block has written so far.

    Attributes:
        folder: The folder that was given.
        files: The files, in the order in which they were written.
    """

    folder: Path
    files: list[DumpedFile] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _compilations: dict[str, str] = field(default_factory=dict, repr=False)
    _counts: dict[str, int] = field(default_factory=dict, repr=False)

    def begin(self, metadata: dict[str, Any]) -> None:
        """Called when a compilation starts."""
        with self._lock:
            self._compilations.setdefault(metadata["hash"], "")

    def before_step(self, run: StageRun, step: str, module: ir.module) -> None:
        """Writes the module before a step; a step that fails leaves this file."""
        self._write(run, step, "before", module)

    def after_step(self, run: StageRun, step: str, module: ir.module) -> None:
        """Writes the module after a step."""
        self._write(run, step, "after", module)

    def _write(self, run: StageRun, step: str, moment: str, module: ir.module) -> None:
        with self._lock:
            folder = self.folder / self._folder_name(run)
            number = self._counts.get(folder.name, 0)
            if moment == "before":
                number = self._counts[folder.name] = number + 1
            label = re.sub(r"[^\w.-]", "_", step)
            path = folder / f"{number:02}-{run.stage}-{label}-{moment}.mlir"
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(module.str_nodebug() + "\n")
            self.files.append(DumpedFile(path, run.kernel, run.stage, step, moment))

    def _folder_name(self, run: StageRun) -> str:
        """The kernel's name; the second compilation of the same kernel gets kernel.2, and so on."""
        name = self._compilations.get(run.compilation)
        if not name:
            taken = set(self._compilations.values())
            names = (f"{run.kernel}.{n}" if n > 1 else run.kernel for n in range(1, len(taken) + 2))
            name = self._compilations[run.compilation] = next(n for n in names if n not in taken)
        return name

    def drop_cache_entries(self) -> None:
        """Removes what the compilations of the block left in the disk cache under keys of their
        own."""
        for compilation in self._compilations:
            folder = getattr(get_cache_manager(compilation), "cache_dir", None)
            if folder:
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def dump(folder: str | PathLike[str]) -> Iterator[Dump]:
    """Writes the IR before and after every step that pipelines add, for all kernels compiled in the
    block.

    The files are `<folder>/<kernel>/<number>-<stage>-<step>-<before|after>.mlir`. In the block
    every kernel is compiled anew, once, whatever the caches hold, and the caches outside of the
    block stay as they are.

    Args:
        folder: The folder; it is created.

    Yields:
        A `Dump`, whose `files` lists what was written.
    """
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    dumped = Dump(path)
    # A key that no other block shares keeps results of the block and of the caches apart.
    part = f"dump-{uuid.uuid4()}"
    activate.push(activate.Activation(activate.current_activation.get(), (), part, dumped))
    try:
        yield dumped
    finally:
        activate.leave()
        dumped.drop_cache_entries()
