"""From text to a typed policy document. The order of the passes is data: :data:`PASSES`."""

from __future__ import annotations

import gc
import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.document.codes import READER_CODES
from schemarouter.document.findings import MAX_PROBLEMS, START, to_findings
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from schemarouter.document.source import Format, Source
    from schemarouter.document.text import Text
    from schemarouter.document.v1 import PolicyDocument
    from schemarouter.model.diagnostic import DocPath, Finding, Span


class ReadResult(NamedTuple):
    """What reading a file gave. ``document`` is ``None`` exactly if a finding of severity ``error`` exists."""

    document: PolicyDocument | None
    source: Source | None
    findings: tuple[Finding, ...]


class Reading:
    """A file while it is being read: what the passes so far made of it."""

    __slots__ = ("document", "format", "path", "raw", "source", "stand_ins", "text")

    def __init__(self, raw: bytes | str, path: str, format: Format) -> None:  # noqa: A002 - the word for it everywhere in this package
        self.raw = raw
        self.path = path
        self.format = format
        self.text: Text | None = None
        self.source: Source | None = None
        self.document: PolicyDocument | None = None
        #: Where the tree holds a stand-in because something there could not be read: paths and spans.
        self.stand_ins: set[DocPath | Span] = set()

    def has_stand_in(self, problem: Problem) -> bool:
        """Whether ``problem`` is about a stand-in: then all has been said about its place."""
        if not self.stand_ins or self.source is None or not isinstance(problem.at, Target):
            return False
        places = (problem.at.path, self.source.locate(problem.at), self.source.locate(Target(problem.at.path)))
        return not self.stand_ins.isdisjoint(places)


class Pass(NamedTuple):
    """One pass: its name, what it does, and why it stands after the one above it."""

    name: str
    run: Callable[[Reading], list[Problem]]
    because: str


def _text(reading: Reading) -> list[Problem]:
    from schemarouter.document.text import read_text  # here, as below: a pass is imported when it runs

    reading.text, problems = read_text(reading.raw)
    return problems


def _tree(reading: Reading) -> list[Problem]:
    from schemarouter.document.text import read_tree

    if reading.text is None:
        return []
    reading.source, problems = read_tree(reading.text, reading.path, reading.format)
    for problem in problems:
        if READER_CODES[problem.code].severity == "error":
            reading.stand_ins.add(problem.at.path if isinstance(problem.at, Target) else problem.at)
    return problems


def _structure(reading: Reading) -> list[Problem]:
    from schemarouter.document.structure import read_structure

    if reading.source is None:
        return []
    reading.document, problems = read_structure(reading.source)
    return [problem for problem in problems if not reading.has_stand_in(problem)]


def _references(reading: Reading) -> list[Problem]:
    from schemarouter.document.references import reference_problems

    return _listed(reference_problems, reading)


def _names(reading: Reading) -> list[Problem]:
    from schemarouter.document.namespass import name_problems

    return _listed(name_problems, reading)


def _listed(problems_of: Callable[[Source], Iterator[Problem]], reading: Reading) -> list[Problem]:
    if reading.source is None:
        return []
    found = (problem for problem in problems_of(reading.source) if not reading.has_stand_in(problem))
    return list(islice(found, MAX_PROBLEMS + 1))


#: The order of reading. Each pass behind the tree looks at whatever the earlier ones left readable, so that an error
#: in one place hides no error in another.
PASSES: tuple[Pass, ...] = (
    Pass(
        "text",
        _text,
        "first: what is no text has no lines and columns to say anything about",
    ),
    Pass(
        "tree",
        _tree,
        "both formats are parsed from characters that everybody sees and reads alike",
    ),
    Pass(
        "structure and types",
        _structure,
        "keys and types are looked up in a tree, and what they are decides which of them are names",
    ),
    Pass(
        "references",
        _references,
        "only what has a place in the document can refer to another place, or contradict it",
    ),
    Pass(
        "names",
        _names,
        "last: whether a name is legible is the least of its errors, and where one is missing or double was said before",
    ),
)


def read_policy(raw: bytes | str, path: str, format: Format) -> ReadResult:  # noqa: A002 - the word for it everywhere in this package
    """Read a policy file. Never raises for anything that stands in ``raw``; everything wrong is a finding.

    ``path`` is what findings call the file. A file with an error gives no document at all.
    """
    reading = Reading(raw, path, format)
    problems: list[Problem] = []
    collecting = gc.isenabled()
    gc.disable()  # many small objects, none of them garbage: collecting doubles the time
    try:
        for one in PASSES:
            found = one.run(reading)
            problems += found[:MAX_PROBLEMS]
            if len(found) > MAX_PROBLEMS:
                problems.append(_too_many(one))
    finally:
        if collecting:
            gc.enable()
    findings = tuple(to_findings(problems, reading.source, path)) if problems else ()
    failed = any(finding.severity == "error" for finding in findings)
    return ReadResult(None if failed else reading.document, reading.source, findings)


def _too_many(one: Pass) -> Problem:
    message = f"more than {MAX_PROBLEMS:,} problems with {one.name}: the rest is not listed"
    return Problem("SR010", message, START, "mend the ones that are listed, then read the file again")


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
