"""Kernels, pipelines, signatures and options as a command line names them."""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import triton.language as tl
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler import CompilationError, CompiledKernel
from triton.runtime.jit import JITFunction, KernelInterface

from ..compilation import compile
from ..errors import PluginError
from ..kernel import innermost
from ..pipeline import Pipeline
from ..target import parse_target
from .output import CommandError, UsageError

# What separates NAME=VALUE pairs: a comma with another pair behind it, so that values may hold
# commas.
_SEPARATOR = re.compile(r",(?=\s*[A-Za-z_]\w*\s*=)")


@dataclass(frozen=True)
class Kernel:
    """A kernel with what is needed to compile it.

    Attributes:
        label: How the command line named it.
        kernel: The kernel, with all decorators.
        function: The jitted function below them.
        signature: Types of run-time arguments.
        constexprs: Values of constexpr arguments.
        options: num_warps, num_stages, ...
    """

    label: str
    kernel: Any
    function: JITFunction
    signature: Mapping[str, str]
    constexprs: Mapping[str, Any]
    options: Mapping[str, Any]

    @property
    def pipelines(self) -> tuple[Pipeline, ...]:
        """The pipelines that the kernel brings along."""
        return getattr(self.function, "pipelines", ())

    @property
    def missing(self) -> list[str]:
        """The arguments that have neither a type nor a value."""
        given = self.signature.keys() | self.constexprs.keys()
        return [p.name for p in self.function.params if p.name not in given and not p.has_default]


