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
from schemarouter.testkit.assemble import assemble, known_operations
from schemarouter.testkit.examples import example_tests
from schemarouter.testkit.known import Names
from schemarouter.testkit.reader import bounded, read_tests
from schemarouter.testkit.references import check_references
from schemarouter.testkit.suite import Suite

if TYPE_CHECKING:
    from schemarouter.catalog.records import Catalog
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.document.source import Source
    from schemarouter.document.v1 import PolicyDocument
    from schemarouter.model.diagnostic import Finding, Span
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


class _TestFile:
    """A file of tests that was read. ``document`` is ``None`` exactly if it has errors of its own.

    ``catalog`` lists the operations that exist, if the file names one.
    """

    def __init__(self, path: str, raw: bytes, document: TestDocument | None, source: Source | None) -> None:
        self.path = path
        self.raw = raw
        self.document = document
        self.source = source
        self.catalog: Catalog | None = None
        self.broken = document is None

    def named(self, key: str) -> str | None:
        """The path at a key of the file, as far as that can be read."""
        data = None if self.source is None else self.source.data
        value = data.get(key) if isinstance(data, dict) else None
        return value if isinstance(value, str) and value else None


class Policy:
    """A policy that was read, with the tests that were collected for it so far."""

    def __init__(self, path: str, document: PolicyDocument, source: Source, graph: EvaluationGraph) -> None:
        self.path = path
        self.source = source
        self.graph = graph
        self.attached: list[_TestFile] = []
        #: A file of tests has errors: then none of them are run, because what they cover would be half of the truth.
        self.broken = False
        self.tests: list[Test] = [*example_tests(document, source, graph)]

    @property
    def files(self) -> tuple[str, ...]:
        """The files of tests that are about it."""
        return tuple(legible_path(file.path) for file in self.attached)

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
        self._files: dict[str, _TestFile] = {}
        self._said: set[tuple[object, ...]] = set()

    @property
    def policies(self) -> list[Policy]:
        """Every policy that compiles and whose tests can be run, in the order in which they were added."""
        return [policy for policy in self._policies.values() if policy is not None and not policy.broken]

    def add(self, path: str) -> None:
        """Add a file of tests with its policies, or a policy with the files of tests beside it.

        Raises :class:`CollectionError` for a file that cannot be read.
        """
        if is_test_file(path):
            file = self._file(path)
            for policy in self._subjects(file):
                self._attach(file, policy)
            return
        own = self._policy(path, self._bytes(path))
        for beside in tests_beside(path):
            file = self._file(beside)
            if file.named("policy") is not None:
                for policy in self._subjects(file):
                    self._attach(file, policy)
            elif own is not None:
                self._attach(file, own)

    # Tests

    def _file(self, path: str) -> _TestFile:
        """The file of tests ``path``, read once."""
        key = os.path.realpath(path)
        if key not in self._files:
            raw = self._bytes(path)
            document, source, findings = read_tests(raw, legible_path(path), detect_format(path, raw))
            file = self._files[key] = _TestFile(path, raw, document, source)
            self._report(path, raw, source, list(findings))
            self._refuse(file, self._read_catalog(file))
        return self._files[key]

    def _attach(self, file: _TestFile, policy: Policy) -> None:
        """Give ``policy`` the tests of ``file``, or take it out because they cannot be used."""
        if file in policy.attached:
            return
        policy.attached.append(file)
        if file.source is not None:
            data = file.source.data
            names = Names(policy.graph, known_operations(data, file.document, file.catalog))
            check_references(data, names)
            if file.document is not None:
                tests, problems = assemble(file.document, file.source, policy.graph, names)
                policy.tests += tests
                names.problems += problems
            self._refuse(file, names.problems)
        policy.broken |= file.broken

    def _subjects(self, file: _TestFile) -> list[Policy]:
        """The policies that a file of tests is about: the one that it names, else those that it is called after."""
        if file.source is None:
            return []
        named = file.named("policy")
        if named is not None:
            paths = [os.path.normpath(os.path.join(os.path.dirname(file.path), named))]
        else:
            stem = _stem(file.path)
            paths = [stem + ending for ending in ENDINGS if os.path.lexists(stem + ending)]
        at: Target | Span = START if named is None else Target(("policy",))
        policies, problems = [], []
        for path in paths:
            raw, problem = self._other(path, MAX_BYTES, at, named or os.path.basename(path), "policy")
            if raw is not None and (policy := self._policy(path, raw)) is not None:
                policies.append(policy)
            problems += problem
        if not paths and not file.broken:
            message = f"there is no policy {shown(os.path.basename(_stem(file.path)) + '.yaml')} beside this file"
            problems.append(Problem("SR102", message, at, "name the policy: `policy: PATH`, relative to this file"))
        self._refuse(file, problems)
        return policies

    def _read_catalog(self, file: _TestFile) -> list[Problem]:
        """Read the catalog that a file of tests names, if it names one."""
        named = file.named("catalog")
        if named is None:
            return []
        from schemarouter.catalog.file import read_catalog

        at = Target(("catalog",))
        path = os.path.normpath(os.path.join(os.path.dirname(file.path), named))
        raw, problems = self._other(path, MAX_CATALOG, at, named, "catalog")
        if raw is not None:
            try:
                file.catalog = read_catalog(raw)
            except CatalogError as error:
                message = f"the catalog {shown(named)} cannot be used: {error}"
                return [Problem("SR110", message, at, "write it anew with `schemarouter catalog`")]
        return problems

    def _other(
        self, path: str, limit: int, at: Target | Span, name: str, kind: str
    ) -> tuple[bytes | None, list[Problem]]:
        """A file that a file of tests refers to as ``name``: a relative path, because tests are moved with their policy."""
        if os.path.isabs(name):
            message = f"the path of the {kind} is absolute: {shown(legible_path(name))}"
            return None, [Problem("SR110", message, at, "write the path relative to this file")]
        try:
            return self._read(path, limit + 1), []
        except (OSError, ValueError) as error:
            message = f"the {kind} {shown(legible_path(name))} cannot be read: {_reason(error)}"
            return None, [Problem("SR110", message, at, "write its path, relative to this file")]

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
        self._report(path, raw, source, to_findings(problems, source, name))
        return None if problems else Policy(name, document, source, graph)

    # What is wrong

    def _refuse(self, file: _TestFile, problems: list[Problem]) -> None:
        if problems:
            file.broken = True
            found = to_findings(bounded(problems), file.source, legible_path(file.path))
            self._report(file.path, file.raw, file.source, found)

    def _report(self, path: str, raw: bytes, source: Source | None, findings: list[Finding]) -> None:
        if findings:
            # One file of tests may be about two policies, and wrong about both in the same way.
            for finding in findings:
                key = (finding.path, finding.span, finding.code, finding.message, finding.help)
                if key not in self._said:
                    self._said.add(key)
                    self.findings.append(finding)
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
