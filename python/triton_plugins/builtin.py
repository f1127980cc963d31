"""DSL functions of plugins: builtins of the kernel language that bring their plugin with them."""

from __future__ import annotations

import inspect
import sys
import uuid
from collections.abc import Callable
from typing import Any

from triton.runtime.jit import ConstexprFunction

from . import loading
from .editing import add_default
from .errors import OpError, PluginError, PluginNotLoadedError
from .keys import digest, pipeline_key
from .pipeline import Pipeline
from .version import __version__

_PROCESS = uuid.uuid4().hex


class Builtin(ConstexprFunction):
    """A DSL function of a plugin.

    To Triton it is a function that runs at compile time, with the semantic object, and whose
    `cache_key` is part of the key of every kernel that refers to it, directly or through another
    jitted function. A builtin of Triton's own kind would add nothing to the key.
    """

    def __init__(self, fn: Callable[..., Any], plugin: str, pipeline: Pipeline) -> None:
        super().__init__(fn)
        self.plugin = plugin
        self.pipeline = pipeline
        self.__wrapped__ = fn
        self._takes_generator = "_generator" in inspect.signature(fn).parameters

    @property
    def cache_key(self) -> str:
        """Key of what a kernel with this function depends on: the plugin's build with the sources
        of its DSL, its passes, and versions."""
        try:
            return self._key()
        except PluginError:
            # Triton asks in the middle of making a kernel's key and would keep what it has by then
            # if this raised. Calling the function raises it; no other process shares this key.
            return f"unknown-{_PROCESS}"

    def _key(self) -> str:
        if self.hash is None:
            build = next((p.digest for p in loading.loaded() if p.name == self.plugin), None)
            if build is None:
                raise PluginNotLoadedError(
                    f"A kernel uses {self.plugin}.{self.__name__}, but the plugin {self.plugin!r} "
                    f"is not loaded. {loading.how_to_load(self.plugin)}"
                )
            self.hash = digest("plugin", __version__, build, pipeline_key(self.pipeline))
        return self.hash

    def __call__(self, *args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
        """Runs the function in a kernel, after adding the plugin's pipeline to the compilation.

        Raises:
            OpError: It is not called in a kernel.
            PluginError: The plugin or one that its pipeline needs is not loaded.
        """
        if _semantic is None:
            raise OpError(
                self.__name__,
                f"{self.__name__} is an operation of kernels; call it in a @triton.jit function "
                "(Triton's interpreter has no plugins), or with _semantic= in another DSL function",
            )
        self._key()
        add_default(self.pipeline, self.__name__)
        if self._takes_generator and "_generator" not in kwargs:
            # Triton gives it to builtins of its own kind only.
            kwargs["_generator"] = sys._getframe(1).f_locals["self"]
        return self.fn(*args, _semantic=_semantic, **kwargs)


def op(plugin: str, pipeline: Pipeline | None = None) -> Callable[[Callable[..., Any]], Builtin]:
    """Returns a decorator that makes a function an operation of kernels.

    A kernel that uses the operation is compiled with the pipeline, and its cache key covers the
    plugin's build; other kernels notice nothing. Where a pipeline that shares an edit with this one
    is active already, that one counts.

    Args:
        plugin: Name of the plugin, which has to be loaded when a kernel is compiled.
        pipeline: The passes that the plugin's ops need; None for ops that need none.

    Returns:
        A decorator for functions that take `_semantic` as a keyword, and `_generator`, Triton's
        visitor of the kernel, if they call jitted functions.
    """

    def decorate(function: Callable[..., Any]) -> Builtin:
        if "_semantic" not in inspect.signature(function).parameters:
            raise OpError(
                function.__name__,
                f"{function.__name__} has no parameter _semantic=None, through which Triton gives "
                "operations what they need. Add it",
            )
        return Builtin(function, plugin, pipeline or Pipeline(plugin))

    return decorate
