"""What two policies say differently beside decisions: approval, budgets, retries, hooks, invariants (SPEC 13)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from schemarouter.analysis.changes import Change, Direction
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.compiler.records import Budget, Retry

_MODES = ("never", "non_read_only", "all")
_UNLIMITED = "unlimited"
#: Fields of a budget that are one number each.
_LIMITS = ("max_tool_calls", "max_attempts", "max_remote_attempts", "max_elapsed_seconds", "max_cost_units")


def setting_changes(old: EvaluationGraph, new: EvaluationGraph) -> Iterator[Change]:
    """Every setting that differs, in a fixed order."""
    yield from _approval(old, new)
    yield from _budget(old.budget, new.budget)
    yield from _retry(old.retry, new.retry)
    yield from _hooks("before_call", old.hooks.before_call, new.hooks.before_call)
    yield from _hooks("after_call", old.hooks.after_call, new.hooks.after_call)
    yield from _invariants(old, new)


def _approval(old: EvaluationGraph, new: EvaluationGraph) -> Iterator[Change]:
    before, after = old.approval, new.approval
    if before.mode != after.mode:
        weaker = _MODES.index(after.mode) < _MODES.index(before.mode)
        yield Change(
            "approval_mode",
            "SR808" if weaker else "SR812",
            "widened" if weaker else "narrowed",
            f"mode: {before.mode}",
            f"mode: {after.mode}",
        )
    if before.callback != after.callback:
        # Who is asked is authority too, and nothing here can say whether another one is stricter: without one,
        # approval cannot be had.
        direction: Direction = "narrowed" if after.callback is None else "widened"
        yield Change("callback", "SR814", direction, _named(before.callback), _named(after.callback))


def _named(callback: str | None) -> str:
    return "no callback" if callback is None else f"callback: {callback}"


def _budget(old: Budget | None, new: Budget | None) -> Iterator[Change]:
    for field in _LIMITS:
        before = None if old is None else getattr(old, field)
        after = None if new is None else getattr(new, field)
        yield from _limit(field, before, after)
    yield from _limits_by_tool(_map(old, "per_tool_calls"), _map(new, "per_tool_calls"))
    yield from _weights(_map(old, "cost_units"), _map(new, "cost_units"))


def _map(budget: Budget | None, field: str) -> Mapping[str, object]:
    values: Mapping[str, object] = {} if budget is None else getattr(budget, field)
    return values


def _limit(field: str, before: object, after: object) -> Iterator[Change]:
    if _number(before) == _number(after):
        return
    looser = after is None or (before is not None and _amount(after) > _amount(before))
    code = "SR806" if after is None else "SR805" if looser else "SR810"
    text = f"{field}: {_shown(after)}"
    if before is not None and after is not None:
        difference = _amount(after) - _amount(before)
        text += f" ({'+' if difference > 0 else '-'}{_plain(abs(difference))})"
    yield Change("budget", code, "widened" if looser else "narrowed", f"{field}: {_shown(before)}", text)


def _limits_by_tool(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[Change]:
    for tool in sorted({*before, *after}):
        yield from _limit(f"per_tool_calls of {tool}", before.get(tool), after.get(tool))


def _weights(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[Change]:
    for key in sorted({*before, *after}):
        one, other = before.get(key), after.get(key)
        if _number(one) == _number(other):
            continue
        # A key that is gone leaves its operations to the tool's weight or to `*`: lighter, or heavier.
        lighter = _weight(after, key) < _weight(before, key)
        yield Change(
            "budget",
            "SR805" if lighter else "SR810",
            "widened" if lighter else "narrowed",
            f"cost_units of {key}: {_plain(_weight(before, key))}",
            f"cost_units of {key}: {_plain(_weight(after, key))}",
        )


def _weight(weights: Mapping[str, object], key: str) -> Decimal:
    """What an attempt under ``key`` costs: its own weight, its tool's, that of ``*``, else 0."""
    for name in (key, key.rpartition(".")[0], "*"):
        if name in weights:
            return _amount(weights[name])
    return Decimal(0)


def _retry(old: Retry | None, new: Retry | None) -> Iterator[Change]:
    if old == new:
        return
    # Without a `retry` block the policy sets no ceiling, and a run may bring its own.
    for field in Retry._fields:
        before = None if old is None else getattr(old, field)
        after = None if new is None else getattr(new, field)
        if before == after and (old is None) == (new is None):
            continue
        yield Change("retry", "SR813", _retry_direction(field, before, after), *_texts(field, before, after))


def _retry_direction(field: str, before: object, after: object) -> Direction:
    if field in ("max_attempts", "retry_non_read_only"):
        if after is None:
            return "widened"
        if before is None:
            return "narrowed"
        return "widened" if _amount(after) > _amount(before) else "narrowed"
    # Waiting longer or shorter gives nobody more authority: attempts are what count.
    return "neutral"


def _texts(field: str, before: object, after: object) -> tuple[str, str]:
    return f"{field}: {_shown(before)}", f"{field}: {_shown(after)}"


def _hooks(slot: str, before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[Change]:
    if before == after:
        return
    lost = [name for name in before if before.count(name) > after.count(name)]
    gained = [name for name in after if after.count(name) > before.count(name)]
    texts = (f"{slot}: {', '.join(before) or 'none'}", f"{slot}: {', '.join(after) or 'none'}")
    if lost:
        yield Change("hook", "SR807", "widened", *texts)
    if gained:
        yield Change("hook", "SR811", "narrowed", *texts)
    if not lost and not gained:
        yield Change("hook", "SR811", "neutral", *texts)


def _invariants(old: EvaluationGraph, new: EvaluationGraph) -> Iterator[Change]:
    before = {one.name: one.never for one in old.invariants}
    after = {one.name: one.never for one in new.invariants}
    for name in sorted({*before, *after}):
        if before.get(name) == after.get(name):
            continue
        # An invariant that is gone, or asks something else, no longer holds anybody back.
        direction: Direction = "narrowed" if name not in before else "widened"
        texts = (f"never: {before.get(name, 'nothing')}", f"never: {after.get(name, 'nothing')}")
        yield Change("invariant", "SR816", direction, *texts, operations=name)


def _number(value: object) -> Decimal | None:
    return None if value is None else _amount(value)


def _amount(value: object) -> Decimal:
    return Decimal(str(int(value) if isinstance(value, bool) else value))


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _shown(value: object) -> str:
    if value is None:
        return _UNLIMITED
    if isinstance(value, bool):
        return str(value).lower()
    return _plain(_amount(value))
