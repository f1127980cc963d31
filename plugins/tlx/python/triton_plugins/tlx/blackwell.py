"""What only Blackwell has: its names are here, so that a kernel that uses one is told why it cannot
be compiled.

Kernels that choose at compile time between Hopper's and Blackwell's operations need no change.
"""

from __future__ import annotations

from typing import Any

from triton_plugins import OpError, dsl
from triton_plugins.builtin import Builtin

from .pipeline import PIPELINE

_TENSOR_MEMORY = "tensor memory and tcgen05"
_LAUNCH_CONTROL = "cluster launch control"
_SCALE_FACTORS = "conversions of blocks with scale factors"


def _needs(name: str, feature: str) -> OpError:
    return OpError(
        name,
        f"{name} needs {feature}, which Blackwell (sm_100a) has; TLX compiles for sm_80 to sm_90a, "
        "gfx942 and gfx950",
    )


def _operation(name: str, feature: str) -> Builtin:
    def refuse(*_args: Any, _semantic: Any = None, **_kwargs: Any) -> None:
        raise _needs(name, feature)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Refuses to compile: it needs {feature}, which Blackwell (sm_100a) has."
    return dsl.op("tlx", PIPELINE)(refuse)


def _type(name: str, feature: str) -> type:
    def refuse(self: object, *_args: Any, **_kwargs: Any) -> None:
        raise _needs(name, feature)

    documentation = f"Cannot be made: it needs {feature}, which Blackwell (sm_100a) has."
    return type(name, (), {"__init__": refuse, "__doc__": documentation, "__module__": __name__})


async_dot_scaled = _operation("async_dot_scaled", _TENSOR_MEMORY)
subslice = _operation("subslice", _TENSOR_MEMORY)
tcgen05_commit = _operation("tcgen05_commit", _TENSOR_MEMORY)
tmem_copy = _operation("tmem_copy", _TENSOR_MEMORY)
tensor_memory_layout_encoding = _type("tensor_memory_layout_encoding", _TENSOR_MEMORY)
tensor_memory_scales_layout_encoding = _type("tensor_memory_scales_layout_encoding", _TENSOR_MEMORY)
DummyTMEMLayoutEncoding = _type("DummyTMEMLayoutEncoding", _TENSOR_MEMORY)

clc_create_context = _operation("clc_create_context", _LAUNCH_CONTROL)
clc_producer = _operation("clc_producer", _LAUNCH_CONTROL)
clc_consumer = _operation("clc_consumer", _LAUNCH_CONTROL)
_alloc_clc_responses = _operation("_alloc_clc_responses", _LAUNCH_CONTROL)
_clc_issue = _operation("_clc_issue", _LAUNCH_CONTROL)
_clc_query = _operation("_clc_query", _LAUNCH_CONTROL)
clc_response = _type("clc_response", _LAUNCH_CONTROL)
clc_response_type = _type("clc_response_type", _LAUNCH_CONTROL)
CLCPipelineContext = _type("CLCPipelineContext", _LAUNCH_CONTROL)

stoch_round = _operation("stoch_round", "conversions with stochastic rounding")
_to_mxfp8_block = _operation("_to_mxfp8_block", _SCALE_FACTORS)
