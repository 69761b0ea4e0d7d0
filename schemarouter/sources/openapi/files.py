"""The files of one document: its own and those that relative references lead to, all inside one folder.

Nothing is ever fetched. A reference may not leave the folder of the main file, by ``..``, by an absolute path or by a
symbolic link.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn
from urllib.parse import unquote

from schemarouter.reading import read_bounded
from schemarouter.sources.openapi.limits import MAX_CHAIN, MAX_FILE_BYTES, MAX_FILES, MAX_REFERENCE, MAX_TOTAL_BYTES
from schemarouter.sources.openapi.read import parse
from schemarouter.sources.problem import SourceError

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_INSIDE: Final = "keep every file of the document in the folder of its main file, and refer to it by a relative path"


def shown(text: str) -> str:
    """``text`` as it may stand in a message: one line, bounded, what cannot be seen escaped."""
    return (text if text.isprintable() else ascii(text)[1:-1])[:200]


class Place(NamedTuple):
    """A value of a document and where it stands: ``file`` is a path below the folder, with ``/``; tokens lead there."""

    file: str
    tokens: tuple[str, ...]
    value: Any

    def child(self, *tokens: str | int) -> Place:
        """The value below, which must exist."""
        value = self.value
        for token in tokens:
            value = value[token]
        return Place(self.file, (*self.tokens, *map(str, tokens)), value)

    @property
    def pointer(self) -> str:
        """The JSON pointer, with its ``#``."""
        return "#" + "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in self.tokens)

    def __str__(self) -> str:
        return f"`{shown(self.file)}{shown(self.pointer)}`"


