"""PyPI `schemarouter` 0.17.0: the same calls through the same public names as ours."""

from __future__ import annotations

from benchmarks.sides.calls import CASES as CALLS
from benchmarks.sides.policies import CASES as POLICIES
from benchmarks.sides.policies import VALUES

CASES = {**POLICIES, **CALLS}

__all__ = ["CASES", "VALUES"]
