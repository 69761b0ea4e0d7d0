"""Which files a diff compares: two that are named, those of two folders, or a revision with the working tree."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from schemarouter_cli.discovery import find_policies, is_found
from schemarouter_cli.failure import CannotRun
from schemarouter_cli.files import STDIN, STDIN_NAME, read_bytes
from schemarouter_cli.git import Revision
from schemarouter_cli.settings import Settings
from schemarouter_cli.text import display_path


class Text(NamedTuple):
    """A text to compare: what it is called, its bytes, and for git what it is, if it came from there."""

    shown: str
    raw: bytes
    revision: str | None = None


class Pair(NamedTuple):
    """A policy file before and after; ``None`` where there is none: then nothing is allowed (never both)."""

    name: str
    old: Text | None
    new: Text | None


def named_pairs(old: str, new: str, settings: Settings, limit: int) -> Iterator[Pair]:
    """Two files, or the files of two folders with the same place in them. The null device is a file that is not there."""
    if old == new == STDIN:
        raise CannotRun("standard input can be one side only")
    if not (_is_folder(old) or _is_folder(new)):
        if old == new == os.devnull:
            raise CannotRun("no policy is named")
        shown = old if new == os.devnull else new
        yield Pair(STDIN_NAME if shown == STDIN else display_path(shown), _file(old, limit), _file(new, limit))
        return
    if not all(_is_folder(side) or side == os.devnull for side in (old, new)):
        raise CannotRun("one side is a folder and the other is not", "name two files or two folders")
    sides = [
        {os.path.relpath(path, side): path for path in find_policies([side], settings, allow_empty=True)}
        if side != os.devnull
        else {}
        for side in (old, new)
    ]
    for place in sorted({*sides[0], *sides[1]}):
        before, after = (side.get(place, os.devnull) for side in sides)
        yield Pair(display_path(place), _file(before, limit), _file(after, limit))


def revision_pairs(base: str, paths: Sequence[str], settings: Settings, limit: int) -> Iterator[Pair]:
    """The files that ``paths`` name, or those of the project, as the revision ``base`` and the working tree hold them."""
    if STDIN in paths:
        raise CannotRun("standard input is in no revision", "name a file, or compare two files: `diff OLD NEW`")
    named = list(paths) or [settings.root or os.curdir]
    revision = Revision(base, _nearest_folder(named[0]))
    pairs: dict[str, tuple[str | None, str | None]] = {}  # from the top: the path on both sides
    for path in named:
        pairs |= _pairs_of(path, revision, settings)
    added = any(before is None for before, _ in pairs.values())
    for new, old in revision.renamed().items() if added else ():
        lone, gone = pairs.get(new), pairs.get(old)
        if lone is not None and lone[0] is None and (gone is None or gone[1] is None):
            pairs.pop(old, None)
            pairs[new] = (old, new)
    for place in sorted(pairs):
        before, after = pairs[place]
        raw = revision.read(before, limit) if before is not None else None
        text = (
            Text(revision.label(before), raw, revision.spelled(before))
            if before is not None and raw is not None
            else None
        )
        here = os.path.relpath(os.path.join(revision.root, after or place))
        yield Pair(display_path(here), text, _file(here, limit) if after is not None else None)


def _pairs_of(path: str, revision: Revision, settings: Settings) -> dict[str, tuple[str | None, str | None]]:
    top = revision.relative(path)
    entries = [entry.path for entry in revision.below(top)]
    if not os.path.isdir(path) and (os.path.lexists(path) or entries in ([top], [])):
        if not os.path.lexists(path) and not entries:
            raise CannotRun(
                f"`{display_path(path)}` is neither in the working tree nor in `{display_path(revision.name)}`"
            )
        return {top: (top if entries else None, top if os.path.lexists(path) else None)}
    folder = os.path.join(revision.root, top) if top != "." else revision.root
    found = find_policies([folder], settings, allow_empty=True) if os.path.isdir(folder) else []
    new = {revision.relative(one) for one in found}
    old = {one for one in entries if is_found(os.path.join(revision.root, one), folder, settings)}
    return {one: (one if one in old else None, one if one in new else None) for one in old | new}


def _file(path: str, limit: int) -> Text | None:
    if path == os.devnull:
        return None
    return Text(STDIN_NAME if path == STDIN else display_path(path), read_bytes(path, limit))


def _is_folder(path: str) -> bool:
    return path != STDIN and os.path.isdir(path)


def _nearest_folder(path: str) -> str:
    """The folder of ``path`` that exists: git is asked there which repository it is."""
    folder = path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return folder
