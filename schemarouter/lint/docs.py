"""The documentation of the codes, which is the docstring of their modules: nothing is written twice.

A docstring starts with a sentence, followed by five sections in Markdown, :data:`SECTIONS`. The fenced blocks of
*Example* and *Instead* are whole policies; the tests check that the first triggers the code and the second does not.
"""

from __future__ import annotations

import re
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.document.words import closest, shown
from schemarouter.errors import SchemaRouterError
from schemarouter.lint import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemarouter.document.source import Format
    from schemarouter.model.diagnostic import Severity

SECTIONS = ("What it does", "Why it matters", "Example", "Instead", "Limits")

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```(yaml|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class UnknownCodeError(SchemaRouterError, LookupError):
    """There is no such code or name. ``help`` says what may have been meant."""

    def __init__(self, code_or_name: str, help: str) -> None:  # noqa: A002 - the name that the rest of the package uses
        super().__init__(f"{shown(code_or_name)} is no known code or name")
        self.code_or_name = code_or_name
        self.help = help

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.code_or_name, self.help))


class Snippet(NamedTuple):
    """A policy in the documentation, and its format."""

    format: Format
    text: str


class RuleDoc(NamedTuple):
    """What is documented of a code. ``summary`` is one sentence; ``sections`` hold Markdown, by their titles."""

    code: str
    name: str
    severity: Severity
    summary: str
    sections: Mapping[str, str]

    @property
    def markdown(self) -> str:
        """All of it, as one Markdown text."""
        parts = [f"# {self.code}: {self.name} ({self.severity})", self.summary]
        parts += (f"## {title}\n{text}" for title, text in self.sections.items())
        return "\n\n".join(parts) + "\n"

    def snippets(self, section: str) -> tuple[Snippet, ...]:
        """The policies in ``section``."""
        found = _FENCE.findall(self.sections.get(section, ""))
        return tuple(Snippet("toml" if format_ == "toml" else "yaml", text) for format_, text in found)


def rule_docs(code_or_name: str) -> RuleDoc:
    """The documentation of a code (``SR306``, in any case) or of its name (``allow-everything``).

    Raises :class:`UnknownCodeError`.
    """
    names = registry.names()
    code = code_or_name.upper()
    if code not in names:
        by_name = {name: known for known, name in names.items()}
        if code_or_name.lower() not in by_name:
            guess = closest(code_or_name, [*names, *by_name])
            raise UnknownCodeError(
                code_or_name, f"did you mean `{guess}`?" if guess else "`schemarouter rule` without a code lists them"
            )
        code = by_name[code_or_name.lower()]
    docstring = cleandoc(import_module(registry.modules()[code]).__doc__ or "")
    summary, *rest = _HEADING.split(docstring)
    sections = {title: text.strip("\n") for title, text in zip(rest[::2], rest[1::2], strict=True)}
    return RuleDoc(code, names[code], registry.codes()[code].severity, summary.strip(), sections)


def all_docs() -> tuple[RuleDoc, ...]:
    """The documentation of every code, in order."""
    return tuple(rule_docs(code) for code in registry.names())
