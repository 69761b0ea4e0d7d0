"""Run policy tests for the command: find them, read them, and say what falls short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from schemarouter_cli import streams
from schemarouter_cli.discovery import find_tests, no_tests
from schemarouter_cli.failure import CannotRun
from schemarouter_cli.files import refuse_overwriting
from schemarouter_cli.settings import Settings

if TYPE_CHECKING:
    from schemarouter.testkit.run import PolicyReport, TestReport


class TestRun(NamedTuple):
    """What was run. ``failures`` counts the files that could not be read; ``texts`` are the files with findings."""

    report: TestReport
    texts: dict[str, str]
    failures: int


class Shortfall(NamedTuple):
    """A policy of which too little is covered or noticed: what is measured, how much there is, and how much is wanted."""

    path: str
    what: str
    part: int
    whole: int
    wanted: Decimal


class Thresholds(NamedTuple):
    """Percentages that each policy has to reach; ``None`` asks for nothing."""

    coverage: Decimal | None
    mutation: Decimal | None

    def missed(self, report: TestReport) -> list[Shortfall]:
        """What falls short, policy by policy."""
        return [one for policy in report.policies for one in self._missed(policy)]

    def _missed(self, policy: PolicyReport) -> Iterator[Shortfall]:
        from schemarouter.testkit.results import reaches

        coverage, mutation = policy.coverage, policy.mutation
        if self.coverage is not None and not reaches(coverage.covered, len(coverage.rules), self.coverage):
            yield Shortfall(policy.path, "rules", coverage.covered, len(coverage.rules), self.coverage)
        if mutation is None or self.mutation is None:
            return  # not asked for, or not tried because a test failed
        if not reaches(mutation.killed, mutation.counted, self.mutation):
            yield Shortfall(policy.path, "mutants", mutation.killed, mutation.counted, self.mutation)


def run_policy_tests(
    paths: Sequence[str], settings: Settings, *, mutate: bool, allow_empty: bool, output_file: str | None
) -> TestRun:
    """Run what ``paths`` and ``settings`` name. A file that cannot be read does not hide the others.

    Raises :class:`CannotRun` if there is no test at all, unless that is allowed.
    """
    from schemarouter.testkit.collect import Collection, CollectionError
    from schemarouter.testkit.run import report_on

    found = find_tests(paths, settings)
    refuse_overwriting(output_file, found)
    collection = Collection()
    failures = 0
    for path in found:
        try:
            collection.add(path)
        except CollectionError as error:
            failures += 1
            streams.tell_failure(CannotRun(str(error), error.help))
    report = report_on(collection, mutate_all=mutate)
    if not (report.results or report.findings or failures or allow_empty):
        raise no_tests(paths)
    return TestRun(report, collection.texts, failures)
