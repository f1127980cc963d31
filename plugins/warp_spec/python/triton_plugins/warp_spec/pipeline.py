"""The passes of warp_spec, beside stock Triton's.

ttir   warp_spec_mark_loops        marks become attributes before loops move
ttgir  warp_spec_plan              in place of hopper_warpspec, stock's strategy
       warp_spec_create_channels
       pipeline, ...               stock: asynchronous products, stores through TMA
       warp_spec_release_stages
       warp_spec_partition
       warp_spec_lower
       warp_spec_find_independent_warps
llir   membar                      stock: barriers between what shares memory
       warp_spec_drop_barriers
"""

from __future__ import annotations

import json
import warnings

from triton._C.libtriton import ir

from triton_plugins import Pipeline, Step, on

REPORT_ATTRIBUTE = "warp_spec.report"

# A pass gets its options when the pipeline is made, so there is an edit for each num_stages.
_STAGES = range(1, 9)


class NotSpecialized(UserWarning):
    """A loop of a kernel was left to stock Triton; the text says why."""


def warn_of_refusals(module: ir.module) -> None:
    """Warns of every loop that the plan leaves alone."""
    text = module.get_operation().get_str_attr(REPORT_ATTRIBUTE)
    for loop in json.loads(text) if text else ():
        if not loop["specialized"]:
            warnings.warn(
                f"{loop['loop']}: the loop is not specialized: {loop['reason']}",
                NotSpecialized,
                stacklevel=2,
            )


def make_pipeline(buffers: int = 0, producer_registers: int = 0, strict: bool = False) -> Pipeline:
    """Returns the pipeline that specializes loops on sm_90a; elsewhere it only removes marks.

    Args:
        buffers: Most stages of a channel; 0 takes the kernel's num_stages.
        producer_registers: Registers of a producer's thread; 0 lets the model choose.
        strict: A loop that can't be specialized is an error.
    """
    pipeline = Pipeline("warp_spec").prepend("ttir", "warp_spec_mark_loops")
    for stages in _STAGES:
        options = (
            f"buffers={buffers}",
            f"num-stages={stages}",
            f"producer-registers={producer_registers}",
            f"strict={str(strict).lower()}",
        )
        pipeline = pipeline.replace(
            "ttgir",
            "hopper_warpspec",
            Step("warp_spec_plan", options),
            warn_of_refusals,
            "warp_spec_create_channels",
            when=on("cuda", 90, num_stages=stages),
        )
    return (
        pipeline.insert_after(
            "ttgir",
            "pipeline",
            "warp_spec_release_stages",
            "warp_spec_partition",
            "warp_spec_lower",
            when=on("cuda", 90),
        )
        .append("ttgir", "warp_spec_find_independent_warps", when=on("cuda", 90))
        .insert_after("llir", "membar", "warp_spec_drop_barriers", when=on("cuda", 90))
    )


PIPELINE = make_pipeline()
