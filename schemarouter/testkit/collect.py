"""Which tests belong to which policy: read from files, and put together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from schemarouter.compiler.compile import compile_policy, locations_of
from schemarouter.compiler.examples import failed_examples
from schemarouter.document.findings import START, to_findings
from schemarouter.document.limits import MAX_BYTES
from schemarouter.document.reader import detect_format, read_policy
from schemarouter.document.words import shown
from schemarouter.errors import CatalogError, SchemaRouterError
from schemarouter.model.diagnostic import Problem, Target
from schemarouter.reading import read_bounded
from schemarouter.testkit.assemble import assemble
from schemarouter.testkit.examples import example_tests
from schemarouter.testkit.reader import read_tests
from schemarouter.testkit.suite import Suite

if TYPE_CHECKING:
    from schemarouter.catalog.records import Catalog
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.document.source import Source
    from schemarouter.document.v1 import PolicyDocument
    from schemarouter.model.diagnostic import Finding
    from schemarouter.testkit.assemble import Test
    from schemarouter.testkit.model import TestDocument

ENDINGS = (".yaml", ".yml", ".toml")
TEST_ENDINGS = tuple(f".test{ending}" for ending in ENDINGS)
#: No more of a catalog is read.
MAX_CATALOG = 64 * 1024 * 1024

Read = Callable[[str, int], bytes]


class CollectionError(SchemaRouterError):
    """A file that was named cannot be read. ``help`` says what to do."""

    def __init__(self, message: str, help: str | None = None) -> None:  # noqa: A002 - the name that the rest of the package uses
        super().__init__(message)
        self.help = help

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (str(self), self.help))


class Policy:
    """A policy that was read, with the tests that were collected for it so far."""

    def __init__(self, path: str, document: PolicyDocument, source: Source, graph: EvaluationGraph) -> None:
        self.path = path
        self.source = source
        self.graph = graph
        self.files: list[str] = []
        #: A file of tests has errors: then none of them are run, because what they cover would be half of the truth.
        self.broken = False
        self.tests: list[Test] = [*example_tests(document, source, graph)]

    @property
    def suite(self) -> Suite:
        """The policy with its tests."""
        return Suite(self.path, self.graph, self.tests)


class Collection:
    """Policies with their tests, gathered file by file. Errors in files are findings, and of such a policy nothing is run.

    ``read`` gives the bytes of a file, no more than a limit, and raises ``OSError`` or ``ValueError``. ``texts`` are the
    files with findings.
    """

    def __init__(self, read: Read = read_bounded) -> None:
        self.findings: list[Finding] = []
        self.texts: dict[str, str] = {}
        self._read = read
        self._policies: dict[str, Policy | None] = {}
        self._files: set[str] = set()

    @property
    def policies(self) -> list[Policy]:
        """Every policy that compiles and whose tests can be run, in the order in which they were added."""
        return [policy for policy in self._policies.values() if policy is not None and not policy.broken]

    def add(self, path: str) -> None:
        """Add a file of tests with its policy, or a policy with the files of tests beside it.

        Raises :class:`CollectionError` for a file that cannot be read.
        """
        if is_test_file(path):
            self._add_tests(path)
        else:
            policy = self._policy(path, self._bytes(path))
            for beside in tests_beside(path):
                self._add_tests(beside, policy)

    # Tests

    def _add_tests(self, path: str, about: Policy | None = None) -> None:
        key = os.path.realpath(path)
        if key in self._files:
            return
        self._files.add(key)
        raw = self._bytes(path)
        document, source, findings = read_tests(raw, legible_path(path), detect_format(path, raw))
        self._report(path, raw, source, list(findings))
        if document is None or source is None:
            if about is not None:
                about.broken = True
            return
        subject, problems = self._subject(path, document)
        catalog, more = self._catalog(path, document)
        problems += more
        policy = None if subject is None else self._policy(*subject)
        tests: list[Test] = []
        if policy is not None:
            policy.files.append(legible_path(path))
            tests, found = assemble(document, source, policy.graph, catalog)
            problems += found
            policy.broken |= bool(problems)
            policy.tests += tests
        self._refuse(path, raw, source, problems)

    def _subject(self, path: str, document: TestDocument) -> tuple[tuple[str, bytes] | None, list[Problem]]:
        """The policy that a file of tests is about: its path and its bytes."""
        if document.policy is not None:
            named = os.path.normpath(os.path.join(os.path.dirname(path), document.policy))
            at, help_ = Target(("policy",)), "write the path of the policy, relative to this file"
            return self._other(named, MAX_BYTES, at, "policy", help_)
        stem = _stem(path)
        beside = [stem + ending for ending in ENDINGS if os.path.lexists(stem + ending)]
        if len(beside) != 1:
            name = os.path.basename(stem)
            message = f"there is no policy {shown(name + '.yaml')} beside this file"
            if beside:
                message = f"there are {len(beside)} policies called {shown(name)} beside this file"
            return None, [Problem("SR102", message, START, "name the policy: `policy: PATH`, relative to this file")]
        return self._other(beside[0], MAX_BYTES, START, "policy", "mend the file")

    def _catalog(self, path: str, document: TestDocument) -> tuple[Catalog | None, list[Problem]]:
        if document.catalog is None:
            return None, []
        from schemarouter.catalog.file import read_catalog

        at = Target(("catalog",))
        named = os.path.normpath(os.path.join(os.path.dirname(path), document.catalog))
        found, problems = self._other(named, MAX_CATALOG, at, "catalog", "write the path, relative to this file")
        if found is None:
            return None, problems
        try:
            return read_catalog(found[1]), []
        except CatalogError as error:
            message = f"the catalog {shown(named)} cannot be used: {error}"
            return None, [Problem("SR110", message, at, "write it anew with `schemarouter catalog`")]

    def _other(
        self, path: str, limit: int, at: object, kind: str, help_: str
    ) -> tuple[tuple[str, bytes] | None, list[Problem]]:
        try:
            return (path, self._read(path, limit + 1)), []
        except (OSError, ValueError) as error:
            message = f"the {kind} {shown(legible_path(path))} cannot be read: {_reason(error)}"
            return None, [Problem("SR110", message, at, help_)]  # type: ignore[arg-type]  # a target or a span

    # Policies

    def _policy(self, path: str, raw: bytes) -> Policy | None:
        key = os.path.realpath(path)
        if key not in self._policies:
            self._policies[key] = self._read_policy(path, raw)
        return self._policies[key]

    def _read_policy(self, path: str, raw: bytes) -> Policy | None:
        name = legible_path(path)
        document, source, findings = read_policy(raw, name, detect_format(path, raw))
        self._report(path, raw, source, [finding for finding in findings if finding.severity == "error"])
        if document is None or source is None:
            return None
        graph = compile_policy(document, locations=locations_of(document, source))
        problems = failed_examples(document, graph)
        self._refuse(path, raw, source, problems)
        return None if problems else Policy(name, document, source, graph)

    # What is wrong

    def _refuse(self, path: str, raw: bytes, source: Source, problems: list[Problem]) -> None:
        self._report(path, raw, source, to_findings(problems, source, legible_path(path)))

    def _report(self, path: str, raw: bytes, source: Source | None, findings: list[Finding]) -> None:
        if findings:
            self.findings += findings
            self.texts[legible_path(path)] = source.text if source is not None else raw.decode("utf-8-sig", "replace")

    def _bytes(self, path: str) -> bytes:
        try:
            return self._read(path, MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            raise CollectionError(f"cannot read {shown(legible_path(path))}: {_reason(error)}") from None


def is_test_file(path: str) -> bool:
    """Whether the name of a file says that it holds policy tests: `x.test.yaml`, `.yml` or `.toml`."""
    name = os.path.basename(path)
    return name.endswith(TEST_ENDINGS) and not name.startswith(".")


def tests_beside(path: str) -> list[str]:
    """The files of tests that lie beside the policy ``path`` and are called after it."""
    stem, ending = os.path.splitext(path)
    if ending not in ENDINGS:
        return []
    return [stem + one for one in TEST_ENDINGS if os.path.isfile(stem + one)]


def legible_path(path: str) -> str:
    """A file name as text that every format of output can carry."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _stem(path: str) -> str:
    return path[: -len(next(ending for ending in TEST_ENDINGS if path.endswith(ending)))]


def _reason(error: Exception) -> str:
    if not isinstance(error, OSError):
        return "no legal file name"
    reason = error.strerror or type(error).__name__
    return reason[:1].lower() + reason[1:]


def collect(paths: Iterable[str], read: Read = read_bounded) -> Collection:
    """Collect the tests that ``paths`` name. Raises :class:`CollectionError` for a file that cannot be read."""
    collection = Collection(read)
    for path in paths:
        collection.add(path)
    return collection
