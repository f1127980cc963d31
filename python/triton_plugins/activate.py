"""Applies pipelines to kernels: for one kernel, or for a block of code.

Which pipelines are active is a context variable, so threads and tasks do not see each other's.
Triton asks one process-wide hook (`knobs.runtime.add_stages_inspection_hook`) for its say in the
cache key and in the stages; ours sits there only while some thread has an active pipeline, and
passes every call on to the hook that was there before it.
"""

from __future__ import annotations

import contextvars
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from triton import knobs
from triton.runtime import _async_compile

from .errors import PipelineError
from .keys import digest, pipeline_key
from .pipeline import Edit, Pipeline
from .stages import StageFunction, wrap_stage
from .steps import Observer
from .target import Target

Key = tuple[str, str]

_NO_KEY: Key = ("", "")


class Activation:
    """A set of active pipelines, from the outermost to the innermost, with their cache key.

    Attributes:
        parent: The activation around this one.
        key: What the hook answers: a text for the disk key and one for the key in memory.
        edits: The edits of all pipelines.
        observer: Told about every step.
    """

    __slots__ = ("parent", "key", "edits", "observer", "_parts", "_inner")

    def __init__(
        self,
        parent: Activation | None,
        edits: tuple[Edit, ...],
        part: str,
        observer: Observer | None = None,
    ) -> None:
        self.parent = parent
        self.edits = (parent.edits if parent else ()) + edits
        self.observer = observer or (parent.observer if parent else None)
        self._parts = (*(parent._parts if parent else ()), part)
        key = digest(*self._parts)
        self.key: Key = (f"-triton_plugins-{key}", key)
        self._inner: dict[int, tuple[Pipeline, Activation]] = {}

    def inner(self, pipeline: Pipeline) -> Activation:
        """The activation of a pipeline inside this one; made once."""
        known = self._inner.get(id(pipeline))
        if known is None:
            if len(self._inner) >= _MAX_INNER:
                self._inner.clear()
            # The pipeline is kept with it, so that its identity is not given to another object.
            known = pipeline, Activation(self, pipeline.edits, pipeline_key(pipeline))
            self._inner[id(pipeline)] = known
        return known[1]


# A program may make pipelines on the fly; that must not grow an activation around them forever.
_MAX_INNER = 64

current_activation: contextvars.ContextVar[Activation | None] = contextvars.ContextVar(
    "triton_plugins_activation", default=None
)


def activation_in(around: Activation | None, pipeline: Pipeline) -> Activation:
    """The activation of a pipeline inside another one, or on its own; made once."""
    if around is not None:
        return around.inner(pipeline)
    known = pipeline.computed.get("activation")
    if known is None:
        known = Activation(None, pipeline.edits, pipeline_key(pipeline))
        pipeline.computed["activation"] = known
    return known


@contextmanager
def activated(pipelines: Sequence[Pipeline]) -> Iterator[None]:
    """Makes pipelines active in this context, the first one outermost."""
    activation = current_activation.get()
    for pipeline in pipelines:
        activation = activation_in(activation, pipeline)
    token = current_activation.set(activation)
    hold()
    try:
        # A launch that compiles does not ask our hook before, which would do this otherwise.
        if _async_compile.active_mode.get() is not None:
            _carry_into_workers()
        yield
    finally:
        release()
        current_activation.reset(token)


def enter(pipeline: Pipeline) -> None:
    """Makes a pipeline active in this context until `leave`."""
    push(activation_in(current_activation.get(), pipeline))


def push(activation: Activation) -> None:
    """Makes an activation current until `leave`."""
    hold()
    current_activation.set(activation)


def leave() -> None:
    """Ends the innermost activation of this context."""
    current_activation.set(current_activation.get().parent)
    release()


# Set while a hook of ours calls the one before it. That one may hold an older hook of ours and call
# it in turn, which must not add our say a second time.
_passing_on: contextvars.ContextVar[bool] = contextvars.ContextVar(
    "triton_plugins_passing_on", default=False
)


