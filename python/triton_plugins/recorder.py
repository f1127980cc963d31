"""Stand-ins for what a stage function uses to build its pass manager. They note the passes instead
of adding them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

from triton._C.libtriton import ir, llvm

from . import interface
from .plan import StockPass
from .rehome import Rehomer

try:
    from triton import _instrumentation
except ImportError:
    # Triton 3.8 and older let nobody add passes at named points.
    _instrumentation = None

RunManager = Callable[["Recorder", Any, str], None]


def recording_rehomer(run: RunManager, dry: bool = False) -> Rehomer:
    """Returns what copies stage functions so that they get recorders for pass managers.

    Args:
        run: Called in place of `pass_manager.run` with the recorder and the arguments of the call.
        dry: Ends the stage, by an exception, where it leaves MLIR.
    """
    stand_ins: dict[int, Any] = {
        id(ir): _Overlay(ir, {"pass_manager": functools.partial(Recorder, run)})
    }
    if dry:
        stand_ins[id(llvm)] = _Overlay(llvm, {"to_module": _no_module})
    for root, module in interface.stock_roots().items():
        adders = _Adders(module, root)
        stand_ins[id(module)] = adders
        if root:
            parent = interface.parent_module(root)
            stand_ins[id(parent)] = _Overlay(parent, {"passes": adders})
    return Rehomer(stand_ins, _instrumentation_stand_in)


def _no_module(*args: Any) -> NoReturn:
    # Triton 3.8 itself would crash on what stands in for the module.
    raise RuntimeError("a dry run has no module to translate")


class Recorder:
    """Stands in for `ir.pass_manager` inside a stage function."""

    def __init__(self, run: RunManager, context: ir.context) -> None:
        self.passes: list[StockPass] = []
        self._run = run
        self._context = context
        self._debug = False

    def enable_debug(self) -> bool:
        """Remembers the call for the real pass managers and answers as they do."""
        self._debug = True
        return ir.pass_manager(self._context).enable_debug()

    def run(self, module: ir.module, name: str) -> None:
        """Runs the recorded passes together with the pipeline's."""
        self._run(self, module, name)

    def real_manager(self) -> ir.pass_manager:
        """A new pass manager, set up as the stage set up this one."""
        manager = ir.pass_manager(self._context)
        if self._debug:
            manager.enable_debug()
        return manager


class _Overlay:
    """A module of libtriton with some attributes replaced."""

    def __init__(self, module: ModuleType, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


class _Adders:
    """A module of pass adders whose `add_*` functions can be given a recorder."""

    def __init__(self, module: ModuleType, path: str) -> None:
        self._module = module
        self._path = path

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        path = f"{self._path}.{name}" if self._path else name
        if isinstance(value, ModuleType):
            value = _Adders(value, path)
        elif name.startswith("add_") or self._path == "plugin":
            # Triton 3.8 and older give plugin passes no prefix; a stage that somebody else's hook
            # put in place may call them.
            value = _recording(value, f"{self._path}.{name.removeprefix('add_')}".lstrip("."))
        # Found directly the next time.
        self.__dict__[name] = value
        return value


def _recording(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function, assigned=("__doc__",), updated=())
    def adder(manager: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(manager, Recorder):
            return function(manager, *args, **kwargs)
        manager.passes.append(StockPass(name, args, lambda real: function(real, *args, **kwargs)))
        return None

    return adder


def _instrumentation_stand_in(value: Any) -> Callable[..., Any] | None:
    """Triton lets profilers add passes at named points; what they add is one opaque pass
    "instrument.<point>" to us."""
    function = value.func if isinstance(value, functools.partial) else value
    if _instrumentation is None or function is not _instrumentation.instrument:
        return None

    def instrument(*args: Any, **kwargs: Any) -> bool:
        if not (args and isinstance(args[0], Recorder)):
            return value(*args, **kwargs)
        registered = (
            kwargs["point"],
            (getattr(value, "keywords", None) or kwargs).get("backend"),
        ) in _instrumentation._callbacks
        if registered:
            args[0].passes.append(
                StockPass(
                    f"instrument.{kwargs['point']}",
                    (),
                    lambda real: value(real, *args[1:], **kwargs),
                )
            )
        return registered

    return instrument
