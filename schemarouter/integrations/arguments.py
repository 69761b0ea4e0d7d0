"""The arguments of a call, where a host hands over a text that a model wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from schemarouter.errors import PlanValidationError
from schemarouter.model.json_value import MAX_CHARACTERS, JsonValueError, checked_copy


def read_arguments(text: str, name: str) -> dict[str, Any]:
    """The object in ``text``; nothing at all is an empty one. ``name`` is the tool, for the message.

    Raises :class:`~schemarouter.errors.PlanValidationError` for what is no JSON object, for a key that is there twice and
    numbers without end: parsers disagree about these, so what was decided about might not be what the tool reads.
    """
    if not text.strip():
        return {}
    try:
        if len(text) > 2 * MAX_CHARACTERS:
            raise JsonValueError("the text is too long")
        arguments = checked_copy(json.loads(text, object_pairs_hook=_unique, parse_constant=_constant))
    except JsonValueError as error:
        _refuse(name, error.reason)
    except RecursionError:
        _refuse(name, "they are nested too deeply")
    except ValueError:  # no JSON, or an integer with too many digits
        _refuse(name, "they are no JSON")
    if not isinstance(arguments, dict):
        _refuse(name, "they are no object")
    return arguments


def with_defaults(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """``arguments``, and the default of every argument that is left out and for which ``schema`` says one.

    A tool fills them in by itself later, so a rule has to see them too.
    """
    properties = schema.get("properties")
    filled = dict(arguments)
    if isinstance(properties, Mapping):
        for key, written in properties.items():
            if key not in filled and isinstance(written, Mapping) and "default" in written:
                filled[key] = written["default"]
    return filled


def _refuse(name: str, reason: str) -> NoReturn:
    raise PlanValidationError(f"the arguments for `{ascii(name)[1:-1]}` cannot be read: {reason}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise JsonValueError("a key is there twice")
    return found


def _constant(_: str) -> NoReturn:
    raise JsonValueError("a number is not finite")
