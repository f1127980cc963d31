"""Python functions as named passes."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from . import loading
from .edits import Step
from .errors import PipelineError, PluginConflictError

Function = TypeVar("Function", bound=Callable[..., Any])

_lock = threading.Lock()
os.register_at_fork(
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)
_passes: dict[str, Step] = {}


def register_pass(name: str, *, key: str | None = None) -> Callable[[Function], Function]:
    """Returns a decorator that registers a function as a pass, which pipelines then run by name.

    The function gets the module and, after it, the `args` of the step. It stays callable.

    Args:
        name: The name, an identifier.
        key: As for `Step`.

    Raises:
        PipelineError: The name is no identifier.
        PluginConflictError: Another function or a loaded plugin has the name.
    """
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise PipelineError(
            f"{name!r} cannot name a pass. Use letters, digits and underscores; dots are for the "
            "passes of Triton."
        )

    def register(function: Function) -> Function:
        with _lock:
            known = _passes.get(name)
            if known is not None and known.run is not function:
                raise PluginConflictError(
                    f"The pass {name!r} is registered twice: by {_origin(known.run)} and by "
                    f"{_origin(function)}. Give one of the two another name."
                )
            _check_plugins(name, function)
            _passes[name] = Step(function, key=key)
        return function

    return register


def registered(name: str) -> Step | None:
    """Returns the function that is registered under a name, as a step.

    Raises:
        PluginConflictError: A plugin that was loaded later has that pass, too.
    """
    step = _passes.get(name)
    if step is not None:
        _check_plugins(name, step.run)
    return step


def _check_plugins(name: str, function: Callable[..., Any]) -> None:
    owner = loading.pass_owner(name)
    if owner is not None:
        raise PluginConflictError(
            f"The pass {name!r} is both a pass of the loaded plugin {owner.note.label} "
            f"({owner.path}) and the registered function {_origin(function)}. Give the function "
            "another name."
        )


def _origin(function: Callable[..., Any]) -> str:
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{getattr(function, '__module__', '?')}.{name}"
