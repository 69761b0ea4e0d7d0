"""The two pydantic bases of every model: strict, and without unknown fields."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """Refuses unknown fields and converts nothing: ``"false"``, ``0`` and ``1`` are no booleans."""

    model_config = ConfigDict(extra="forbid", strict=True, validate_default=False, allow_inf_nan=False)


class FrozenModel(StrictModel):
    """A :class:`StrictModel` whose fields cannot be assigned."""

    model_config = ConfigDict(frozen=True)
