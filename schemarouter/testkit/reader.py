"""From text to a file of tests: the passes of the policy reader, with other models. Never raises for what a file says."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from schemarouter.document.codes import READER_CODES
from schemarouter.document.collector import collector_paused
from schemarouter.document.findings import MAX_PROBLEMS, START, to_findings
from schemarouter.document.scalars import scalar_problems
from schemarouter.document.text import read_source
from schemarouter.model.diagnostic import Problem, Target
from schemarouter.testkit.model import TestDocument
from schemarouter.testkit.shape import shape_problems
from schemarouter.testkit.words import TEST_FILE

if TYPE_CHECKING:
    from schemarouter.document.source import Format, Source
    from schemarouter.model.diagnostic import Finding

#: pydantic has several errors for one place where a type is a union.
_ERRORS_PER_PROBLEM = 6


class ReadTests(NamedTuple):
    """What reading a file of tests gave. ``document`` is ``None`` exactly if a finding of severity ``error`` exists."""

    document: TestDocument | None
    source: Source | None
    findings: tuple[Finding, ...]


def read_tests(raw: bytes | str, path: str, format: Format) -> ReadTests:  # noqa: A002 - the word of the whole package
    """Read a file of tests, without looking at the policy that it is about. ``path`` is what findings call the file."""
    with collector_paused():
        source, problems = read_source(raw, path, format)
        document = None
        if source is not None:
            document, found = _structure(source)
            said: set[object] = {
                problem.at.path if isinstance(problem.at, Target) else problem.at
                for problem in problems
                if READER_CODES[problem.code].severity == "error"
            }
            problems += (problem for problem in found if not _said_before(problem, source, said))
        findings = tuple(to_findings(bounded(problems), source, path, codes=READER_CODES))
    failed = any(finding.severity == "error" for finding in findings)
    return ReadTests(None if failed else document, source, findings)


def bounded(problems: list[Problem]) -> list[Problem]:
    """No more of ``problems`` than anybody reads, and a word about the rest."""
    if len(problems) <= MAX_PROBLEMS:
        return problems
    message = f"more than {MAX_PROBLEMS:,} problems: the rest is not listed"
    help_ = "mend the ones that are listed, then read the file again"
    return [*problems[:MAX_PROBLEMS], Problem("SR010", message, START, help_)]


def _said_before(problem: Problem, source: Source, said: set[object]) -> bool:
    """Whether the tree holds a stand-in at the place of ``problem``, because something there could not be read."""
    if not said or not isinstance(problem.at, Target):
        return False
    return not said.isdisjoint((problem.at.path, source.locate(problem.at), source.locate(Target(problem.at.path))))


def _structure(source: Source) -> tuple[TestDocument | None, list[Problem]]:
    line = "version: 1" if source.format == "yaml" else "version = 1"
    if source.data is None and source.scalar(()) in (None, ("", True)):
        return None, [Problem("SR104", "the file is empty", START, f"a file of tests begins with `{line}`")]
    problems = scalar_problems(source, TEST_FILE)
    problems += islice(shape_problems(source), MAX_PROBLEMS + 1)
    try:
        return TestDocument.model_validate(source.data), problems
    except ValidationError as error:
        from schemarouter.document.explain import explain  # here, because a clean file needs none of it

        errors = error.errors(include_url=False)[: _ERRORS_PER_PROBLEM * (MAX_PROBLEMS + 1)]
        taken = {problem.at.path for problem in problems if isinstance(problem.at, Target)}
        return None, problems + list(explain(errors, source, taken, TEST_FILE))
