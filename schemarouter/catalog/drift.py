"""What moved between a lock and now: operations that came or went, contracts that changed, decisions that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from schemarouter.catalog.compare import attributes_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemarouter.catalog.decisions import Decided, Decider
    from schemarouter.catalog.lock import Lock, LockedOperation

#: ``unlocked``: not in the lock. ``moved``: another decision. ``contract``: the same decision about another contract.
#: ``gone``: in the lock and no longer in the catalog.
Kind = Literal["unlocked", "moved", "contract", "gone"]


class Drift(NamedTuple):
    """One operation that is not as it was locked."""

    kind: Kind
    operation: str
    before: LockedOperation | None
    after: Decided | None

    @property
    def change(self) -> str:
        """What was decided, and what is, in words."""
        before, after = self.before, self.after
        if before is None or after is None:
            return ""
        if before.effective != after.effective and before.verdict == after.verdict:
            return f"{attributes_text(before.effective)} -> {attributes_text(after.effective)}"
        return f"{deciders_text(before.deciders)} -> {deciders_text(after.deciders)}"


def drift(lock: Lock, decided: Iterable[Decided], digest: str) -> list[Drift]:
    """Every operation that is not as it was locked, by name. ``digest`` is that of the policy of now.

    Under another policy rules may have been renamed and reordered: there only outcomes and attributes are compared.
    """
    same_policy = lock.digest == digest
    now = {one.operation.operation: one for one in decided}
    found = []
    for name in sorted({*now, *lock.operations}):
        before, after = lock.operations.get(name), now.get(name)
        kind: Kind | None = None
        if before is None:
            kind = "unlocked"
        elif after is None:
            kind = "gone"
        elif _moved(before, after, same_policy):
            kind = "moved"
        elif before.contract != after.operation.contract:
            kind = "contract"
        if kind is not None:
            found.append(Drift(kind, name, before, after))
    return found


def _moved(before: LockedOperation, after: Decided, same_policy: bool) -> bool:
    if before.effective != after.effective:
        return True
    if same_policy:
        return before.deciders != after.deciders
    return [one.outcome for one in before.deciders] != [one.outcome for one in after.deciders]


def deciders_text(deciders: tuple[Decider, ...]) -> str:
    """Who decides, in words: ``allow by rule `reads```, or each that may."""
    return ", or ".join(dict.fromkeys(map(_decider_text, deciders)))


def _decider_text(one: Decider) -> str:
    if one.rule_index is None:
        return f"{one.outcome} by the defaults"
    label = f"`{one.rule}`" if one.rule is not None else f"number {one.rule_index + 1}"
    return f"{one.outcome} by rule {label}"
