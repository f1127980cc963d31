"""What an operand of a vector instruction takes from other lanes (data-parallel primitives)."""

from __future__ import annotations

import re

import numpy as np

from examples.test.amdgcn.registers import LANES, Array

ROW = LANES % 16
# Where each lane's operand comes from; -1 is nowhere.
FIXED = {
    "row_half_mirror": LANES ^ 7,
    "row_mirror": LANES ^ 15,
    "row_bcast:15": np.where(LANES < 16, -1, LANES // 16 * 16 - 1),
    "row_bcast:31": np.where(LANES < 32, -1, 31),
}


def _source(control: str) -> Array:
    if control in FIXED:
        return FIXED[control]
    name, _, value = control.partition(":")
    if name == "quad_perm":
        return LANES - LANES % 4 + np.array(re.findall(r"\d", value), int)[LANES % 4]
    if name == "row_shr":
        return np.where(ROW >= int(value), LANES - int(value), -1)
    if name == "row_shl":
        return np.where(ROW + int(value) < 16, LANES + int(value), -1)
    raise NotImplementedError(control)


def moved(value: Array, modifiers: list[str]) -> tuple[Array, int]:
    """An operand's words, and the lanes that are written, as a mask."""
    control, *others = modifiers
    masks = dict(text.split(":") for text in others)
    source = _source(control)
    written = (int(masks["row_mask"], 0) >> LANES // 16 & 1) & (
        int(masks["bank_mask"], 0) >> ROW // 4 & 1
    )
    if masks.get("bound_ctrl") != "1":
        written &= source >= 0
    words = np.where(source >= 0, value[source], 0).astype(np.uint32)
    return words, sum(1 << lane for lane in np.flatnonzero(written).tolist())
