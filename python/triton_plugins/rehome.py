"""Runs copies of a backend's stage functions that see other globals.

A stage function reaches `passes`, `ir`, `nvidia` and `amd` through the globals of its module. A
copy made of the same code object with other globals sees stand-ins for them, while the backend and
every other thread keep the real ones: nothing in triton is changed.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from types import CellType, FunctionType, MethodType
from typing import Any

from triton.backends.compiler import BaseBackend


class Rehomer:
    """Makes copies of functions, replacing the globals that are keys of a map from the identity of
    an object to its stand-in.

    Args:
        stand_ins: Stand-ins by the identity of what they stand in for.
        wrap: Called with every other global; returns a stand-in for it or None.
    """

    def __init__(self, stand_ins: Mapping[int, Any], wrap: Callable[[Any], Any | None]) -> None:
        self._stand_ins = stand_ins
        self._wrap = wrap
        self._globals: dict[int, dict[str, Any]] = {}
        self._backends: dict[int, BaseBackend] = {}

    def callable(self, value: Callable[..., Any]) -> Callable[..., Any]:
        """Returns a copy of a stage function; of a lambda, a function, a bound method or a partial
        of these."""
        if isinstance(value, functools.partial):
            return functools.partial(
                self.callable(value.func),
                *(self._value(arg) for arg in value.args),
                **{key: self._value(arg) for key, arg in value.keywords.items()},
            )
        if isinstance(value, MethodType):
            owner = self._value(value.__self__)
            return MethodType(self.callable(value.__func__), owner)
        return self._function(value) if isinstance(value, FunctionType) else value

    def _function(self, function: FunctionType) -> FunctionType:
        closure = tuple(self._cell(cell) for cell in function.__closure__ or ())
        made = FunctionType(
            function.__code__,
            self._globals_of(function),
            function.__name__,
            function.__defaults__,
            closure or None,
        )
        made.__kwdefaults__ = function.__kwdefaults__
        made.__qualname__ = function.__qualname__
        return made

    def _cell(self, cell: CellType) -> CellType:
        try:
            value = cell.cell_contents
        except ValueError:
            # A cell that is not filled yet.
            return cell
        replaced = self._value(value)
        return cell if replaced is value else CellType(replaced)

    def _value(self, value: Any) -> Any:
        if id(value) in self._stand_ins:
            return self._stand_ins[id(value)]
        if isinstance(value, BaseBackend):
            return self._backend(value)
        if isinstance(value, (FunctionType, MethodType)):
            return self.callable(value)
        return value

    def _globals_of(self, function: FunctionType) -> dict[str, Any]:
        home = function.__globals__
        if id(home) not in self._globals:
            # Registered before it is filled: the module's functions refer to each other.
            made = self._globals[id(home)] = {}
            for name, value in list(home.items()):
                made[name] = self._global(value, home)
        return self._globals[id(home)]

    def _global(self, value: Any, home: dict[str, Any]) -> Any:
        if id(value) in self._stand_ins:
            return self._stand_ins[id(value)]
        if isinstance(value, FunctionType) and value.__globals__ is home and not value.__closure__:
            return self._function(value)
        wrapped = self._wrap(value)
        return value if wrapped is None else wrapped

    def _backend(self, backend: BaseBackend) -> BaseBackend:
        """A copy of the backend whose class derives from the real one, with methods that see the
        stand-ins."""
        if id(backend) not in self._backends:
            methods: dict[str, Any] = {}
            for cls in reversed(type(backend).__mro__):
                if cls is BaseBackend or not issubclass(cls, BaseBackend):
                    continue
                for name, value in vars(cls).items():
                    if isinstance(value, FunctionType):
                        methods[name] = self._function(value)
                    elif isinstance(value, (staticmethod, classmethod)) and isinstance(
                        value.__func__, FunctionType
                    ):
                        methods[name] = type(value)(self._function(value.__func__))
            made = self._backends[id(backend)] = copy.copy(backend)
            made.__class__ = type(type(backend).__name__, (type(backend),), methods)
        return self._backends[id(backend)]
