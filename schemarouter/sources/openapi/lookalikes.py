"""Operations that another operation's arguments could turn into: ``/gists/{id}`` with ``public`` is ``/gists/public``.

A policy decides about the operation that is called, so that no argument may make it another one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from urllib.parse import unquote

from schemarouter.sources.openapi.limits import MAX_COMPARISONS
from schemarouter.sources.openapi.parameters import split_path
from schemarouter.sources.problem import SourceError


def lookalikes(operations: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
    """For each method and path: the paths, of the same method, that some arguments of it would make.

    Only whole segments count: where ``{base}...{head}`` stands beside ``{basehead}``, a document means both to be the same.
    Raises ``SourceError`` past the limit.
    """
    split = [(method, path, split_path(path)[0].split("/")) for method, path in operations]
    by_beginning: dict[tuple[str, int, tuple[str, ...]], list[tuple[str, list[str]]]] = defaultdict(list)
    for method, path, segments in split:
        for length in range(_literal_length(segments) + 1):
            by_beginning[method, len(segments), tuple(segments[:length])].append((path, segments))
    found: dict[tuple[str, str], list[str]] = {}
    comparisons = 0
    for method, path, segments in split:
        if "{" not in path:
            continue
        candidates = by_beginning[method, len(segments), tuple(segments[: _literal_length(segments)])]
        comparisons += len(candidates)
        if comparisons > MAX_COMPARISONS:
            raise SourceError("too many paths of the document look alike", help="split the document")
        others = sorted({split_path(other)[0] for other, theirs in candidates if _may_become(segments, theirs)})
        if others:
            found[method, path] = others
    return found


def becomes(path: str, others: Collection[str]) -> str | None:
    """The path among ``others`` that ``path``, which is percent-encoded, would be, or ``None``. Case does not count."""
    segments = [unquote(segment).casefold() for segment in path.split("/")]
    for other in others:
        theirs = other.split("/")
        if all(mine == literal.casefold() or "{" in literal for mine, literal in zip(segments, theirs, strict=False)):
            return other
    return None


def _literal_length(segments: list[str]) -> int:
    return next((index for index, segment in enumerate(segments) if "{" in segment), len(segments))


def _may_become(mine: list[str], theirs: list[str]) -> bool:
    narrower = False
    for own, other in zip(mine, theirs, strict=True):
        if own == other or (_whole(own) and _whole(other)):
            continue
        if "{" in own and "{" not in other:
            narrower = True
        elif not ("{" not in own and _whole(other)):
            return False
    return narrower


def _whole(segment: str) -> bool:
    return segment.startswith("{") and segment.find("}") == len(segment) - 1
