"""Real data beside the checkout, in ``../shared/data``: large, and not part of it. Tests run without, and say so."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared" / "data"


def shared(*names: str) -> Path:
    """A file or folder of the shared data; skips the test, loudly, where there is none."""
    path = SHARED.joinpath(*names)
    if not path.exists():
        pytest.skip(f"NOT TESTED: the shared data `{'/'.join(names)}` is not beside this checkout")
    return path
