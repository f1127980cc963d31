"""Our say in Triton's compilations.

Triton asks one process-wide hook (`knobs.runtime.add_stages_inspection_hook`) for its say in the
cache key and in the stages; ours sits there only while a pipeline is installed or some thread has
an active one, and passes every call on to the hook that was there before it.
"""

from __future__ import annotations

import contextvars
import functools
import os
import threading
from collections.abc import Callable
from typing import Any

from triton import knobs
from triton.runtime import _async_compile

from .activation import Activation, Key, current_activation, effective
from .editing import edit_stages

_NO_KEY: Key = ("", "")


# Set while a hook of ours calls the one before it. That one may hold an older hook of ours and call
# it in turn, which must not add our say a second time.
_passing_on: contextvars.ContextVar[bool] = contextvars.ContextVar(
    "triton_plugins_passing_on", default=False
)


def _make_hook(previous: Callable[..., Any] | None) -> Callable[..., Any]:
    """Makes a hook that adds the current activation's say to that of the hook before it."""
    get_async_mode = _async_compile.active_mode.get

    def hook(
        backend: Any = None,
        stages: dict[str, Any] | None = None,
        options: Any = None,
        language: Any = None,
        capability: Any = None,
    ) -> Key | None:
        activation = effective()
        if stages is None:
            if activation is not None and get_async_mode() is not None:
                carry_into_workers()
            if previous is None:
                return _NO_KEY if activation is None else activation.key
        nested = _passing_on.get()
        theirs = _pass_on(previous, backend, stages, options, language, capability)
        if activation is None or nested:
            return theirs
        if stages is None:
            return theirs[0] + activation.key[0], theirs[1] + activation.key[1]
        edit_stages(activation, backend, stages, options)
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


class _CarryingMode:
    """Stands in for the context's AsyncCompileMode: its workers compile under the activation of the
    launch."""

    def __init__(self, mode: Any) -> None:
        self._mode = mode

    def submit(self, key: str, compile_fn: Callable[[], Any], *rest: Callable[..., Any]) -> Any:
        activation = effective()
        if activation is None:
            return self._mode.submit(key, compile_fn, *rest)
        # Triton's key names the kernel alone, and futures of two pipelines must not be mixed up.
        compile_fn = functools.partial(_compile_under, activation.completed(), compile_fn)
        return self._mode.submit(key + activation.key[0], compile_fn, *rest)

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


def carry_into_workers() -> None:
    """Makes the asynchronous mode of this context compile under the activation of each launch."""
    mode = _async_compile.active_mode.get()
    if not isinstance(mode, _CarryingMode):
        _async_compile.active_mode.set(_CarryingMode(mode))


class _Slot:
    """Owns Triton's hook slot while at least one activation holds it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        # How often each thread holds it; those of the process are under None. A block can end in
        # another thread than it began in, so only the sum says whether anybody does.
        self._holds: dict[int | None, int] = {}
        self._sum = 0
        self._ours = _make_hook(None)
        self._previous: Callable[..., Any] | None = None

    def hold(self, holder: int | None) -> None:
        """Puts our hook into the slot, unless it is there already."""
        with self.lock:
            self._sum += 1
            self._holds[holder] = self._holds.get(holder, 0) + 1
            found = knobs.runtime.add_stages_inspection_hook
            if found is self._ours:
                return
            if found is not self._previous:
                self._previous = found
                self._ours = _make_hook(found)
            knobs.runtime.add_stages_inspection_hook = self._ours

    def release(self, holder: int | None) -> None:
        """Gives the slot back after the last holder; somebody who took it meanwhile keeps it."""
        with self.lock:
            self._sum -= 1
            left = self._holds.pop(holder, 0) - 1
            if left:
                self._holds[holder] = left
            self._give_back()

    def keep_own(self) -> None:
        """Forgets what other threads hold, which a forked process does not have."""
        mine = (None, threading.get_ident())
        self._holds = {who: self._holds[who] for who in mine if who in self._holds}
        self._sum = sum(self._holds.values())
        self._give_back()
        self.lock.release()

    def _give_back(self) -> None:
        if not self._sum and knobs.runtime.add_stages_inspection_hook is self._ours:
            knobs.runtime.add_stages_inspection_hook = self._previous


_slot = _Slot()
# No other thread is in the middle of a change when the process is copied.
os.register_at_fork(
    before=_slot.lock.acquire,
    after_in_parent=_slot.lock.release,
    after_in_child=_slot.keep_own,
)


def hold() -> None:
    """Puts our hook into the slot, for this thread's sake."""
    _slot.hold(threading.get_ident())


def release() -> None:
    """Ends what `hold` began."""
    _slot.release(threading.get_ident())


def hold_for_process() -> None:
    """Puts our hook into the slot, for the sake of all threads."""
    _slot.hold(None)


def release_for_process() -> None:
    """Ends what `hold_for_process` began."""
    _slot.release(None)