def _make_hook(previous: Callable[..., Any] | None) -> Callable[..., Any]:
    """Makes a hook that adds the current activation's say to that of the hook before it."""
    get_activation = current_activation.get
    get_async_mode = _async_compile.active_mode.get

    def hook(
        backend: Any = None,
        stages: dict[str, Any] | None = None,
        options: Any = None,
        language: Any = None,
        capability: Any = None,
    ) -> Key | None:
        activation = get_activation()
        if stages is None:
            if activation is not None and get_async_mode() is not None:
                _carry_into_workers()
            if previous is None:
                return _NO_KEY if activation is None else activation.key
        nested = _passing_on.get()
        theirs = _pass_on(previous, backend, stages, options, language, capability)
        if activation is None or nested:
            return theirs
        if stages is None:
            return theirs[0] + activation.key[0], theirs[1] + activation.key[1]
        _edit_stages(activation, backend, stages, options)
        return None

    return hook


def _pass_on(
    previous: Callable[..., Any] | None,
    backend: Any,
    stages: dict[str, Any] | None,
    options: Any,
    language: Any,
    capability: Any,
) -> Key | None:
    if previous is None:
        return _NO_KEY if stages is None else None
    token = _passing_on.set(True)
    try:
        if stages is not None:
            return previous(backend, stages, options, language, capability)
        key, in_memory = previous()
        return str(key), str(in_memory)
    finally:
        _passing_on.reset(token)


def _edit_stages(
    activation: Activation, backend: Any, stages: dict[str, Any], options: Any
) -> None:
    target = Target(backend.target.backend, backend.target.arch, options)
    wanted: dict[str, list[Edit]] = {}
    for edit in activation.edits:
        if edit.when is None or edit.when(target):
            if edit.stage not in stages:
                raise PipelineError(
                    f"Pipeline {edit.owner!r} says {edit}, but a compilation for {target} has no "
                    f"such stage. Its stages are: {', '.join(stages)}."
                )
            wanted.setdefault(edit.stage, []).append(edit)
    for stage, edits in wanted.items():
        stages[stage] = wrap_stage(stages[stage], stage, target, tuple(edits), activation.observer)
    if activation.observer is not None:
        first = next(iter(stages))
        stages[first] = _announced(stages[first], activation.observer)


def _announced(function: StageFunction, observer: Observer) -> StageFunction:
    """The first stage of a compilation, which tells the observer that there is one."""

    def announced(source: Any, metadata: dict[str, Any]) -> Any:
        observer.begin(metadata)
        return function(source, metadata)

    return announced


class _CarryingMode:
    """Stands in for the context's AsyncCompileMode: its workers compile under the activation of the
    launch."""

    def __init__(self, mode: Any) -> None:
        self._mode = mode

    def submit(
        self,
        key: str,
        compile_fn: Callable[[], Any],
        finalize_fn: Callable[..., Any],
        cleanup_fn: Callable[..., Any],
    ) -> Any:
        activation = current_activation.get()
        if activation is None:
            return self._mode.submit(key, compile_fn, finalize_fn, cleanup_fn)
        # Triton's key names the kernel alone, and futures of two pipelines must not be mixed up.
        return self._mode.submit(
            key + activation.key[0],
            functools.partial(_compile_under, activation, compile_fn),
            finalize_fn,
            cleanup_fn,
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._mode, name)


def _compile_under(activation: Activation, compile_fn: Callable[[], Any]) -> Any:
    token = current_activation.set(activation)
    hold()
    try:
        return compile_fn()
    finally:
        release()
        current_activation.reset(token)


def _carry_into_workers() -> None:
    mode = _async_compile.active_mode.get()
    if not isinstance(mode, _CarryingMode):
        _async_compile.active_mode.set(_CarryingMode(mode))


class _Slot:
    """Owns Triton's hook slot while at least one activation holds it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._ours = _make_hook(None)
        self._previous: Callable[..., Any] | None = None

    def hold(self) -> None:
        """Puts our hook into the slot, unless it is there already."""
        with self._lock:
            self._holders += 1
            found = knobs.runtime.add_stages_inspection_hook
            if found is self._ours:
                return
            if found is not self._previous:
                self._previous = found
                self._ours = _make_hook(found)
            knobs.runtime.add_stages_inspection_hook = self._ours

    def release(self) -> None:
        """Gives the slot back after the last holder; somebody who took it meanwhile keeps it."""
        with self._lock:
            self._holders -= 1
            if not self._holders and knobs.runtime.add_stages_inspection_hook is self._ours:
                knobs.runtime.add_stages_inspection_hook = self._previous


_slot = _Slot()
hold, release = _slot.hold, _slot.release
