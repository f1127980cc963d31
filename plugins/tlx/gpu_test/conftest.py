"""What the tests on hardware share."""

import pytest

try:
    import torch
except ImportError:
    # Every test file skips itself then; a conftest.py cannot.
    torch = None


@pytest.fixture(autouse=True)
def same_numbers_every_time():
    """What a test draws does not depend on the tests before it."""
    if torch is not None:
        torch.manual_seed(0)
