"""The exceptions of triton_plugins.

Each carries one paragraph: what was found, what is needed, what to do. All of them derive from
`PluginError`.
"""

from __future__ import annotations


class PluginError(RuntimeError):
    """Base class of every error that triton_plugins raises."""


class PluginFileError(PluginError):
    """A file is not a readable plugin library: missing, unreadable, truncated, or something
    else."""


class PluginMismatchError(PluginError):
    """A library is a plugin, but one for another Triton, another LLVM or another machine."""


class PluginNotFoundError(PluginError):
    """No library of that name was found in any of the places that are searched."""


class PluginNotLoadedError(PluginError):
    """A kernel or a pipeline needs a pass or an op of a plugin that is not loaded."""


class PluginTooLateError(PluginError):
    """This Triton takes plugins only while it is imported, and it is imported already."""


class PluginConflictError(PluginError):
    """Two libraries claim the same plugin, pass, op or dialect name."""


class PipelineError(PluginError):
    """A pipeline contradicts itself or does not fit the passes that this Triton runs."""


class PassError(PluginError):
    """A pass failed on a kernel.

    Attributes:
        ir: The module as it was before the pass, or, if it was in LLVM's dialect, as the pass left
            it; "" where neither is known.
    """

    def __init__(self, message: str, ir: str = "") -> None:
        super().__init__(message)
        self.ir = ir


class OpError(PluginError):
    """A plugin op refused its arguments.

    Attributes:
        op: Name of the op, for example "tlx_async_load".
        message: What the plugin said.
        location: "file:line" of the kernel, or None when line information is off.
    """

    def __init__(self, op: str, message: str, location: str | None = None) -> None:
        text = message if message.startswith(op) else f"{op}: {message}"
        super().__init__(f"{location}: {text}" if location else text)
        self.op = op
        self.message = message
        self.location = location

    def __reduce__(self) -> tuple[type[OpError], tuple[str, str, str | None]]:
        # The default would call the constructor with the formatted text alone.
        return type(self), (self.op, self.message, self.location)
