"""The passes of warp_spec, beside stock Triton's.

ttir   warp_spec_mark_loops        marks become attributes before loops move
ttgir  warp_spec_plan              in place of hopper_warpspec, stock's strategy
       warp_spec_create_channels
       pipeline, ...               stock: asynchronous products, stores through TMA
       warp_spec_release_stages
       warp_spec_partition
       warp_spec_lower
       warp_spec_find_independent_warps
       warp_spec_keep_addresses
llir   membar                      stock: barriers between what shares memory
       warp_spec_drop_barriers
"""

from __future__ import annotations

import json
import warnings
from typing import Any

from triton._C.libtriton import ir

from triton_plugins import Pipeline, Step, Target, on

REPORT_ATTRIBUTE = "warp_spec.report"

# A pass gets its options when the pipeline is made, so there is an edit for each num_stages.
MOST_STAGES = 16
_ON_HOPPER = on("cuda", 90)


class NotSpecialized(UserWarning):
    """A loop of a kernel was left to stock Triton; the text says why.

    Comes when the kernel is compiled, not when Triton's cache has it; `report` always says why.
    """


def _plans(module: ir.module) -> list[dict[str, Any]]:
    text = module.get_operation().get_str_attr(REPORT_ATTRIBUTE)
    return json.loads(text) if text else []


def warn_of_refusals(module: ir.module) -> None:
    """Warns of every loop that the plan leaves alone."""
    for loop in _plans(module):
        if not loop["specialized"]:
            warnings.warn(
                f"{loop['loop']}: the loop is not specialized: {loop['reason']}",
                NotSpecialized,
                stacklevel=2,
            )


def _has_more_stages(target: Target) -> bool:
    return _ON_HOPPER(target) and target.options.num_stages > MOST_STAGES


def make_pipeline(buffers: int = 0, producer_registers: int = 0, strict: bool = False) -> Pipeline:
    """Returns the pipeline that specializes loops on sm_90a; elsewhere it only removes marks.

    Args:
        buffers: Most stages of a channel; 0 takes the kernel's num_stages, 16 at most.
        producer_registers: Registers of a producer's thread; 0 lets the model choose.
        strict: A loop that can't be specialized is an error.
    """
    pipeline = Pipeline("warp_spec").prepend("ttir", "warp_spec_mark_loops")
    for stages in range(1, MOST_STAGES + 1):
        options = (
            f"buffers={buffers}",
            f"num-stages={stages}",
            f"producer-registers={producer_registers}",
            f"strict={str(strict).lower()}",
        )
        strategy = (
            Step("warp_spec_plan", options),
            warn_of_refusals,
            "warp_spec_create_channels",
        )
        pipeline = pipeline.replace(
            "ttgir", "hopper_warpspec", *strategy, when=on("cuda", 90, num_stages=stages)
        )
    return (
        pipeline.replace("ttgir", "hopper_warpspec", *strategy, when=_has_more_stages)
        .insert_after(
            "ttgir",
            "pipeline",
            "warp_spec_release_stages",
            "warp_spec_partition",
            "warp_spec_lower",
            when=_ON_HOPPER,
        )
        .append(
            "ttgir",
            "warp_spec_find_independent_warps",
            "warp_spec_keep_addresses",
            when=_ON_HOPPER,
        )
        .insert_after("llir", "membar", "warp_spec_drop_barriers", when=_ON_HOPPER)
    )


PIPELINE = make_pipeline()
