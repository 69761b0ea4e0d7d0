"""The operations of a document: which there are, and what they are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from schemarouter.model.names import name_problem
from schemarouter.sources.openapi.files import Files, Place, shown
from schemarouter.sources.openapi.keywords import text
from schemarouter.sources.openapi.limits import MAX_OPERATIONS, MAX_PATH, MAX_SEGMENTS
from schemarouter.sources.openapi.model import Operation
from schemarouter.sources.openapi.notes import Notes
from schemarouter.sources.problem import SourceError

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_TOKEN: Final = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LEAVE_OUT: Final = "correct it, or leave the operation out with `select`"


@dataclass(frozen=True, slots=True)
class Found:
    """An operation with its places: ``item`` is the path item around it."""

    operation: Operation
    place: Place
    item: Place


def find_operations(document: Place, files: Files, notes: Notes, version: str) -> list[Found]:
    """Every operation, in the order of the document, each with a name of its own.

    Raises ``SourceError`` for what is no path, no operation, or cannot be told from another one.
    """
    if "paths" not in document.value:
        return []
    paths = files.resolve(document.child("paths"))
    if not isinstance(paths.value, dict):
        raise SourceError("`paths` is no map", where=str(paths), help="map each path to its operations")
    found: list[Found] = []
    for path in paths.value:
        if path.startswith("x-"):
            continue
        item, given = _path_item(paths.child(path), files)
        if not path.startswith("/"):
            raise SourceError(
                f"the path `{shown(path)}` does not start with `/`", where=str(item), help="write it with one"
            )
        if len(path) > MAX_PATH or path.count("/") > MAX_SEGMENTS:
            message = f"the path has more than {MAX_PATH} characters or {MAX_SEGMENTS} segments"
            raise SourceError(message, where=str(paths), help="shorten it")
        for method, place in _methods(given, files, version):
            found.append(Found(_operation(method, path, place, notes), place, item))
            if len(found) > MAX_OPERATIONS:
                message = f"the document has more than {MAX_OPERATIONS} operations"
                raise SourceError(message, where=str(paths), help="split the document")
    return _with_names_of_their_own(found, notes)


def check_names(found: list[Found]) -> None:
    """Refuse names that no registry takes (SPEC 1), and those that two operations share."""
    seen: dict[str, Place] = {}
    for each in found:
        name = each.operation.name
        problem = name_problem(name)
        if problem is not None:
            raise SourceError(f"the name `{shown(name)}` {problem}", where=str(each.place), help=_LEAVE_OUT)
        if len(name) > 512:
            raise SourceError("the name is longer than 512 characters", where=str(each.place), help=_LEAVE_OUT)
        if name in seen:
            raise SourceError(
                f"the name `{shown(name)}` is also that of the operation at {seen[name]}",
                where=str(each.place),
                help="give one of the two an `operationId` of its own",
            )
        seen[name] = each.place


def _path_item(place: Place, files: Files) -> tuple[Place, list[Place]]:
    """The path item behind a reference, and every object with members of it: itself, and what it refers to."""
    parts = [place]
    if isinstance(place.value, dict) and "$ref" in place.value:
        parts.append(files.resolve(place))
    for part in parts:
        if not isinstance(part.value, dict):
            raise SourceError("the path item is no object", where=str(part), help="map methods to operations")
    if len(parts) == 2:
        both = (set(parts[0].value) & set(parts[1].value)) - {"$ref", "summary", "description"}
        if both:
            raise SourceError(
                f"`{shown(min(both))}` stands both beside the `$ref` and behind it",
                where=str(place),
                help="keep one of them",
            )
        if set(parts[0].value) <= {"$ref", "summary", "description"}:
            parts = parts[1:]
    merged = {key: value for part in reversed(parts) for key, value in part.value.items()}
    return Place(parts[-1].file, parts[-1].tokens, merged if len(parts) > 1 else parts[0].value), parts


def _methods(parts: list[Place], files: Files, version: str) -> Iterator[tuple[str, Place]]:
    known = (*METHODS, "query") if version.startswith("3.2") else METHODS
    for part in parts:
        for key in part.value:
            if key in known:
                yield key.upper(), files.resolve(part.child(key))
            elif key == "additionalOperations" and version.startswith("3.2"):
                more = part.child(key)
                if not isinstance(more.value, dict):
                    raise SourceError(
                        "`additionalOperations` is no map", where=str(more), help="map methods to operations"
                    )
                for method in more.value:
                    if not method or not set(method) <= _TOKEN or method != method.upper():
                        message = f"`{shown(method)}` is no HTTP method in capital letters"
                        raise SourceError(message, where=str(more), help="write it as it is sent")
                    if method.upper() in map(str.upper, (*METHODS, "query")):
                        message = f"the method `{shown(method)}` has a field of its own"
                        raise SourceError(message, where=str(more), help="move the operation there")
                    if method.upper() in ("CONNECT",):
                        raise SourceError("`CONNECT` is no method of an operation", where=str(more), help="remove it")
                    yield method, files.resolve(more.child(method))


def _operation(method: str, path: str, place: Place, notes: Notes) -> Operation:
    value = place.value
    if not isinstance(value, dict):
        raise SourceError("the operation is no object", where=str(place), help="describe it with an Operation Object")
    operation_id = value.get("operationId")
    if operation_id is not None and not isinstance(operation_id, str):
        raise SourceError("`operationId` is no text", where=str(place), help="quote it")
    if operation_id == "":
        notes.add(place, "the `operationId` is empty, and the operation is called by its method and path")
        operation_id = None
    tags = value.get("tags")
    return Operation(
        name=operation_id if operation_id is not None else f"{method} {path}",
        method=method,
        path=path,
        operation_id=operation_id,
        summary=text(value.get("summary")),
        tags=tuple(text(tag) for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        deprecated=value.get("deprecated") is True,
        extensions=_extensions(value),
    )


def _extensions(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key.startswith("x-")}


def _with_names_of_their_own(found: list[Found], notes: Notes) -> list[Found]:
    """Call operations that share an ``operationId`` by method and path, all of them: none is the rightful owner."""
    counts = Counter(each.operation.name for each in found)
    result = []
    for each in found:
        operation = each.operation
        if operation.operation_id is not None and counts[operation.name] > 1:
            name = f"{operation.method} {operation.path}"
            if name != operation.name:
                notes.add(
                    each.place,
                    f"the `operationId` `{shown(operation.name)}` is not unique: the operation is called `{shown(name)}`",
                )
                each = Found(replace(operation, name=name), each.place, each.item)
        result.append(each)
    return result
