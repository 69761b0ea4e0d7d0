"""The two sides of a diff: policies that were read and compiled, and what their authors suppress."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from schemarouter_cli.outcome import Outcome
from schemarouter_cli.policies import read_artifact

if TYPE_CHECKING:
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.document.source import Format, Source
    from schemarouter.model.diagnostic import Span


class Suppressed(NamedTuple):
    """A code that a comment suppresses in one block of a policy: its label for people, and where the comment stands."""

    code: str
    block: str
    reason: str
    span: Span


class Side(NamedTuple):
    """One policy. ``graph`` is ``None`` exactly if the text has errors; an artifact has no suppressions to look at.

    ``revision`` is ``REV:path`` for git, if the text came from there.
    """

    path: str
    graph: EvaluationGraph | None
    suppressed: tuple[Suppressed, ...]
    revision: str | None = None


def read_side(raw: bytes, shown: str, outcome: Outcome, today: date, format_: Format | None = None) -> Side:
    """Compile ``raw``, called ``shown`` in findings; what is wrong with it goes into ``outcome``."""
    outcome.files.append(shown)
    artifact = read_artifact(raw, shown) if format_ is None else None
    if artifact is not None:
        return Side(shown, artifact, ())
    from schemarouter.document.reader import detect_format
    from schemarouter.loading import compile_text

    graph, source, findings = compile_text(raw, shown, format_ or detect_format(shown, raw))
    outcome.add(shown, raw, findings, source)
    return Side(shown, graph, tuple(_suppressed(source, today)) if graph is not None and source is not None else ())


def _suppressed(source: Source, today: date) -> list[Suppressed]:
    from schemarouter.lint import registry
    from schemarouter.lint.suppress import find_suppressions

    found, _ = find_suppressions(source, registry.names(), today)
    return [
        Suppressed(listed.code, _label(source.data, block), suppression.reason, suppression.span)
        for suppression in found
        for block in sorted(suppression.blocks, key=str)
        for listed in suppression.codes
    ]


def _label(data: object, block: tuple[str | int, ...]) -> str:
    """A block by what survives a reordering: ``rule `refunds` ``, or the name of the section."""
    value = data
    for step in block:
        value = value[step]  # type: ignore[index]  # the block was found in this data
    if len(block) == 1:
        return f"`{block[0]}`"
    name = value.get("name") if isinstance(value, dict) else None
    patterns = value.get("operation", block[1] + 1) if isinstance(value, dict) else block[1]  # type: ignore[operator]  # an index
    kind = {"rules": "rule", "classify": "classification", "invariants": "invariant"}.get(str(block[0]), str(block[0]))
    return f"{kind} `{name if isinstance(name, str) else patterns}`"
