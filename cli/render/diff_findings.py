"""A diff as findings: for the formats that show them beside the lines of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from schemarouter.document.words import legible
from schemarouter.model.diagnostic import Finding, Related, Severity, Span
from schemarouter_cli.changes import FailOn, FileDiff
from schemarouter_cli.outcome import UNDECIDED, Outcome
from schemarouter_cli.render.diff_words import OUTCOMES, conditional_text, decider, place_text, subject
from schemarouter_cli.replay import replay

if TYPE_CHECKING:
    from schemarouter.analysis.changes import Change
    from schemarouter.compiler.records import Location

_START = Span(1, 1, 1, 1)
#: Code of a file that changed and means the same.
SAME = ("SR809", "no-semantic-change")


def as_outcome(files: Sequence[FileDiff], fail_on: FailOn) -> Outcome:
    """Every change as a finding at the rule that decides now; an error if it makes the command fail."""
    outcome = Outcome(files=[file.path for file in files])
    for file in files:
        outcome.findings += _findings(file, fail_on)
    outcome.findings.sort(key=lambda finding: finding.sort_key)
    return outcome


def _findings(file: FileDiff, fail_on: FailOn) -> Iterator[Finding]:
    if not file.changes and not file.diff.undecided:
        if file.old != file.new:
            yield Finding(
                *SAME, "info", "the policy decides as before", file.path, _START, fingerprint=_hash(file.name)
            )
        return
    for reason in file.diff.undecided:
        severity: Severity = "warning" if fail_on == "none" else "error"
        message = legible(f"not decided: {reason}")
        advice = "compare a smaller change, or simplify the patterns with many stars"
        mark = _hash(file.name, reason)
        yield Finding(UNDECIDED, "undecided", severity, message, file.path, _START, help=advice, fingerprint=mark)
    for change in file.changes:
        yield _finding(file, change, fail_on)


def _finding(file: FileDiff, change: Change, fail_on: FailOn) -> Finding:
    failing = fail_on == "any" or (fail_on == "widened" and change.direction == "widened")
    severity: Severity = "error" if failing else "warning" if change.direction == "widened" else "info"
    advice: list[str | None] = [conditional_text(change)]
    if change.witness is not None:
        advice.append(f"replay it: {replay(file, change.witness)}")
    here = change.new_location
    related: tuple[Related, ...] = ()
    if change.old_location is not None:
        if file.old is not None and file.old.revision is None:
            related = (Related("decided so far here", change.old_location.path, _span(change.old_location)),)
        else:  # no file of the checkout, where formats would look for it
            advice.insert(0, f"decided so far at {place_text(change.old_location)}")
    return Finding(
        change.code,
        change.name,
        severity,
        legible(message(file, change)),
        here.path if here is not None else file.path,
        _span(here) if here is not None else _START,
        help=legible("; ".join(filter(None, advice))) or None,
        rule=change.new_rule or change.old_rule,
        related=related,
        witness=change.witness,
        fingerprint=_hash(file.name, change.code, change.operations, change.before, change.after),
    )


def message(file: FileDiff, change: Change) -> str:
    """A change in one line."""
    if change.kind != "decision":
        return f"{subject(change)}: `{change.before}` becomes `{change.after}`"
    old = decider(change.old_rule, change.old_location, file.old)
    new = decider(change.new_rule, change.new_location, file.new)
    before, after = OUTCOMES[change.before], OUTCOMES[change.after]
    return f"`{change.operations}` was {before} ({old}) and is {after} ({new})"


def _span(place: Location) -> Span:
    return Span(place.line, place.column, place.line, place.column + 1)


def _hash(*parts: str) -> str:
    return sha256("\n".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:16]