def add_target(parser: argparse.ArgumentParser, required: bool = True) -> None:
    """Adds the target and the options of the compilation."""
    parser.add_argument(
        "--target",
        required=required,
        type=_target,
        help="cuda:90 (or sm_90), hip:gfx950 (or gfx950), ...",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        type=_values,
        metavar="NAME=VALUE,...",
        help="options of the compilation, for example num_warps=8,num_stages=3 (repeatable)",
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what tells the arguments of a kernel."""
    parser.add_argument(
        "--signature",
        action="append",
        default=[],
        type=_pairs,
        metavar="NAME=TYPE,...",
        help="types of run-time arguments, 'a=*fp16:16,n=i32': ':16' means divisible by 16 "
        "(repeatable; annotations like n: tl.int32 need not be repeated)",
    )
    parser.add_argument(
        "--constexpr",
        action="append",
        default=[],
        type=_values,
        metavar="NAME=VALUE,...",
        help="values of constexpr arguments, 'BM=128,DTYPE=tl.float16' (repeatable; defaults, and "
        "the first configuration of an autotuned kernel, fill in the others)",
    )


def options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of the compilation."""
    return _merged(args.option)


def load_kernel(text: str, args: argparse.Namespace) -> Kernel:
    """Returns the kernel that FILE.py:NAME or MODULE:NAME names, with its arguments."""
    kernel = load_object(text)
    function = innermost(kernel)
    if not isinstance(function, JITFunction):
        hint = "; unset TRITON_INTERPRET, under which kernels are plain Python"
        raise UsageError(
            f"{text} is a {type(kernel).__name__}, but a kernel is needed: a function decorated "
            f"with @triton.jit{hint if isinstance(kernel, KernelInterface) else ''}."
        )
    config = _first_config(kernel)
    names = set(function.arg_names)
    annotated = {p.name: p.annotation_type for p in function.params if p.annotation_type}
    constexprs = {n: v for n, v in config.items() if n in names} | _merged(args.constexpr)
    signature = {n: t for n, t in annotated.items() if n not in constexprs}
    chosen = {n: v for n, v in config.items() if n not in names} | options(args)
    return Kernel(text, kernel, function, signature | _merged(args.signature), constexprs, chosen)


def load_pipeline(text: str) -> Pipeline | None:
    """Returns the pipeline that MODULE:ATTRIBUTE or FILE.py:ATTRIBUTE names; None for "none"."""
    if text == "none":
        return None
    pipeline = load_object(text)
    if not isinstance(pipeline, Pipeline):
        raise UsageError(
            f"{text} is a {type(pipeline).__name__}, but a triton_plugins.Pipeline is needed, or "
            "the word none."
        )
    return pipeline


def load_object(text: str) -> Any:
    """Imports what FILE.py:NAME or MODULE:NAME names."""
    place, colon, name = text.rpartition(":")
    if not (place and colon and name):
        raise UsageError(f"{text!r} is neither FILE.py:NAME nor MODULE:NAME.")
    file = Path(place) if place.endswith(".py") else None
    if file is not None and not file.is_file():
        raise UsageError(f"There is no file {place}.")
    try:
        module = _run_file(file) if file is not None else importlib.import_module(place)
    except PluginError:
        # It says all by itself, and the command line is right.
        raise
    except (Exception, SystemExit) as error:
        # Anything can go wrong in code that somebody else wrote.
        raise UsageError(
            f"{place} cannot be imported ({type(error).__name__}: {error}). Try `python -c` with "
            "the same import for the whole story."
        ) from error
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            kinds = (KernelInterface, Pipeline)
            there = [n for n, v in vars(module).items() if isinstance(v, kinds)]
            raise UsageError(
                f"{place} has no {name!r}. Its kernels and pipelines are: "
                f"{', '.join(there) or 'none'}."
            )
        value = getattr(value, part)
    return value


def compiled(
    kernel: Kernel,
    target: GPUTarget,
    pipeline: Pipeline | None = None,
    *,
    line_info: bool = False,
) -> CompiledKernel:
    """Compiles a kernel inside a pipeline.

    Args:
        kernel: The kernel with its arguments.
        target: What to compile for.
        pipeline: The pipeline around those of the kernel.
        line_info: Whether the IR names the kernel's lines. They would fill every comparison with
            what is no difference.

    Raises:
        UsageError: An argument has neither a type nor a value.
        CommandError: The kernel does not compile.
    """
    if kernel.missing:
        raise UsageError(
            f"{kernel.label} needs types or values for {', '.join(kernel.missing)}: give "
            "--signature NAME=TYPE for run-time arguments and --constexpr NAME=VALUE for constexpr "
            "ones."
        )
    with ExitStack() as stack:
        stack.enter_context(knobs.compilation.scope())
        knobs.compilation.disable_line_info = not line_info
        if pipeline is not None:
            stack.enter_context(pipeline)
        try:
            return compile(
                kernel.kernel,
                signature=kernel.signature,
                constexprs=kernel.constexprs,
                target=target,
                options=kernel.options,
            )
        except PluginError:
            raise
        except CompilationError as error:
            cause = error.__cause__ or error.error_message or error
            raise CommandError(
                f"{kernel.label}, line {_line(kernel.function, error)}, does not compile: {cause}"
            ) from error
        except Exception as error:
            # Triton's passes and the assemblers have no exception of their own.
            # Notes say which function of which pipeline it was.
            story = [f"{type(error).__name__}: {error}.", *getattr(error, "__notes__", ())]
            raise CommandError(f"{kernel.label} does not compile: {' '.join(story)}") from error


def _line(function: JITFunction, error: CompilationError) -> int:
    """The line of the kernel's file in which it does not compile."""
    # Older releases of Triton know the line of the first decorator only.
    first = getattr(function, "def_file_line_number", function.starting_line_number)
    return first + getattr(error.node, "lineno", 1) - 1


def _run_file(path: Path) -> ModuleType:
    path = path.resolve()
    known = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    # Its folder comes first on the path, as when Python runs the file.
    sys.path.insert(0, str(path.parent))
    name = path.stem if known is None else f"{path.stem} of the command line"
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _first_config(kernel: Any) -> dict[str, Any]:
    """What the autotuner would try first: constexprs and options."""
    while isinstance(kernel, KernelInterface) and not isinstance(kernel, JITFunction):
        if configs := getattr(kernel, "configs", None):
            return {n: v for n, v in configs[0].all_kwargs().items() if v is not None}
        kernel = getattr(kernel, "fn", None)
    return {}


def _merged(groups: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: value for group in groups for name, value in group.items()}


def _target(text: str) -> GPUTarget:
    try:
        return parse_target(text)
    except PluginError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _pairs(text: str) -> dict[str, str]:
    """Parses NAME=TEXT,NAME=TEXT."""
    pairs = {}
    for part in _SEPARATOR.split(text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name.isidentifier() and equals and value):
            raise argparse.ArgumentTypeError(f"{part!r} is not NAME=VALUE")
        pairs[name] = value
    return pairs


def _values(text: str) -> dict[str, Any]:
    """Parses NAME=VALUE,... with Python literals, Triton's types (tl.float16) or bare words."""
    return {name: _value(value) for name, value in _pairs(text).items()}


def _value(text: str) -> Any:
    if text.startswith("tl.") and isinstance(getattr(tl, text[3:], None), tl.dtype):
        return getattr(tl, text[3:])
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
