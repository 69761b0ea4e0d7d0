"""What is decided otherwise in one lock than in another, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.catalog.compare import attributes_text
from schemarouter.catalog.drift import deciders_text

if TYPE_CHECKING:
    from schemarouter.catalog.lock import Lock


def moves(old: Lock, new: Lock) -> list[str]:
    """One line for every operation that came, went, or is decided otherwise, and one for the policy if it is another."""
    lines = []
    if old.digest != new.digest:
        lines.append(f"policy: {old.digest[:12]} -> {new.digest[:12]}")
    for name in sorted({*old.operations, *new.operations}):
        before, after = old.operations.get(name), new.operations.get(name)
        if after is None:
            lines.append(f"removed: `{name}`")
        elif before is None:
            lines.append(f"added: `{name}`: {deciders_text(after.deciders)}")
        elif deciders_text(before.deciders) != deciders_text(after.deciders):
            lines.append(f"decision: `{name}`: {deciders_text(before.deciders)} -> {deciders_text(after.deciders)}")
        elif before.effective != after.effective:
            change = f"{attributes_text(before.effective)} -> {attributes_text(after.effective)}"
            lines.append(f"attributes: `{name}`: {change}")
        elif before.contract != after.contract:
            lines.append(f"contract: `{name}`")
    return lines
