"""`python -m triton_plugins`; see the package `cli`."""

from __future__ import annotations

import sys
import warnings

from . import running


def _main() -> int:
    try:
        running.folder()
    except ImportError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    # Not before: it needs Triton.
    from .cli.main import main

    # Triton warns about a default of its own that has no bearing on what is shown here.
    warnings.filterwarnings("ignore", message="TRITON_DEFAULT_FP_FUSION")
    return main()


if __name__ == "__main__":
    sys.exit(_main())
