"""What a diff found, as its renderers see it: changes file by file, the verdicts, and the exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from schemarouter.analysis.changes import Change, PolicyDiff, Verdict
    from schemarouter_cli.sides import Side, Suppressed

FailOn = Literal["widened", "any", "none"]

#: A comment decides nothing; what it hides from the next check is still worth a look in a review.
SUPPRESSION_CODE = "SR817"


class FileDiff(NamedTuple):
    """One policy file before and after. ``None`` is a side that does not exist: nothing is allowed there."""

    name: str
    old: Side | None
    new: Side | None
    diff: PolicyDiff

    @property
    def verdict(self) -> Verdict:
        """The verdict about this file."""
        return self.diff.verdict

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes, widened ones first."""
        return self.diff.changes

    @property
    def path(self) -> str:
        """The file as it is called where it exists: as it is now, else as it was."""
        side = self.new or self.old
        return side.path if side is not None else self.name

    @property
    def title(self) -> str:
        """The verdict in words, and whether the file is new or deleted."""
        words = "no semantic change" if self.verdict == "equivalent" else self.verdict
        return f"{words} (new file)" if self.old is None else f"{words} (deleted file)" if self.new is None else words


def combined(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict about several files."""
    found = set(verdicts) - {"equivalent"}
    if "undecided" in found:
        return "undecided"
    if not found:
        return "equivalent"
    return found.pop() if len(found) == 1 else "mixed"


def fails(files: Sequence[FileDiff], fail_on: FailOn) -> bool:
    """Whether a diff fails: by default on everything that gives authority or may do so (SPEC 12)."""
    if fail_on == "any":
        return any(file.verdict != "equivalent" or file.changes for file in files)
    return fail_on == "widened" and any(file.verdict in ("widened", "mixed", "undecided") for file in files)


def suppression_changes(old: Side | None, new: Side | None) -> list[Change]:
    """Suppressions that one side has and the other has not. Rules are told apart by name, so that moving one is no change."""
    from schemarouter.analysis.changes import Change
    from schemarouter.compiler.records import Location

    before, after = _suppressed(old), _suppressed(new)
    changes: list[Change] = []
    for side, mine, others in ((old, before, after), (new, after, before)):
        missing = Counter(map(_key, mine)) - Counter(map(_key, others))
        for one in mine:
            if side is None or missing[_key(one)] <= 0:
                continue
            missing[_key(one)] -= 1
            place = Location(side.path, one.span.line, one.span.column)
            text = f"{one.code} suppressed: {one.reason}"
            added = side is new
            changes.append(
                Change(
                    kind="suppression",
                    code=SUPPRESSION_CODE,
                    direction="neutral",
                    before="not suppressed" if added else text,
                    after=text if added else "not suppressed",
                    operations=one.block,
                    old_location=None if added else place,
                    new_location=place if added else None,
                )
            )
    return changes


def _suppressed(side: Side | None) -> tuple[Suppressed, ...]:
    return side.suppressed if side is not None else ()


def _key(one: Suppressed) -> tuple[str, str]:
    return one.code, one.block
