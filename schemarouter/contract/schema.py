"""A JSON Schema, checked once and then ready to check values.

The draft is the one that ``$schema`` names, else 2020-12. Every reference must lead into the document itself:
nothing is ever fetched. ``format`` describes and is not asserted. Values must be checked copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urljoin

import jsonschema
from jsonschema_specifications import REGISTRY as SPECIFICATIONS  # type: ignore[import-untyped]  # it ships no types
from referencing import Registry
from referencing.jsonschema import specification_with

from schemarouter.contract.keywords import TooMuchWork, checking_class, descend, reset_work
from schemarouter.contract.scan import Path, SchemaError, scan
from schemarouter.model.json_value import JsonValueError, checked_copy

_DRAFTS: dict[str, Any] = {
    "json-schema.org/draft-04/schema": jsonschema.Draft4Validator,
    "json-schema.org/draft-06/schema": jsonschema.Draft6Validator,
    "json-schema.org/draft-07/schema": jsonschema.Draft7Validator,
    "json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    "json-schema.org/draft/2020-12/schema": jsonschema.Draft202012Validator,
}
#: No retrieval: the library's default registry would fetch what it does not know.
_NOTHING_REMOTE: Any = Registry()


class Violation(NamedTuple):
    """Where a value does not fit (``path``), and which keyword says so; ``reason`` where no keyword does."""

    path: Path
    keyword: str | None
    reason: str | None = None


class CompiledSchema:
    """A checked schema. Immutable, and safe to use from several threads."""

    __slots__ = ("_document", "_validator", "declared")

    def __init__(self, schema: dict[str, Any]) -> None:
        """Check and prepare ``schema``; raise :class:`~schemarouter.contract.scan.SchemaError`."""
        try:
            document: dict[str, Any] = checked_copy(schema)
        except JsonValueError as error:
            raise SchemaError(error.path, error.reason) from None
        base = _draft(document.pop("$schema", None))
        #: Every property name that the schema declares anywhere: these may be shown.
        self.declared = _scan(document, base, _meta_check(base))
        self._document = document
        self._validator = checking_class(base)(document, registry=_NOTHING_REMOTE)

    def violation(self, value: Any) -> Violation | None:
        """Return the first thing that is wrong with ``value``, or ``None`` if it fits."""
        reset_work()
        try:
            for error in descend(self._validator, value, self._document):
                return Violation(tuple(error.path), str(error.validator))
        except RecursionError:
            return Violation((), None, "is nested too deeply to be checked")
        except TooMuchWork:
            return Violation((), None, "takes too much work to be checked")
        return None


def _draft(dialect: object) -> Any:
    if dialect is None:
        return jsonschema.Draft202012Validator
    if isinstance(dialect, str):
        known = _DRAFTS.get(dialect.removesuffix("#").removeprefix("https://").removeprefix("http://"))
        if known is not None:
            return known
    raise SchemaError(("$schema",), "names no JSON Schema draft that is known (draft-04 to 2020-12)")


@cache
def _meta_check(base: Any) -> Callable[[dict[str, Any]], Path | None]:
    """Return the check of a schema's form. Regular expressions in it are checked elsewhere."""
    meta_schema = _one_document(base.META_SCHEMA)
    _scan(meta_schema, base, _no_check)
    validator = checking_class(base)(meta_schema, registry=_NOTHING_REMOTE)

    def check(schema: dict[str, Any]) -> Path | None:
        reset_work()
        try:
            for error in descend(validator, schema, meta_schema):
                return tuple(error.path)
        except RecursionError:
            raise SchemaError((), "is nested too deeply") from None
        except TooMuchWork:
            raise SchemaError((), "takes too much work to be checked") from None
        return None

    return check


def _scan(document: dict[str, Any], base: Any, meta: Callable[[dict[str, Any]], Path | None]) -> frozenset[str]:
    draft = specification_with(base.META_SCHEMA["$schema"])
    return scan(document, draft, meta, lone_references="$vocabulary" not in base.META_SCHEMA)


def _no_check(_schema: dict[str, Any]) -> None:
    return None


def _one_document(meta_schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a draft's schema of schemas as one document.

    Since 2019-09 it consists of one document per vocabulary, tied together by dynamic references to the whole. As
    one document with plain references it says the same, takes a fifth of the time, and can be checked with our own
    keywords.
    """
    whole: dict[str, Any] = checked_copy(dict(meta_schema))
    for vocabulary in whole.pop("allOf", ()):
        part = checked_copy(SPECIFICATIONS.contents(urljoin(meta_schema["$id"], vocabulary["$ref"])))
        for keyword in ("properties", "$defs"):
            whole.setdefault(keyword, {}).update(part.get(keyword, {}))
    for keyword in ("$schema", "$vocabulary", "$dynamicAnchor", "$recursiveAnchor"):
        whole.pop(keyword, None)
    _make_static(whole)
    return whole


def _make_static(schema: Any) -> None:
    if isinstance(schema, list):
        for item in schema:
            _make_static(item)
    elif isinstance(schema, dict):
        for name in ("$dynamicRef", "$recursiveRef"):
            if isinstance(schema.get(name), str):  # elsewhere the name of a property that is described
                del schema[name]
                schema["$ref"] = "#"
        if isinstance(schema.get("$ref"), str):
            schema["$ref"] = "#" + schema["$ref"].partition("#")[2]
        for item in schema.values():
            _make_static(item)


def render_path(path: Iterable[str | int], declared: frozenset[str]) -> str:
    """Write a path as ``$.name[0]``; names that are not declared come from a payload and become ``*``."""
    text = "$"
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step not in declared:
            text += ".*"
        else:
            text += f".{step}" if step.isidentifier() else f"[{step!a}]"
    return text


def shown(text: str) -> str:
    """Return ``text`` as it may stand in a message: in one line, with what cannot be seen escaped."""
    return text if text.isprintable() else ascii(text)[1:-1]
