"""Run policy tests: what ``schemarouter test`` and a test suite in Python call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.testkit.collect import Collection, Policy, collect
from schemarouter.testkit.mutation import MutationReport, mutate
from schemarouter.testkit.results import CaseResult, Coverage, permille_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from schemarouter.model.diagnostic import Finding


class PolicyReport(NamedTuple):
    """What the tests of one policy gave. ``files`` are the files of tests; ``mutation`` is ``None`` unless it was asked for.

    Mutants are tried only where all tests pass.
    """

    path: str
    files: tuple[str, ...]
    results: tuple[CaseResult, ...]
    coverage: Coverage
    mutation: MutationReport | None = None


class TestReport(NamedTuple):
    """What a run of policy tests gave. ``findings`` are what is wrong with files; nothing was run of one with an error."""

    policies: tuple[PolicyReport, ...]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that keep tests from being run."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def results(self) -> tuple[CaseResult, ...]:
        """The results of all policies, in order."""
        return tuple(result for policy in self.policies for result in policy.results)

    @property
    def passed(self) -> int:
        """How many expectations came true."""
        return sum(result.ok for result in self.results)

    @property
    def failed(self) -> int:
        """How many did not."""
        return sum(not result.ok for result in self.results)

    @property
    def rules(self) -> int:
        """Rules of all policies."""
        return sum(len(policy.coverage.rules) for policy in self.policies)

    @property
    def covered(self) -> int:
        """Rules that decided a test."""
        return sum(policy.coverage.covered for policy in self.policies)

    @property
    def ok(self) -> bool:
        """Whether every file could be read, there was a test, and all of them passed."""
        return not self.errors and bool(self.results) and not self.failed

    def __str__(self) -> str:
        """What is wrong, one line each, and a summary: for the message of an assertion."""
        lines = [
            f"{one.path}:{one.span.line}:{one.span.column}: {one.code}[{one.name}] {one.message}"
            for one in self.findings
        ]
        lines += (
            f"{one.path}:{one.line}:{one.column}: {one.name}: expected {one.expected}, got {one.actual}"
            for one in self.results
            if not one.ok
        )
        share = permille_text(self.covered, self.rules)
        lines.append(f"{self.passed} passed, {self.failed} failed, {share} of {self.rules} rules covered")
        return "\n".join(lines)


TestReport.__test__ = False  # type: ignore[attr-defined]  # pytest would collect a class of this name


def run_tests(*paths: str | os.PathLike[str], mutate: bool = False) -> TestReport:
    """Run the policy tests of ``paths``: files of tests, or policies with the files beside them (`x.test.yaml`).

    With ``mutate``, mutants of each policy whose tests pass are tried as well. Never raises for what a file says; raises
    :class:`~schemarouter.testkit.collect.CollectionError` for a file that cannot be read.

    In a test suite: ``report = run_tests("policies/desk.yaml"); assert report.ok, report``.
    """
    return report_on(collect([os.fspath(path) for path in paths]), mutate_all=mutate)


def report_on(
    collection: Collection, *, mutate_all: bool = False, cancelled: Callable[[], bool] | None = None
) -> TestReport:
    """Run everything that was collected."""
    policies = tuple(_report(policy, mutate_all, cancelled) for policy in collection.policies)
    return TestReport(policies, tuple(sorted(collection.findings, key=lambda one: one.sort_key)))


def _report(policy: Policy, mutate_it: bool, cancelled: Callable[[], bool] | None) -> PolicyReport:
    suite = policy.suite
    ran = suite.run()
    results = tuple(verdict.result for several in ran.verdicts for verdict in several)
    mutation = None
    if mutate_it and all(result.ok for result in results):
        mutation = mutate(suite, policy.source, cancelled=cancelled)
    return PolicyReport(policy.path, policy.files, results, ran.coverage, mutation)
