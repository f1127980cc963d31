"""What tests on an NVIDIA Hopper GPU need; they import it once PyTorch is known to be there.

pytestmark = hopper.MARKS
"""

from __future__ import annotations

import pytest
import torch


def why_not() -> str | None:
    """Why such tests cannot run here, or None."""
    if not torch.cuda.is_available() or torch.version.hip:
        return "needs an NVIDIA GPU; PyTorch finds none"
    major, minor = torch.cuda.get_device_capability()
    if (major, minor) == (9, 0):
        return None
    return f"needs a Hopper GPU (sm_90); this one is sm_{major}{minor}"


_reason = why_not()
MARKS = [pytest.mark.nvidia, pytest.mark.skipif(_reason is not None, reason=str(_reason))]
