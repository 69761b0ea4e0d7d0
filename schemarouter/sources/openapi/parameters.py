"""Parameter Objects of one operation: merged, checked, and given argument names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Final

from schemarouter.model.names import name_problem
from schemarouter.sources.openapi.files import Files, Place, shown
from schemarouter.sources.openapi.keywords import text
from schemarouter.sources.openapi.limits import MAX_PARAMETERS
from schemarouter.sources.openapi.notes import Notes
from schemarouter.sources.openapi.styles import ALLOWED_STYLES, DEFAULT_STYLES
from schemarouter.sources.problem import SourceError

#: Header parameters that OpenAPI itself says to ignore.
_IGNORED: Final = frozenset({"accept", "content-type", "authorization"})
#: Headers that steer the connection, carry credentials, or change what the request means to servers on its way.
FORBIDDEN_HEADERS: Final = frozenset(
    {
        "host",
        "cookie",
        "cookie2",
        "set-cookie",
        "content-length",
        "content-encoding",
        "content-range",
        "transfer-encoding",
        "te",
        "trailer",
        "connection",
        "keep-alive",
        "upgrade",
        "expect",
        "via",
        "forwarded",
        "www-authenticate",
        "x-real-ip",
        "x-original-url",
        "x-original-host",
        "x-rewrite-url",
        "x-host",
        "x-http-method",
        "x-http-method-override",
        "x-method-override",
        "accept-encoding",
        "http2-settings",
        "origin",
        "referer",
    }
)
#: The same, by how they begin.
FORBIDDEN_BEGINNINGS: Final = ("proxy-", "sec-", "x-forwarded-")
HEADER_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_FIXED_QUERY: Final = re.compile(r"[A-Za-z0-9._~=&\-]*")
_TEMPLATE: Final = re.compile(r"\{([^{}]*)\}")
_LEAVE_OUT: Final = "correct it, or leave the operation out with `select`"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. ``argument`` is its name among the arguments, ``media_type`` what its ``content`` names."""

    place: Place
    name: str
    location: str
    required: bool
    description: str
    style: str
    explode: bool
    reserved: bool
    media_type: str | None
    schema: Place | None
    argument: str = ""


def split_path(path: str) -> tuple[str, list[tuple[str, str]]]:
    """A path, and the names and values of the fixed query that some documents write behind it."""
    plain, _, query = path.partition("?")
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    return plain, [(name, value) for name, _, value in pairs]


def template_names(path: str, place: Place) -> list[str]:
    """The expressions of a path, which must be one that can be asked for. Raises ``SourceError``.

    A fixed query behind it (``/responses?beta=true``) is part of what is asked for.
    """
    path, _, query = path.partition("?")
    if not _FIXED_QUERY.fullmatch(query):
        raise SourceError("the path holds a query that is not fixed text", where=str(place), help=_LEAVE_OUT)
    rest = _TEMPLATE.sub("", path)
    for character in "{}#\\":
        if character in rest:
            raise SourceError(
                f"the path holds a `{character}`, which is no part of a path", where=str(place), help=_LEAVE_OUT
            )
    if any(segment.replace("%2e", ".").replace("%2E", ".") in (".", "..") for segment in path.split("/")):
        raise SourceError("the path holds a segment of dots", where=str(place), help=_LEAVE_OUT)
    return list(dict.fromkeys(_TEMPLATE.findall(path)))


def collect_parameters(
    operation: Place, item: Place, path: str, credentials: frozenset[tuple[str, str]], files: Files, notes: Notes
) -> list[Parameter]:
    """The parameters of an operation and of the path item around it, with argument names that differ.

    Raises ``SourceError`` for what cannot be sent as it is described.
    """
    merged: dict[tuple[str, str], Parameter] = {}
    for around in (item, operation):
        own: set[tuple[str, str]] = set()
        for place in _listed(around, files):
            parameter = _parameter(place, files)
            if parameter is None:
                notes.add(place, "the parameter is sent in no place that is known, and is left out")
                continue
            key = (parameter.location, parameter.name.lower() if parameter.location == "header" else parameter.name)
            if key in own:
                raise SourceError(
                    f"the parameter `{shown(parameter.name)}` in {parameter.location} is declared twice",
                    where=str(place),
                    help=_LEAVE_OUT,
                )
            own.add(key)
            merged[key] = parameter
    names = template_names(path, item)
    kept = [each for each in merged.values() if _is_sent(each, names, credentials, notes)]
    declared = {each.name for each in kept if each.location == "path"}
    for name in names:
        if name not in declared:
            raise SourceError(
                f"the path holds `{{{shown(name)}}}`, which is no declared parameter",
                where=str(operation),
                help=_LEAVE_OUT,
            )
    if len(kept) > MAX_PARAMETERS:
        raise SourceError(
            f"the operation has more than {MAX_PARAMETERS} parameters", where=str(operation), help=_LEAVE_OUT
        )
    fixed = {name for name, _ in split_path(path)[1]}
    for each in kept:
        if (each.location == "querystring" and fixed) or (each.location == "query" and each.name in fixed):
            message = f"the parameter `{shown(each.name)}` stands beside a fixed query of the path"
            raise SourceError(message, where=str(each.place), help=_LEAVE_OUT)
    whole = [each for each in kept if each.location == "querystring"]
    if len(whole) > 1 or (whole and any(each.location == "query" for each in kept)):
        raise SourceError(
            "a `querystring` parameter stands beside another for the query", where=str(operation), help=_LEAVE_OUT
        )
    return _with_arguments(kept, operation, notes)


