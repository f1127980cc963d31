"""Which pipelines are active: in a context, and in the whole process."""

from __future__ import annotations

import contextvars
import copy
import os
import threading
from collections.abc import Callable

from .edits import Edit
from .errors import PipelineError
from .keys import digest, pipeline_key
from .pipeline import Pipeline
from .steps import Observer

Key = tuple[str, str]

# A program may make pipelines on the fly; that must not grow an activation around them forever.
_MAX_INNER = 64


class Activation:
    """A set of active pipelines, from the outermost to the innermost, with their cache key.

    Attributes:
        parent: The activation around this one.
        key: What the hook answers: a text for the disk key and one for the key in memory.
        edits: The edits of all pipelines.
        observer: Told about every step.
        complete: Whether nothing that is installed goes around it.
    """

    __slots__ = ("parent", "key", "edits", "observer", "complete", "_parts", "_own", "_inner")

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
        self.complete = False
        self._parts = (*(parent._parts if parent else ()), part)
        self._own = edits, part, observer
        key = digest(*self._parts)
        self.key: Key = (f"-triton_plugins-{key}", key)
        self._inner: dict[int, tuple[object, Activation]] = {}

    def inner(self, pipeline: Pipeline) -> Activation:
        """The activation of a pipeline inside this one; made once."""
        return self._kept(
            pipeline, lambda: Activation(self, pipeline.edits, pipeline_key(pipeline))
        )

    def inside(self, outer: Activation) -> Activation:
        """These pipelines inside those of another activation; made once."""
        parent = self.parent.inside(outer) if self.parent else outer
        return self._kept(outer, lambda: Activation(parent, *self._own))

    def completed(self) -> Activation:
        """A copy that nothing goes around, whatever is installed by the time it is used."""
        made = copy.copy(self)
        made.complete = True
        return made

    def _kept(self, what: object, make: Callable[[], Activation]) -> Activation:
        known = self._inner.get(id(what))
        if known is None:
            if len(self._inner) >= _MAX_INNER:
                self._inner.clear()
            # The object is kept with it, so that its identity is not given to another one.
            known = self._inner[id(what)] = what, make()
        return known[1]


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


class Installed:
    """The pipelines that are active in the whole process.

    Attributes:
        activation: Their activation, or None.
    """

    def __init__(self) -> None:
        self.activation: Activation | None = None
        self._pipelines: tuple[Pipeline, ...] = ()
        self._lock = threading.Lock()
        os.register_at_fork(
            before=self._lock.acquire,
            after_in_parent=self._lock.release,
            after_in_child=self._lock.release,
        )

    def add(self, pipeline: Pipeline) -> None:
        """Adds a pipeline inside those that are there."""
        with self._lock:
            if pipeline in self._pipelines:
                raise PipelineError(
                    f"The pipeline {pipeline.name!r} is installed already, and its edits cannot "
                    "apply twice. Call its uninstall() first."
                )
            self._set((*self._pipelines, pipeline))

    def remove(self, pipeline: Pipeline) -> None:
        """Removes a pipeline, wherever it is among them."""
        with self._lock:
            if pipeline not in self._pipelines:
                names = ", ".join(repr(p.name) for p in self._pipelines) or "none"
                raise PipelineError(
                    f"The pipeline {pipeline.name!r} is not installed; installed are: {names}. "
                    "Uninstall the pipeline that was installed, or one equal to it."
                )
            self._set(tuple(p for p in self._pipelines if p != pipeline))

    def _set(self, pipelines: tuple[Pipeline, ...]) -> None:
        activation = None
        for pipeline in pipelines:
            activation = activation_in(activation, pipeline)
        self._pipelines = pipelines
        self.activation = activation


installed = Installed()


def effective() -> Activation | None:
    """What is active here: the installed pipelines around those of the context."""
    activation = current_activation.get()
    outer = installed.activation
    if outer is None or (activation is not None and activation.complete):
        return activation
    return outer if activation is None else activation.inside(outer)
