"""Cache keys: what a compilation under a pipeline depends on beyond what Triton's own key covers.

The key of a pipeline covers its edits with their arguments and predicates, the bytes of every
plugin whose passes it runs, the source of its Python functions with what they close over and of
the modules that they reach into, and the versions involved. It is computed once for a pipeline.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import triton

from . import loading
from .edits import Edit, Step
from .errors import PipelineError, PluginNotLoadedError
from .pipeline import Pipeline
from .registry import registered
from .version import __version__


def pipeline_key(pipeline: Pipeline) -> str:
    """Returns the key of a pipeline, 64 hexadecimal digits.

    Raises:
        PluginNotLoadedError: It runs a plugin pass whose plugin is not loaded.
        PipelineError: It runs a function whose state has no stable text; the message says what to
            do.
    """
    key = pipeline.computed.get("key")
    if key is None:
        edits = (_edit(edit) for edit in pipeline.edits)
        key = digest("triton_plugins", __version__, triton.__version__, *edits)
        pipeline.computed["key"] = key
    return key


def digest(*parts: str) -> str:
    """sha256 over texts, each with its length, so that no two lists of texts share a digest."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        state.update(f"{len(data)}:".encode())
        state.update(data)
    return state.hexdigest()


def _edit(edit: Edit) -> str:
    when = "" if edit.when is None else describe(edit.when)
    return digest(
        edit.kind,
        edit.stage,
        edit.anchor,
        repr(edit.occurrence),
        when,
        repr(edit.stages),
        *(_step(step) for step in edit.steps),
    )


def _step(step: Step) -> str:
    if step.key is not None:
        return digest("key", step.label, step.key)
    if callable(step.run):
        return digest("function", describe(step.run))
    if "." in step.run:
        return digest("stock", step.run, describe(step.args))
    named = registered(step.run)
    if named is not None:
        return digest("registered", step.run, describe(step.args), _step(named))
    owner = loading.pass_owner(step.run)
    if owner is None:
        raise PluginNotLoadedError(
            f"The pipeline runs the pass {step.run!r}, which no loaded plugin provides and no "
            "function is registered as. "
            f"{loading.how_to_load(step.run)} A pass of Triton itself needs its qualified name, "
            "such as 'ttgpuir.coalesce'."
        )
    return digest("plugin", step.run, describe(step.args), owner.digest)


def describe(value: Any) -> str:
    """Returns a text that changes when the behaviour of a function or a value changes.

    Raises:
        PipelineError: The value has no stable text.
    """
    return _Describer().text(value)


class _Describer:
    """Describes values; remembers the functions it is in, since they may refer to each other."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def text(self, value: Any) -> str:
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
            return repr(value)
        if isinstance(value, functools.partial):
            return digest(
                "partial", self.text(value.func), self.text(value.args), self.text(value.keywords)
            )
        if isinstance(value, (list, tuple)):
            return digest(type(value).__name__, *(self.text(item) for item in value))
        if isinstance(value, (set, frozenset)):
            return digest(type(value).__name__, *sorted(self.text(item) for item in value))
        if isinstance(value, Mapping):
            return digest("mapping", *(self.text(part) for item in value.items() for part in item))
        if isinstance(value, MethodType):
            return digest("method", self.text(value.__func__), self.text(value.__self__))
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, ModuleType):
            version = str(getattr(value, "__version__", ""))
            return digest("module", value.__name__, version, _module_source(value.__name__))
        if isinstance(value, (type, BuiltinFunctionType)):
            return _name(value)
        if isinstance(getattr(value, "cache_key", None), str):
            return digest("jit", value.cache_key)
        return self._object(value)

    def _function(self, function: FunctionType) -> str:
        if id(function) in self._seen:
            return digest("recursion", function.__qualname__)
        self._seen.add(id(function))
        try:
            source = inspect.getsource(function)
        except (OSError, TypeError):
            source = _code(function.__code__)
        captured = {}
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            captured[name] = self.text(cell.cell_contents)
        # Of the function's own module just what it uses counts; of others that it reaches into, the
        # whole source.
        own = {
            name: self._global(function, name)
            for name in _names(function.__code__)
            if name in function.__globals__
        }
        return digest(
            "function",
            function.__module__ or "",
            function.__qualname__,
            source,
            self.text(function.__defaults__),
            self.text(function.__kwdefaults__),
            repr(sorted(captured.items())),
            repr(sorted(own.items())),
        )

    def _global(self, function: FunctionType, name: str) -> str:
        value = function.__globals__[name]
        if isinstance(value, FunctionType) and value.__module__ != function.__module__:
            return _name(value)
        return self.text(value)

    def _object(self, value: Any) -> str:
        text = repr(value)
        if re.search(r" at 0x[0-9a-f]+", text):
            raise PipelineError(
                f"A function of a pipeline depends on {text}, whose text changes from run to run, "
                "so it cannot be part of a cache key. Give the object a stable repr (a dataclass "
                "has one), or give the function a key that changes whenever its behaviour does: "
                "Step(function, key='...'), or key= where it is registered or overrides a stage."
            )
        return digest("object", type(value).__module__, type(value).__qualname__, text)


def _name(value: Any) -> str:
    module = value.__module__ or ""
    return digest("name", module, value.__qualname__, _module_source(module))


@functools.cache
def _module_source(name: str) -> str:
    """Digest of a module's source, "" for one without. What the module imports is not in it."""
    path = getattr(sys.modules.get(name), "__file__", None) or ""
    if not path.endswith(".py"):
        return ""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        # A module in an archive, for example.
        return ""


def _names(code: CodeType) -> set[str]:
    """Global names that a code object uses, nested functions included."""
    nested = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*(_names(inner) for inner in nested))


def _code(code: CodeType) -> str:
    constants = [
        _code(constant) if isinstance(constant, CodeType) else repr(constant)
        for constant in code.co_consts
    ]
    return digest(code.co_code.hex(), repr(code.co_names), *constants)
