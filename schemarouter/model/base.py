"""The two pydantic bases of every model: strict, and without unknown fields."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """Refuses unknown fields and converts nothing: ``"false"``, ``0`` and ``1`` are no booleans.

    What it refuses is not repeated in the message of its error: it may be an argument or a secret.
    """

    model_config = ConfigDict(
        extra="forbid", strict=True, validate_default=False, allow_inf_nan=False, hide_input_in_errors=True
    )


class FrozenModel(StrictModel):
    """A :class:`StrictModel` whose fields cannot be assigned."""

    model_config = ConfigDict(frozen=True)
