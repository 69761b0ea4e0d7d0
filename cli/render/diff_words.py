"""What the formats of a diff say in the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from schemarouter_cli.changes import FileDiff, combined
from schemarouter_cli.render.plain import attributes_text, dump
from schemarouter_cli.text import count

if TYPE_CHECKING:
    from schemarouter.analysis.changes import Change, Direction
    from schemarouter.compiler.records import Location
    from schemarouter.model.diagnostic import Call
    from schemarouter_cli.sides import Side

OUTCOMES = {"allow": "allowed", "approval": "allowed after approval", "deny": "denied"}
DIRECTIONS: tuple[Direction, ...] = ("widened", "narrowed", "neutral")
#: What is said about changes whose direction counts for nothing.
NEUTRAL = "no more and no less authority"
KINDS = {
    "approval_mode": "approval mode",
    "callback": "approval callback",
    "hook": "hooks",
    "suppression": "suppression",
}


def outcome_word(change: Change, value: str) -> str:
    """``before`` or ``after`` of a change, for people."""
    return OUTCOMES.get(value, value) if change.kind == "decision" else value


def decider(name: str | None, place: Location | None, side: Side | None) -> str:
    """Who decides on one side of a decision."""
    if side is None:
        return "no file: nothing is allowed"
    if name is not None:
        return f"rule `{name}`"
    return "an unnamed rule" if place is not None else "the category guards"


def place_text(place: Location | None) -> str:
    """``path:line:column``, or nothing."""
    return f"{place.path}:{place.line}:{place.column}" if place is not None else ""


def subject(change: Change) -> str:
    """What a change is about: the operations of a decision, else the kind of setting."""
    if change.kind == "decision":
        return change.operations
    kind = KINDS.get(change.kind, change.kind)
    return f"{kind} of {change.operations}" if change.operations else kind


def witness_text(call: Call) -> str:
    """A witness in words: ``jobs.delete (remote, mutating, destructive)``, with arguments as JSON."""
    arguments = f", arguments {dump(call.arguments)}" if call.arguments else ""
    return f"{call.operation} ({attributes_text(call.remote, call.read_only, call.destructive)}{arguments})"


def conditional_text(change: Change) -> str | None:
    """What to know about a change that depends on arguments."""
    if not change.conditional:
        return None
    if change.witness is None:
        return "depends on arguments, for which no example could be constructed"
    return "depends on arguments: not every call of these operations is concerned"


def unlisted_text(file: FileDiff) -> str | None:
    """What to know about a file in which more differs than is listed."""
    if not file.diff.unlisted:
        return None
    return f"decisions differ in more places than these {len(file.changes)}; the others are not listed"


def numbers(files: Sequence[FileDiff]) -> str:
    """``3 widened and 1 narrowed in 2 files``."""
    found = Counter(change.direction for file in files for change in file.changes)
    undecided = sum(len(file.diff.undecided) for file in files)
    parts = [f"{found[direction]} {direction}" for direction in DIRECTIONS if found[direction]]
    parts += [f"{undecided} undecided"] if undecided else []
    listed = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return f"{listed or 'no semantic change'} in {count(len(files), 'file')}"


def headline(files: Sequence[FileDiff]) -> str:
    """The verdict about all files, in words."""
    verdict = combined(file.verdict for file in files)
    return {
        "equivalent": "no semantic change",
        "widened": "authority is given",
        "narrowed": "authority is taken away",
        "mixed": "authority is given and taken away",
        "undecided": "undecided: not everything could be compared",
    }[verdict]
