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
    if format_ is None and (path.endswith(".json") or _ARTIFACT.match(raw)):
        return Policy(_artifact(raw), Outcome(files=[shown]))
    return _document(raw, shown, format_)


def _artifact(raw: bytes) -> EvaluationGraph:
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