def _listed(around: Place, files: Files) -> list[Place]:
    if around.value.get("parameters") is None:
        return []
    listed = files.resolve(around.child("parameters"))
    if not isinstance(listed.value, list):
        raise SourceError("`parameters` is no list", where=str(listed), help=_LEAVE_OUT)
    return [files.resolve(listed.child(index)) for index in range(len(listed.value))]


def _parameter(place: Place, files: Files) -> Parameter | None:
    value = place.value
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or not isinstance(value.get("in"), str):
        raise SourceError("the parameter has no `name` or no `in`", where=str(place), help=_LEAVE_OUT)
    name, location = value["name"], value["in"]
    if location not in DEFAULT_STYLES:
        return None
    problem = name_problem(name)
    if problem is not None:
        raise SourceError(f"the name of the parameter `{shown(name)}` {problem}", where=str(place), help=_LEAVE_OUT)
    if location in ("header", "cookie") and not HEADER_NAME.fullmatch(name):
        raise SourceError(f"`{shown(name)}` is no name of a {location}", where=str(place), help=_LEAVE_OUT)
    style = value.get("style", DEFAULT_STYLES[location])
    if not isinstance(style, str) or style not in ALLOWED_STYLES[location]:
        raise SourceError(
            f"the style of the parameter `{shown(name)}` is none of {location}", where=str(place), help=_LEAVE_OUT
        )
    explode = value.get("explode", style in ("form", "cookie", "deepObject"))
    required = value.get("required", False)
    reserved = value.get("allowReserved", False)
    if not (type(explode) is bool and type(required) is bool and type(reserved) is bool):
        raise SourceError(
            f"`explode`, `required` or `allowReserved` of the parameter `{shown(name)}` is no boolean",
            where=str(place),
            help=_LEAVE_OUT,
        )
    media_type, schema = _described(place, files)
    return Parameter(
        place,
        name,
        location,
        required or location == "path",
        text(value.get("description")),
        style,
        explode,
        reserved,
        media_type,
        schema,
    )


def _described(place: Place, files: Files) -> tuple[str | None, Place | None]:
    """The media type and the schema of a parameter: by ``content`` or by ``schema``."""
    if "content" not in place.value:
        return None, place.child("schema") if "schema" in place.value else None
    content = files.resolve(place.child("content"))
    if not isinstance(content.value, dict) or len(content.value) != 1:
        raise SourceError("`content` of a parameter names no single media type", where=str(place), help=_LEAVE_OUT)
    (media_type,) = content.value
    entry = files.resolve(content.child(media_type))
    has_schema = isinstance(entry.value, dict) and "schema" in entry.value
    return media_type.partition(";")[0].strip().lower(), entry.child("schema") if has_schema else None


def is_forbidden_header(name: str) -> bool:
    """Whether no argument may set this header. Many servers take ``_`` for ``-``."""
    plain = name.lower().replace("_", "-")
    return plain in FORBIDDEN_HEADERS or plain.startswith(FORBIDDEN_BEGINNINGS)


def _is_sent(parameter: Parameter, names: list[str], credentials: frozenset[tuple[str, str]], notes: Notes) -> bool:
    lower = parameter.name.lower()
    if parameter.location == "path" and parameter.name not in names:
        notes.add(parameter.place, f"the path has no `{{{shown(parameter.name)}}}`, and the parameter is left out")
    elif parameter.location == "header" and (lower in _IGNORED or is_forbidden_header(lower)):
        notes.add(parameter.place, f"the header `{shown(parameter.name)}` is no argument: the application sets it")
    elif (parameter.location, lower if parameter.location == "header" else parameter.name) in credentials:
        notes.add(
            parameter.place, f"`{shown(parameter.name)}` is a credential and no argument: the application sets it"
        )
    else:
        return True
    return False


def _with_arguments(parameters: list[Parameter], operation: Place, notes: Notes) -> list[Parameter]:
    """Names of arguments: the parameter's own, and ``location.name`` for all that share one (``body`` is the body's)."""
    has_body = operation.value.get("requestBody") is not None
    counts = Counter(each.name for each in parameters)
    if has_body:
        counts["body"] += 1
    result = []
    for each in parameters:
        argument = each.name
        if counts[each.name] > 1:
            argument = f"{each.location}.{each.name}"
            notes.add(
                each.place,
                f"another argument has the name `{shown(each.name)}`: this one is called `{shown(argument)}`",
            )
        result.append(replace(each, argument=argument))
    taken = Counter(each.argument for each in result)
    for argument, count in taken.items():
        if count > 1:
            raise SourceError(
                f"two parameters would be the argument `{shown(argument)}`", where=str(operation), help=_LEAVE_OUT
            )
    return result
