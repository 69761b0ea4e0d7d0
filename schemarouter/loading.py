"""Load a policy for use in an application: a file or text, or a compiled artifact, with its callables."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from schemarouter.compiler.decide import one_line
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.errors import PolicyError
from schemarouter.named_callables import UNRESOLVABLE, resolve_callables
from schemarouter.reading import read_bounded

if TYPE_CHECKING:
    from schemarouter.document.source import Format, Source
    from schemarouter.model.diagnostic import Finding, Problem

Check = Literal["structure", "full"]

#: The code of a question about the policy that could not be decided: as good as an error for whoever asked for a full check.
_UNDECIDED = "SR903"
#: What findings call a text that came from no file.
TEXT = "<text>"
#: No more of a file is read; both readers refuse smaller ones already.
_READ_LIMIT = 256 * 1024 * 1024 + 1
_TEXT = re.compile(r"\s*(\{|version\s*[:=])")
_ARTIFACT = re.compile(r"\s*\{\s*\"format\"\s*:\s*\"schemarouter\.")


class LoadedPolicy(NamedTuple):
    """A graph, and the callable for each name in it: what an executor needs."""

    graph: EvaluationGraph
    callables: Mapping[str, Callable[..., Any]]


def load_policy(
    path_or_text: str | os.PathLike[str],
    *,
    hooks: Mapping[str, Callable[..., Any]] | None = None,
    callbacks: Mapping[str, Callable[..., Any]] | None = None,
    allow_imports: Sequence[str] = (),
    expect_digest: str | None = None,
    check: Check = "structure",
) -> LoadedPolicy:
    """Read, compile and resolve a policy, all or nothing.

    A ``str`` with a line break, or one that begins with ``version:``, ``version =`` or ``{``, is text; any other ``str``
    and every ``PathLike`` is a path. A file that ends in ``.json`` is a compiled artifact, one in ``.toml`` is TOML;
    text is told by how it begins.

    ``hooks`` and ``callbacks`` supply callables by the names that the policy uses. ``allow_imports`` lists modules
    (``"myapp."``: it and what lies below it) from which a name such as ``myapp.hooks:audit`` may be imported.
    ``expect_digest`` pins the policy. ``check="full"`` lints it as ``schemarouter check`` does, and refuses any error
    and whatever could not be decided.

    Raises :class:`~schemarouter.errors.PolicyError` with every finding if the policy cannot be used, and
    :class:`~schemarouter.errors.ArtifactError`, one of these, for a compiled artifact.
    """
    if check not in ("structure", "full"):
        raise ValueError('check is "structure" or "full"')
    path, raw = read_policy_text(path_or_text)
    return load_bytes(
        raw,
        path,
        hooks=hooks,
        callbacks=callbacks,
        allow_imports=allow_imports,
        expect_digest=expect_digest,
        check=check,
    )


def load_bytes(
    raw: str | bytes,
    path: str,
    *,
    hooks: Mapping[str, Callable[..., Any]] | None = None,
    callbacks: Mapping[str, Callable[..., Any]] | None = None,
    allow_imports: Sequence[str] = (),
    expect_digest: str | None = None,
    check: Check = "structure",
    callback: Callable[..., Any] | None = None,
) -> LoadedPolicy:
    """As :func:`load_policy`, for what was read from ``path`` already.

    ``callback`` stands for the callback that the policy names, whatever its name, where ``callbacks`` does not supply one.
    """
    if path.lower().endswith(".json") or _ARTIFACT.match(raw if isinstance(raw, str) else raw[:200].decode("latin-1")):
        if check == "full":
            raise PolicyError(f"`{path}` is a compiled artifact, which cannot be linted", help="load the policy file")
        from schemarouter.compiler.artifact import load_artifact

        graph, source = load_artifact(raw, expect_digest), None
    else:
        graph, source = _compile(raw, path, check)
        if expect_digest is not None and graph.digest != expect_digest:
            raise PolicyError(
                f"`{path}` is not the policy that is expected: its digest is `{graph.digest}`",
                help="review the policy, then change the expected digest",
            )
    named = graph.approval.callback
    supplied = {named: callback, **(callbacks or {})} if callback is not None and named is not None else callbacks or {}
    callables, problems = resolve_callables(graph, hooks or {}, supplied, allow_imports)
    if problems:
        raise _error(path, _findings(problems, source, path))
    return LoadedPolicy(graph, callables)


def read_policy_text(path_or_text: str | os.PathLike[str]) -> tuple[str, str | bytes]:
    """What findings call the policy, and its text or bytes. Raises ``PolicyError`` if it cannot be read."""
    if isinstance(path_or_text, str) and ("\n" in path_or_text or "\r" in path_or_text or _TEXT.match(path_or_text)):
        return TEXT, path_or_text
    path = os.fspath(path_or_text) or "."
    if not isinstance(path, str):
        raise TypeError("a policy is text, or a path of text")
    try:
        return path, read_bounded(path, _READ_LIMIT)
    except FileNotFoundError:
        problem = "there is no such file"
    except IsADirectoryError:
        problem = "it is a directory"
    except PermissionError:
        problem = "permission denied"
    except OSError as error:
        problem = (error.strerror or type(error).__name__).lower()
    except ValueError:
        problem = "it is no legal path"
    raise PolicyError(
        f"`{one_line(path)}` cannot be read: {problem}", help="pass the path of a policy file, or its text"
    )


def _compile(raw: str | bytes, path: str, check: Check) -> tuple[EvaluationGraph, Source | None]:
    from schemarouter.document.reader import detect_format  # lazily: an artifact needs no reader

    text_format = detect_format(path, raw)
    if check == "full":
        from schemarouter.lint.check import check_policy

        report = check_policy(raw, path, text_format)
        source, graph, findings = report.source, report.graph, list(report.findings)
        if graph is None or any(finding.severity == "error" or finding.code == _UNDECIDED for finding in findings):
            raise _error(path, findings)
        return graph, source
    graph, source, found = compile_text(raw, path, text_format)
    if graph is None:
        raise _error(path, list(found))
    return graph, source


class Compiled(NamedTuple):
    """What compiling a text gave. ``graph`` is ``None`` exactly if a finding of severity ``error`` exists."""

    graph: EvaluationGraph | None
    source: Source | None
    findings: tuple[Finding, ...]


def compile_text(raw: str | bytes, path: str, format: Format) -> Compiled:  # noqa: A002 - the word for it everywhere in this package
    """Read and compile a policy file without linting it. Never raises for anything that stands in ``raw``.

    ``path`` is what findings call the file.
    """
    from schemarouter.compiler.compile import compile_policy, locations_of
    from schemarouter.compiler.examples import failed_examples
    from schemarouter.document.reader import read_policy  # lazily: an artifact needs no reader

    document, source, found = read_policy(raw, path, format)
    if document is None or source is None:
        return Compiled(None, source, found)
    graph = compile_policy(document, locations=locations_of(document, source))
    problems = failed_examples(document, graph)
    if problems:
        return Compiled(None, source, (*found, *_findings(problems, source, path)))
    return Compiled(graph, source, found)


def _findings(problems: list[Problem], source: Source | None, path: str) -> list[Finding]:
    from schemarouter.document.codes import READER_CODES, Code
    from schemarouter.document.findings import to_findings

    return to_findings(problems, source, path, codes={**READER_CODES, UNRESOLVABLE: Code("unresolvable-hook", "error")})


def _error(path: str, findings: list[Finding]) -> PolicyError:
    """One error with every finding: where the first error stands, what it is, and how many more there are."""
    errors = [finding for finding in findings if finding.severity == "error"]
    errors = errors or [finding for finding in findings if finding.code == _UNDECIDED]
    if not errors:
        return PolicyError(f"`{path}` cannot be used", findings)
    first = errors[0]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    where = f"{first.path}:{first.span.line}:{first.span.column}"
    return PolicyError(f"{where}: {first.code}[{first.name}] {first.message}{more}", findings, help=first.help)
