"""Runs passes over MLIR text, with the passes of this process's Triton and of the loaded
plugins."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from triton._C import libtriton
from triton._C.libtriton import ir

from . import interface
from .errors import PassError, PipelineError
from .pipeline import Step
from .steps import ERROR_ATTRIBUTE, adder

PassSpec = str | Step | tuple[str, Sequence[Any]]

_LITERALS = {"true": True, "false": False}


def run_passes(
    text: str, passes: Iterable[PassSpec], plugins: Iterable[str] = (), *, name: str = "input.mlir"
) -> str:
    """Runs passes over a module and returns its text.

    Args:
        text: MLIR of any dialect that Triton or a loaded plugin has.
        passes: The passes in order, each "name" or "name=arg,arg" or a pair of name and arguments.
            A plugin pass has a bare name ("tlx_lower"), a stock pass a qualified one
            ("ttgpuir.coalesce", "nvidia.ttnvgpuir.fence_insertion=90"). Arguments of stock passes
            that read as integers, true or false are passed on as such.
        plugins: Paths of plugin libraries to load first.
        name: What locations and diagnostics call the text.

    Raises:
        PipelineError: The text does not parse, or a pass has no such name or arguments.
        PassError: A pass failed; diagnostics are on stderr too.
    """
    from .loading import load_path

    for plugin in plugins:
        load_path(plugin)
    steps = [_step(spec) for spec in passes]
    context = _context()
    module = parse(text, context, name)
    for step in steps:
        manager = ir.pass_manager(context)
        manager.enable_debug()
        adder(step)(manager)
        try:
            manager.run(module, name)
        except RuntimeError as error:
            said = module.get_operation().get_str_attr(ERROR_ATTRIBUTE)
            raise PassError(f"{name}: the pass {step.label!r} failed: {said or error}") from error
    return module.str_nodebug()


def _context() -> ir.context:
    context = ir.context()
    ir.load_dialects(context)
    for backend in interface.stock_roots():
        if backend:
            getattr(libtriton, backend).load_dialects(context)
    return context


def parse(text: str, context: ir.context, name: str) -> ir.module:
    """The module of a text.

    Args:
        text: MLIR.
        context: Has the dialects of the text.
        name: What locations and diagnostics call the text.

    Raises:
        PipelineError: The text does not parse.
    """
    # Triton parses files only, and the name of the file is what diagnostics show.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (Path(name).name or "input.mlir")
        path.write_text(text)
        try:
            module = ir.parse_mlir_module(str(path), context)
        except RuntimeError as error:
            raise PipelineError(
                f"{name} is not valid MLIR: {error} The diagnostics are on stderr."
            ) from error
    module.context = context
    return module


def _step(spec: PassSpec) -> Step:
    if isinstance(spec, Step):
        return spec
    if isinstance(spec, str):
        name, _, rest = spec.partition("=")
        args: Sequence[Any] = rest.split(",") if rest else ()
    else:
        name, args = spec
    # Triton's own spelling of a backend's pass, nvidia.passes.x.y, is understood too.
    name = name.replace(".passes.", ".").removeprefix("passes.")
    return Step(name, tuple(_literal(arg) for arg in args) if "." in name else tuple(args))


def _literal(arg: Any) -> Any:
    if not isinstance(arg, str):
        return arg
    if arg.lower() in _LITERALS:
        return _LITERALS[arg.lower()]
    try:
        return int(arg)
    except ValueError:
        return arg
