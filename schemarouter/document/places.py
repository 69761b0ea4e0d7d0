"""What may stand where in a document: asked of the models, so that messages and models cannot disagree.

Only files with an error come here.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from types import MappingProxyType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel

from schemarouter.document.v1 import (
    Approval,
    ClassifyEntry,
    Defaults,
    ExampleCall,
    Examples,
    Hooks,
    Invariant,
    PolicyDocument,
    Rule,
    When,
)
from schemarouter.model.limits import ExecutionBudget, RetryPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemarouter.model.diagnostic import DocPath

Model = type[BaseModel]

#: How messages call the mapping that a model describes.
IN_WORDS: dict[Model, str] = {
    PolicyDocument: "at the top level",
    Defaults: "in `defaults`",
    Approval: "in `approval`",
    ClassifyEntry: "in a `classify` entry",
    Rule: "in a rule",
    When: "in `when`",
    Examples: "in `examples`",
    ExampleCall: "in an example call",
    Invariant: "in an invariant",
    Hooks: "in `hooks`",
    ExecutionBudget: "in `budget`",
    RetryPolicy: "in `retry`",
}

_WORDS: dict[object, str] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    Decimal: "a number",
}


class Form(NamedTuple):
    """A kind of document, and the words that are said about it: the policy file is one of them.

    ``begins`` is what the help calls such a file; ``in_words`` are phrases for the mappings of its models; ``synonyms``
    are keys that people write, per model, with what they mean, ``values`` the same for words, per key; ``missing``
    says what to write where a required key is left out; ``nouns`` are for keys that are no noun for one word of theirs.
    """

    root: Model
    begins: str
    in_words: Mapping[Model, str]
    synonyms: Mapping[Model, Mapping[str, str]] = MappingProxyType({})
    values: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    missing: Mapping[str, str] = MappingProxyType({})
    nouns: Mapping[str, str] = MappingProxyType({})


POLICY = Form(PolicyDocument, "a policy", IN_WORDS)


class Place(NamedTuple):
    """What may stand at a path: kinds in words, the model if it may be a mapping with known keys, the legal words."""

    kinds: tuple[str, ...]
    model: Model | None
    values: tuple[object, ...]


def place_at(path: DocPath, form: Form = POLICY) -> Place | None:
    """What may stand at ``path`` of a document; ``None`` where the models do not say (unknown keys, conditions)."""
    options: list[Any] = [form.root]
    for step in path:
        options = [found for option in options for found in _step(option, step)]
    if not options:
        return None
    kinds: dict[str, None] = {}
    model: Model | None = None
    values: tuple[object, ...] = ()
    for option in options:
        origin = get_origin(option)
        if origin is Literal:
            values = get_args(option)
            kinds[_WORDS[type(values[0])]] = None
        elif origin is list:
            kinds["a list"] = None
        elif origin is dict:
            kinds["a mapping"] = None
        elif option in _WORDS:
            kinds[_WORDS[option]] = None
        else:
            model = option
            kinds["a mapping"] = None
    if "a number" in kinds:
        kinds.pop("an integer", None)
    return Place(tuple(kinds), model, values)


def _step(option: Any, step: str | int) -> list[Any]:
    origin = get_origin(option)
    if origin is list:
        return _options(get_args(option)[0]) if isinstance(step, int) else []
    if origin is dict:
        return _options(get_args(option)[1]) if isinstance(step, str) else []
    if isinstance(option, type) and issubclass(option, BaseModel) and isinstance(step, str):
        field = option.model_fields.get(step)
        return _options(field.annotation) if field is not None else []
    return []


def _options(annotation: Any) -> list[Any]:
    """The alternatives of a type, without ``None``, metadata and what conditions look like inside."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _options(get_args(annotation)[0])
    if origin is Union or origin is UnionType:
        return [option for one in get_args(annotation) for option in _options(one)]
    known = annotation in _WORDS or origin in (list, dict, Literal)
    return [annotation] if known or (isinstance(annotation, type) and issubclass(annotation, BaseModel)) else []


def homes(form: Form = POLICY) -> dict[str, list[DocPath]]:
    """Every key of a document with the mappings that it may stand in, the outermost first; list items are ``0``."""
    return _homes(form.root)


@cache
def _homes(root: Model) -> dict[str, list[DocPath]]:
    form = Form(root, "", {})
    found: dict[str, list[DocPath]] = {}
    queue: list[DocPath] = [()]
    for path in queue:
        place = place_at(path, form)
        if place is None:
            continue
        if place.model is not None:
            for key in place.model.model_fields:
                found.setdefault(key, []).append(path)
                queue.append((*path, key))
        elif "a list" in place.kinds:
            queue.append((*path, 0))
    return found
