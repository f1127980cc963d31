"""Keeps the IR that a pass failed on."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

FOLDER_VARIABLE = "TRITON_PLUGINS_FAILURES"


def keep(ir: str, kernel: str, stage: str, step: str) -> str:
    """Writes the IR before a failing pass into the folder that TRITON_PLUGINS_FAILURES names.

    Args:
        ir: The module's text.
        kernel: Name of the kernel.
        stage: The stage.
        step: The pass.

    Returns:
        A sentence for the error's message that says where the IR is, or how to get it.
    """
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        return f"{FOLDER_VARIABLE}=<folder> keeps the IR that it was given as a file there."
    # A digest, since one kernel can fail in many variants.
    digest = hashlib.sha256(ir.encode()).hexdigest()[:8]
    name = re.sub(r"[^\w.-]", "_", f"{kernel}-{stage}-{step}-{digest}.mlir")
    path = Path(folder) / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ir + "\n")
    except OSError as error:
        # The failure of the pass is what the user must see.
        return f"The IR that it was given could not be written to {path}: {error}."
    return f"The IR that it was given is in {path}."
