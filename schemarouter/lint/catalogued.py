"""Questions about a policy and a catalog that several rules ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.compiler.records import predicate_mask
from schemarouter.document.words import closest, shown
from schemarouter.lint.patterns import is_literal
from schemarouter.match.classes import class_index
from schemarouter.match.pattern import matches
from schemarouter.model.diagnostic import Call

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemarouter.catalog.records import Catalog, Operation
    from schemarouter.lint.context import LintContext, PatternAt

#: Names that a guess looks at; comparing words with many more would take longer than the check.
MAX_GUESSES = 5_000
#: Findings of one code that come with a guess, and dots of a pattern at which its tool may end.
GUESSED = 50
_DOTS = 3


def guess(pattern: str, catalog: Catalog) -> str | None:
    """What was probably meant by a pattern that matches nothing: a pattern or name that matches something, or ``None``."""
    dots = [position for position, character in enumerate(pattern) if character == "."]
    for position in dots[:_DOTS]:
        key, rest = pattern[:position], pattern[position:]
        if not is_literal(key):
            break
        near = None if key in catalog.keys else closest(key, _few(catalog.keys))
        if near is not None and any(matches(near + rest, operation.operation) for operation in catalog):
            return near + rest
    tool = next((key for key in catalog.keys if pattern.startswith(f"{key}.")), None)
    names = (each.operation for each in catalog if tool is None or each.tool == tool)
    return closest(pattern.replace("*", ""), _few(names))


def _few(names: Iterable[str]) -> list[str]:
    found = sorted(names)
    return found if len(found) <= MAX_GUESSES else []


def advice(pattern: str, catalog: Catalog, number: int) -> str:
    """The help for a pattern that matches nothing; only the first findings, by their ``number``, come with a guess."""
    near = guess(pattern, catalog) if number < GUESSED else None
    if near is not None:
        return f"did you mean {shown(near)}?"
    return "take it out, or write the catalog again if the tool is new: `schemarouter catalog`"


def decided_by(policy: LintContext, pattern: PatternAt) -> tuple[Operation, ...]:
    """The operations that a pattern of a rule matches and whose effective attributes its predicates let pass."""
    mask = predicate_mask(policy.graph.rules[pattern.entry].predicates)
    return tuple(
        operation
        for operation in policy.matched[pattern]
        if mask >> class_index(*policy.graph.effective(operation.operation, *operation.attributes)) & 1
    )


def call_of(operation: Operation) -> Call:
    """A call of ``operation`` as a witness, its arguments not known."""
    return Call(operation.operation, *operation.attributes)


def some_of(names: Iterable[str], limit: int = 3) -> str:
    """The first of ``names`` in back-ticks, and how many more there are."""
    listed = list(names)
    text = ", ".join(shown(name) for name in listed[:limit])
    return text if len(listed) <= limit else f"{text} and {len(listed) - limit} more"
