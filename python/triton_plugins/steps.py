"""Runs the steps that pipelines add to a stage: plugin passes, stock passes and Python
functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from triton._C.libtriton import ir

from . import failures, interface, loading
from .edits import Step
from .errors import PassError, PipelineError, PluginNotLoadedError
from .plan import Placed
from .registry import registered

if TYPE_CHECKING:
    from .stages import StageRun

# A pass of the C++ kit that fails leaves its diagnostics on the module in this attribute; others
# write to stderr alone.
ERROR_ATTRIBUTE = "triton_plugin.error"


class Observer(Protocol):
    """Is told about every step of a pipeline."""

    def begin(self, metadata: dict[str, Any]) -> None:
        """Called when a compilation starts, with the metadata that its stages share."""

    def before_step(self, run: StageRun, step: str, module: ir.module) -> None:
        """Called before a step runs."""

    def after_step(self, run: StageRun, step: str, module: ir.module) -> None:
        """Called after a step ran without error."""


def is_function(step: Step) -> bool:
    """Whether a step is a Python function, and not a pass."""
    return callable(step.run) or registered(step.run) is not None


def adder(step: Step) -> Callable[[ir.pass_manager], None]:
    """Returns the function that adds a step's pass to a pass manager.

    Raises:
        PluginNotLoadedError: It is a bare name that no loaded plugin provides.
        PipelineError: It is a qualified name that Triton does not have, or a registered function.
    """
    name = step.label
    if "." not in name:
        if registered(name) is not None:
            raise PipelineError(
                f"The pass {name!r} is a registered Python function, which no pass manager can "
                "run. Run it by a pipeline, or call it."
            )
        add = interface.pass_adder(name)
        if add is None or loading.pass_owner(name) is None:
            raise PluginNotLoadedError(
                f"The pass {name!r} is not provided by any plugin loaded through triton_plugins, "
                f"and no function is registered as one. {loading.how_to_load(name)} A pass of "
                "Triton itself needs its qualified name, "
                "such as 'ttgpuir.coalesce'."
            )
        return lambda manager: add(manager, [str(arg) for arg in step.args])
    stock = _stock_adder(name)
    if stock is None:
        raise PipelineError(
            f"Triton has no pass {name!r}. Qualified names look like 'ttgpuir.coalesce' or "
            "'amd.ttgpuir.pipeline'; `python -m triton_plugins passes` lists those that a target "
            "uses."
        )
    return lambda manager: _add_stock(stock, manager, step)


def _stock_adder(name: str) -> Callable[..., None] | None:
    root, _, rest = name.partition(".")
    roots = interface.stock_roots()
    module, path = (roots[root], rest) if root in roots else (roots[""], name)
    *parents, last = path.split(".")
    for part in parents:
        module = getattr(module, part, None)
    return getattr(module, f"add_{last}", None)


def _add_stock(add: Callable[..., None], manager: ir.pass_manager, step: Step) -> None:
    try:
        add(manager, *step.args)
    except TypeError as error:
        raise PipelineError(
            f"The pass {step.run!r} does not take the arguments {step.args!r}. Its form is: "
            f"{add.__doc__}"
        ) from error


def run_step(
    run: StageRun,
    entry: Placed,
    module: ir.module,
    new_manager: Callable[[], ir.pass_manager],
    name: str,
) -> None:
    """Runs one step on a module.

    Args:
        run: The stage that it belongs to.
        entry: The step.
        module: The module.
        new_manager: Makes a pass manager set up like the stage's.
        name: What the stage calls its run.

    Raises:
        PassError: The pass failed; names the pass, the stage, the pipeline and the kernel.
    """
    step = entry.step
    if run.observer is not None:
        run.observer.before_step(run, entry.name, module)
    before = run.text_before(module)
    named = registered(step.run) if isinstance(step.run, str) else None
    if named is not None:
        _call(run, entry, functools.partial(named.run, module, *step.args), module, before)
    elif callable(step.run):
        _call(run, entry, functools.partial(step.run, module), module, before)
    else:
        # A manager of its own for each pass, so that a failure has a name.
        manager = new_manager()
        adder(step)(manager)
        try:
            manager.run(module, name)
        except RuntimeError as error:
            raise _failure(run, entry, module, error, before) from error
    if run.observer is not None:
        run.observer.after_step(run, entry.name, module)


def _call(
    run: StageRun, entry: Placed, call: Callable[[], Any], module: ir.module, before: str
) -> None:
    try:
        call()
    except Exception as error:
        # The user's own exception reaches the user; only where it happened is added.
        text = before or module.str_nodebug()
        kept = failures.keep(text, run.kernel, run.stage, entry.name)
        error.add_note(
            f"Kernel {run.kernel!r}, stage {run.stage!r}: the function {entry.name!r} of pipeline "
            f"{entry.owner!r} failed. {kept}"
        )
        raise


def _failure(
    run: StageRun, entry: Placed, module: ir.module, error: RuntimeError, before: str
) -> PassError:
    owner = loading.pass_owner(entry.name)
    origin = f" of plugin {owner.note.label}" if owner else ""
    said = module.get_operation().get_str_attr(ERROR_ATTRIBUTE)
    reason = said if said else f"{error} (what it said is on stderr)"
    before = before or module.str_nodebug()
    kept = failures.keep(before, run.kernel, run.stage, entry.name)
    return PassError(
        f"Kernel {run.kernel!r}, stage {run.stage!r}: the pass {entry.name!r}{origin}, put there "
        f"by pipeline {entry.owner!r}, failed: {reason}\n{kept}",
        before,
    )
