"""Memory through which programs of a kernel hand values to each other."""

from __future__ import annotations

import torch

# Values that are handed over, and flags that say that they are there.
Workspace = tuple[torch.Tensor, torch.Tensor]

_workspaces: dict[tuple[torch.device, int], Workspace] = {}


def workspace(device: torch.device, values: int, flags: int) -> Workspace:
    """Room for float32 values, and flags that are down (0).

    Kernels of a stream run one after the other and leave all flags down, so they share one. What a
    CUDA graph uses is its own: the graph may run beside kernels of any stream.

    Args:
        device: Where the kernel runs.
        values: Values that are handed over at most.
        flags: Flags that are used at most.
    """

    def new() -> Workspace:
        return (
            torch.empty(values, device=device, dtype=torch.float32),
            torch.zeros(flags, device=device, dtype=torch.int32),
        )

    if torch.cuda.is_current_stream_capturing():
        return new()
    key = device, torch.cuda.current_stream(device).cuda_stream
    kept = _workspaces.get(key)
    if kept is None or kept[0].numel() < values or kept[1].numel() < flags:
        kept = _workspaces[key] = new()
    return kept
