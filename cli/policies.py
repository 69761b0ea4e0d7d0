"""Read the one policy that a command works on: YAML, TOML, or a compiled artifact."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from schemarouter_cli.failure import CannotRun
from schemarouter_cli.files import STDIN, STDIN_NAME, read_bytes
from schemarouter_cli.outcome import Outcome
from schemarouter_cli.text import display_path

if TYPE_CHECKING:
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.document.source import Format

#: An artifact says what it is, also where its file is not called `.json`.
_ARTIFACT = re.compile(rb'\s*\{\s*"format"\s*:\s*"schemarouter\.graph"')


class Policy(NamedTuple):
    """A policy that was read. ``graph`` is ``None`` exactly if ``outcome`` holds an error."""

    graph: EvaluationGraph | None
    outcome: Outcome


def read_policy_file(path: str, format_: Format | None = None) -> Policy:
    """Read and compile the policy ``path``. What cannot be read at all is a :class:`CannotRun`."""
    from schemarouter.compiler.artifact import SIZE_LIMIT

    raw = read_bytes(path, SIZE_LIMIT)
    shown = STDIN_NAME if path == STDIN else display_path(path)
    artifact = read_artifact(raw, path) if format_ is None else None
    if artifact is not None:
        return Policy(artifact, Outcome(files=[shown]))
    return _document(raw, shown, format_)


def read_artifact(raw: bytes, path: str) -> EvaluationGraph | None:
    """The graph in a compiled artifact; ``None`` if ``raw`` is none. A damaged one is a :class:`CannotRun`."""
    if not path.endswith(".json") and not _ARTIFACT.match(raw):
        return None
    from schemarouter.compiler.artifact import load_artifact
    from schemarouter.errors import ArtifactError

    try:
        return load_artifact(raw)
    except ArtifactError as error:
        raise CannotRun(str(error), error.help) from None


def _document(raw: bytes, shown: str, format_: Format | None) -> Policy:
    from schemarouter.document.reader import detect_format
    from schemarouter.loading import compile_text

    graph, source, findings = compile_text(raw, shown, format_ or detect_format(shown, raw))
    outcome = Outcome(files=[shown])
    outcome.add(shown, raw, findings, source)
    return Policy(graph, outcome)