class Files:
    """Reads each file once. Every method raises :class:`~schemarouter.sources.problem.SourceError`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.fspath(path))
        self._data: dict[str, Any] = {}
        self._left = MAX_TOTAL_BYTES
        self._folder: Path | None = None
        self._anchors: dict[str, dict[str, Place]] = {}
        self._steps = 0

    def main(self) -> Place:
        """The document itself."""
        name = self.path.name
        if name not in self._data:
            self._data[name] = self._read(self.path, name)
        return Place(name, (), self._data[name])

    def whole(self, file: str) -> Place:
        """A file that was read before."""
        return Place(file, (), self._data[file])

    def _read(self, path: Path, name: str) -> Any:
        if len(self._data) >= MAX_FILES:
            raise SourceError(
                f"the document has more than {MAX_FILES} files", where=f"`{shown(name)}`", help="join some"
            )
        limit = min(MAX_FILE_BYTES, self._left)
        try:
            raw = read_bounded(path, limit + 1)
        except FileNotFoundError:
            problem = "there is no such file"
        except IsADirectoryError:
            problem = "it is a directory"
        except PermissionError:
            problem = "permission denied"
        except (OSError, ValueError) as error:
            problem = (getattr(error, "strerror", None) or "it is no legal path").lower()
        else:
            if len(raw) > limit:
                size = MAX_FILE_BYTES if limit == MAX_FILE_BYTES else MAX_TOTAL_BYTES
                what = "the file is" if size == MAX_FILE_BYTES else "the files of the document are"
                raise SourceError(
                    f"{what} larger than {size // (1024 * 1024)} MiB",
                    where=f"`{shown(name)}`",
                    help="split the document",
                )
            self._left -= len(raw)
            return parse(raw, name)
        raise SourceError(f"`{shown(name)}` cannot be read: {problem}", help="pass the path of an OpenAPI document")

    def follow(self, reference: Any, origin: Place) -> Place:
        """The place that ``reference``, which stands at ``origin``, leads to. Chains are not followed here."""
        self._steps = 0
        return self._follow(reference, origin)

    def _follow(self, reference: Any, origin: Place) -> Place:
        self._steps += 1
        if self._steps > MAX_CHAIN:
            raise _endless(origin)
        if not isinstance(reference, str) or len(reference) > MAX_REFERENCE:
            raise SourceError("`$ref` is no text, or too long", where=str(origin), help="write a reference as text")
        target, _, fragment = reference.partition("#")
        file = origin.file if not target else self._locate(target, origin)
        return self._walk(file, fragment, origin, reference)

    def _locate(self, target: str, origin: Place) -> str:
        """The name of the file that the path of a reference means, after it was read."""
        path = unquote(target, errors="replace")
        if _SCHEME.match(path) or path.startswith("/"):
            self._refuse(target, "leads to another host or to an absolute path, and nothing is fetched", origin)
        if "\\" in path or "\0" in path or "?" in target:
            self._refuse(target, "is no plain relative path", origin)
        if self._folder is None:
            self._folder = Path(os.path.realpath(self.path.parent))
        folder = self._folder
        wanted = os.path.normpath(folder / Path(origin.file).parent / path)
        real = Path(os.path.realpath(wanted))
        if not real.is_relative_to(folder) or not Path(wanted).is_relative_to(folder):
            self._refuse(target, "leads outside the folder of the document", origin)
        name = Path(wanted).relative_to(folder).as_posix()
        if name not in self._data:
            try:
                regular = stat.S_ISREG(real.stat().st_mode)
            except (OSError, ValueError):
                self._refuse(target, "leads to a file that is not there", origin)
            if not regular:
                self._refuse(target, "leads to what is no regular file", origin)
            self._data[name] = self._read(real, name)
        return name

    def _refuse(self, target: str, why: str, origin: Place) -> NoReturn:
        raise SourceError(f"the reference `{shown(target)}` {why}", where=str(origin), help=_INSIDE)

    def _walk(self, file: str, fragment: str, origin: Place, reference: str) -> Place:
        fragment = unquote(fragment, errors="replace")
        if fragment and not fragment.startswith("/"):
            found = self._anchor(file, fragment)
            if found is not None:
                return found
        else:
            tokens = [token.replace("~1", "/").replace("~0", "~") for token in fragment.split("/")[1:]]
            place = Place(file, (), self._data[file])
            for token in tokens:
                value = place.value
                while isinstance(value, dict) and token not in value and "$ref" in value:
                    place = self._follow(value["$ref"], place)  # the way leads through a reference
                    value = place.value
                if isinstance(value, dict) and token in value:
                    place = place.child(token)
                elif isinstance(value, list) and _INDEX.fullmatch(token) and int(token) < len(value):
                    place = Place(place.file, (*place.tokens, token), value[int(token)])
                else:
                    break
            else:
                return place
        raise SourceError(
            f"the reference `{shown(reference)}` leads nowhere",
            where=str(origin),
            help="correct it, or add what it names",
        )

    def _anchor(self, file: str, name: str) -> Place | None:
        """The schema with that ``$anchor`` (or ``$dynamicAnchor``) in a file."""
        if file not in self._anchors:
            found = self._anchors[file] = {}
            waiting = [Place(file, (), self._data[file])]
            while waiting:
                place = waiting.pop()
                value = place.value
                if isinstance(value, dict):
                    for keyword in ("$anchor", "$dynamicAnchor"):
                        if isinstance(value.get(keyword), str):
                            found.setdefault(value[keyword], place)
                    waiting.extend(place.child(key) for key in value)
                elif isinstance(value, list):
                    waiting.extend(Place(file, (*place.tokens, str(i)), item) for i, item in enumerate(value))
        return self._anchors[file].get(name)

    def resolve(self, place: Place) -> Place:
        """``place`` itself, or what its Reference Object leads to, however long the chain."""
        start = place
        for _ in range(MAX_CHAIN):
            if not (isinstance(place.value, dict) and "$ref" in place.value):
                return place
            place = self.follow(place.value["$ref"], place)
        raise _endless(start)


def _endless(place: Place) -> SourceError:
    return SourceError(
        f"the reference leads through more than {MAX_CHAIN} others, or back to itself",
        where=str(place),
        help="refer to the object itself",
    )
