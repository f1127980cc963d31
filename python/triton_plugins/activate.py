"""Makes pipelines active: for a block of code, or for the process.

Which pipelines are active in a block is a context variable, so threads and tasks do not see each
other's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from triton.runtime import _async_compile

from . import hook
from .activation import Activation, activation_in, current_activation, installed
from .pipeline import Pipeline


@contextmanager
def activated(pipelines: Sequence[Pipeline]) -> Iterator[None]:
    """Makes pipelines active in this context, the first one outermost."""
    if not pipelines:
        yield
        return
    activation = current_activation.get()
    for pipeline in pipelines:
        activation = activation_in(activation, pipeline)
    token = current_activation.set(activation)
    hook.hold()
    try:
        # A launch that compiles does not ask our hook before, which would do this otherwise.
        if _async_compile.active_mode.get() is not None:
            hook.carry_into_workers()
        yield
    finally:
        hook.release()
        current_activation.reset(token)


def enter(pipeline: Pipeline) -> None:
    """Makes a pipeline active in this context until `leave`."""
    push(activation_in(current_activation.get(), pipeline))


def push(activation: Activation) -> None:
    """Makes an activation current until `leave`."""
    hook.hold()
    current_activation.set(activation)


def leave() -> None:
    """Ends the innermost activation of this context."""
    current_activation.set(current_activation.get().parent)
    hook.release()


def install(pipeline: Pipeline) -> None:
    """Makes a pipeline active in the process until `uninstall`."""
    installed.add(pipeline)
    hook.hold_for_process()


def uninstall(pipeline: Pipeline) -> None:
    """Ends what `install` began."""
    installed.remove(pipeline)
    hook.release_for_process()
