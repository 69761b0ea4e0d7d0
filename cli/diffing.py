"""Compare policy files pair by pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from schemarouter_cli.changes import FileDiff, suppression_changes
from schemarouter_cli.failure import CannotRun
from schemarouter_cli.outcome import Outcome
from schemarouter_cli.pairs import Pair, Text, named_pairs, revision_pairs
from schemarouter_cli.sides import Side, read_side

if TYPE_CHECKING:
    from schemarouter_cli.settings import Settings


def pairs_of(paths: Sequence[str], base: str | None, settings: Settings) -> Iterator[Pair]:
    """The pairs that the command line names."""
    from schemarouter.compiler.artifact import SIZE_LIMIT

    if base is not None:
        return revision_pairs(base, paths, settings, SIZE_LIMIT)
    return named_pairs(paths[0], paths[1], settings, SIZE_LIMIT)


def diff_pairs(pairs: Iterable[Pair], *, allow_empty: bool) -> tuple[list[FileDiff], Outcome]:
    """Compare every pair. The outcome holds the errors of sides that do not compile; their pairs are left out.

    No pair at all is a :class:`CannotRun`, unless ``allow_empty``.
    """
    files: list[FileDiff] = []
    broken = Outcome()
    today = date.today()
    found = False
    for pair in pairs:
        found = True
        old, new = (_side(text, broken, today) for text in (pair.old, pair.new))
        if all(side is None or side.graph is not None for side in (old, new)):
            files.append(_compare(pair.name, old, new))
    if not found and not allow_empty:
        raise CannotRun("no policy file found on either side", "name a file, or pass `--allow-empty`")
    return files, broken


def _side(text: Text | None, broken: Outcome, today: date) -> Side | None:
    if text is None:
        return None
    outcome = Outcome()
    side = read_side(text.raw, text.shown, outcome, today)
    if side.graph is None:  # of a side that compiles, warnings are the business of `check`
        broken.files += outcome.files
        broken.findings += outcome.findings
        broken.texts |= outcome.texts
    return side._replace(revision=text.revision)


def _compare(name: str, old: Side | None, new: Side | None) -> FileDiff:
    from schemarouter.analysis.diff import diff_policies

    diff = diff_policies(old.graph if old is not None else None, new.graph if new is not None else None)
    return FileDiff(name, old, new, replace(diff, changes=(*diff.changes, *suppression_changes(old, new))))
