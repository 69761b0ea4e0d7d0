"""From text to a typed policy document. The order of the passes is data: :data:`PASSES`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.document.findings import to_findings

if TYPE_CHECKING:
    from collections.abc import Callable

    from schemarouter.document.source import Format, Source
    from schemarouter.document.v1 import PolicyDocument
    from schemarouter.model.diagnostic import Finding, Problem


class ReadResult(NamedTuple):
    """What reading a file gave. ``document`` is ``None`` exactly if a finding of severity ``error`` exists."""

    document: PolicyDocument | None
    source: Source | None
    findings: tuple[Finding, ...]


class Reading:
    """A file while it is being read: what the passes so far made of it."""

    __slots__ = ("document", "format", "path", "raw", "source")

    def __init__(self, raw: bytes | str, path: str, format: Format) -> None:  # noqa: A002 - the word for it everywhere in this package
        self.raw = raw
        self.path = path
        self.format = format
        self.source: Source | None = None
        self.document: PolicyDocument | None = None


class Pass(NamedTuple):
    """One pass: its name, what it does, and why it stands after the one above it."""

    name: str
    run: Callable[[Reading], list[Problem]]
    because: str


def _tree(reading: Reading) -> list[Problem]:
    from schemarouter.document.text import read_source  # lazily: the parser of the format is the larger part

    reading.source, problems = read_source(reading.raw, reading.path, reading.format)
    return problems


def _structure(reading: Reading) -> list[Problem]:
    from schemarouter.document.structure import read_structure  # lazily: pydantic is the larger part

    if reading.source is None:
        return []
    reading.document, problems = read_structure(reading.source)
    return problems


PASSES: tuple[Pass, ...] = (
    Pass("tree", _tree, "first: bytes have to be text, and text a tree, before a key can be named"),
    Pass("structure", _structure, "keys and types are looked up in a tree"),
)


def read_policy(raw: bytes | str, path: str, format: Format) -> ReadResult:  # noqa: A002 - the word for it everywhere in this package
    """Read a policy file. Never raises for anything that stands in ``raw``; everything wrong is a finding.

    ``path`` is what findings call the file. A file with an error gives no document at all.
    """
    reading = Reading(raw, path, format)
    problems: list[Problem] = []
    for one in PASSES:
        problems += one.run(reading)
    findings = tuple(to_findings(problems, reading.source, path)) if problems else ()
    failed = any(finding.severity == "error" for finding in findings)
    return ReadResult(None if failed else reading.document, reading.source, findings)


_TOML_LINE = re.compile(
    r"""\s*(?:\[\[?[\w."' -]+\]\]?\s*(?:#.*)?$|["']?[\w.-]+["']?(?:\s*\.\s*["']?[\w-]+["']?)*\s*=)"""
)


def detect_format(path: str, text: bytes | str) -> Format:
    """Tell YAML from TOML: by the ending of ``path``, else by the first line that is neither blank nor a comment."""
    ending = path.rpartition(".")[2].lower() if "." in path else ""
    if ending == "toml":
        return "toml"
    if ending in {"yaml", "yml"}:
        return "yaml"
    sample = text[:65_536]
    if isinstance(sample, bytes):
        sample = sample.decode("utf-8-sig", "replace")
    for line in sample.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return "toml" if _TOML_LINE.match(line) else "yaml"
    return "yaml"
