"""Check several files: read each, lint it, and gather what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from schemarouter_cli import streams
from schemarouter_cli.discovery import find_policies, is_test
from schemarouter_cli.failure import CannotRun
from schemarouter_cli.files import STDIN, STDIN_NAME, read_bytes, refuse_overwriting
from schemarouter_cli.outcome import Outcome
from schemarouter_cli.text import display_path

if TYPE_CHECKING:
    from schemarouter.catalog.lock import Lock
    from schemarouter.catalog.records import Catalog
    from schemarouter.document.source import Format
    from schemarouter.lint.check import CheckReport
    from schemarouter.lint.invariants import InvariantFile
    from schemarouter_cli.fixing import Fixer
    from schemarouter_cli.settings import Settings


class CheckOptions(NamedTuple):
    """How to check. ``resolve`` says why a name has no callable; suppressions expire by ``today``. A ``lock`` is that of one policy.
    ``invariants`` are files of questions that must never come true. ``tests``: run the policy tests beside each policy, and
    look for rules that decide none.

    ``output_file`` is where the result will go, which must be none of the policies.
    """

    today: date

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    pedantic: bool = False
    allow_empty: bool = False
    format: Format | None = None
    stdin_filename: str | None = None
    resolve: Callable[[str], str | None] | None = None
    catalog: Catalog | None = None
    lock: Lock | None = None
    tests: bool = False
    invariants: tuple[str, ...] = ()
    output_file: str | None = None


def check_files(paths: Sequence[str], settings: Settings, options: CheckOptions, fixer: Fixer | None = None) -> Outcome:
    """Check the policies that ``paths`` and ``settings`` name; with a ``fixer`` fix them, and report what is left.

    A file that cannot be read does not hide the others.
    """
    outcome = Outcome()
    found = find_policies(paths, settings, allow_empty=options.allow_empty)
    refuse_overwriting(options.output_file, found)
    if options.lock is not None and len(found) > 1:
        raise CannotRun("a lock belongs to one policy, and there are several to check", "name the policy that it is of")
    if options.catalog is not None:
        outcome.loads = {}
    invariants = list(_read_invariants(options.invariants, outcome))
    for path in found:
        try:
            if is_test(path):
                _check_tests(path, outcome)
            else:
                _check_file(path, options, outcome, fixer, invariants)
        except CannotRun as error:
            outcome.failures += 1
            streams.tell_failure(error)
    outcome.findings.sort(key=lambda finding: finding.sort_key)
    return outcome


def _read_invariants(paths: Sequence[str], outcome: Outcome) -> Iterator[InvariantFile]:
    """The files of invariants; what is wrong with one of them is a finding, and the others are asked all the same."""
    from schemarouter.document.limits import MAX_BYTES
    from schemarouter.document.reader import detect_format
    from schemarouter.lint.invariants import read_invariants

    for path in paths:
        raw = read_bytes(path, MAX_BYTES)
        shown = display_path(path)
        read = read_invariants(raw, shown, detect_format(shown, raw))
        outcome.files.append(shown)
        outcome.add(shown, raw, read.findings, read.source)
        if read.file is not None:
            yield read.file


def _check_file(
    path: str, options: CheckOptions, outcome: Outcome, fixer: Fixer | None, invariants: Sequence[InvariantFile]
) -> None:
    from schemarouter.document.limits import MAX_BYTES
    from schemarouter.document.reader import detect_format
    from schemarouter.lint.check import check_policy

    raw = read_bytes(path, MAX_BYTES)
    shown = display_path(path)
    if path == STDIN:
        shown = options.stdin_filename or STDIN_NAME
    format_ = options.format or detect_format(shown, raw)

    def check(text: bytes) -> CheckReport:
        tested = _tested(shown if path == STDIN else path, text, outcome) if options.tests else None
        return check_policy(
            text,
            shown,
            format_,
            select=options.select,
            ignore=options.ignore,
            pedantic=options.pedantic,
            resolve=options.resolve,
            today=options.today,
            catalog=options.catalog,
            lock=options.lock,
            tested=tested,
            invariants=invariants,
        )

    if fixer is None:
        report = check(raw)
    else:
        raw, report = fixer.fix(path, shown, raw, check)
    outcome.files.append(shown)
    outcome.suppressed += report.suppressed
    outcome.add(shown, raw, report.findings, report.source)
    if options.catalog is not None and report.graph is not None and outcome.loads is not None:
        from schemarouter.catalog.decisions import approval_load, decide_all

        outcome.loads[shown] = approval_load(decide_all(report.graph, options.catalog))


def _check_tests(path: str, outcome: Outcome) -> None:
    """Check a file of policy tests that was named, as in ``check *.yaml``: whether it can be run, not whether it passes."""
    from schemarouter.testkit.collect import Collection, CollectionError

    collection = Collection()
    try:
        collection.add(path)
    except CollectionError as error:
        raise CannotRun(str(error), error.help) from None
    shown = display_path(path)
    outcome.files.append(shown)
    outcome.findings += (finding for finding in collection.findings if finding.path == shown)
    outcome.texts |= {name: text for name, text in collection.texts.items() if name == shown}


def _tested(path: str, raw: bytes, outcome: Outcome) -> frozenset[int] | None:
    """The rules that decide a test; what is wrong with the files of tests goes into ``outcome``, once."""
    from schemarouter.testkit.collect import CollectionError
    from schemarouter.testkit.coverage import tested_rules

    try:
        tested = tested_rules(path, raw)
    except CollectionError as error:
        raise CannotRun(str(error), error.help) from None
    outcome.findings += (finding for finding in tested.findings if finding not in outcome.findings)
    outcome.texts |= tested.texts
    outcome.files += (name for name in tested.texts if name not in outcome.files)
    return tested.rules
