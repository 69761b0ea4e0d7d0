"""Diffs as JSON (SPEC 12.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schemarouter_cli.changes import FileDiff, combined
from schemarouter_cli.render.plain import call_record, dump

if TYPE_CHECKING:
    from schemarouter.analysis.changes import Change
    from schemarouter.compiler.records import Location


def render_json(files: Sequence[FileDiff], base: str | None) -> str:
    """The document that ``schemas/diff.v1.schema.json`` describes: the changes of all files, and the files by themselves.

    With several files no digest stands for a whole side, and both are null.
    """
    only = files[0].diff if len(files) == 1 else None
    document = {
        "version": 1,
        "old_digest": only.old_digest if only is not None else None,
        "new_digest": only.new_digest if only is not None else None,
        "verdict": combined(file.verdict for file in files),
        "changes": [change_record(change, number) for number, file in enumerate(files) for change in file.changes],
        "base": base,
        "files": [_file(file) for file in files],
    }
    return dump(document, indent=2) + "\n"


def _file(file: FileDiff) -> dict[str, object]:
    return {
        "old_path": file.old.path if file.old is not None else None,
        "new_path": file.new.path if file.new is not None else None,
        "old_digest": file.diff.old_digest,
        "new_digest": file.diff.new_digest,
        "verdict": file.verdict,
        "undecided": list(file.diff.undecided),
        "unlisted": file.diff.unlisted,
    }


def change_record(change: Change, file: int) -> dict[str, object]:
    """One change; ``file`` is the index of its file."""
    return {
        "kind": change.kind,
        "code": change.code,
        "name": change.name,
        "direction": change.direction,
        "before": change.before,
        "after": change.after,
        "operations": change.operations,
        "conditional": change.conditional,
        "witness": call_record(change.witness) if change.witness is not None else None,
        "old_rule": change.old_rule,
        "new_rule": change.new_rule,
        "old_location": _place(change.old_location),
        "new_location": _place(change.new_location),
        "file": file,
    }


def _place(location: Location | None) -> dict[str, object] | None:
    return location._asdict() if location is not None else None
