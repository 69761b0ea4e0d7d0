"""pydantic's errors in the words of a file: one problem for each place, with what to write instead.

Only files with an error come here. Which kinds a place accepts is asked of the models; pydantic's own texts are not
shown, because they speak of Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from schemarouter.document.findings import START
from schemarouter.document.keys import meant_by, unknown_key
from schemarouter.document.places import POLICY, place_at
from schemarouter.document.words import closest, kind, label, listed, shown, written
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from schemarouter.document.places import Form, Place
    from schemarouter.document.source import Source
    from schemarouter.model.diagnostic import DocPath

_ALLOW = ("accept", "permit", "permitted", "allowed", "grant", "pass", "yes", "true", "auto", "enable")
_DENY = ("block", "blocked", "denied", "forbid", "reject", "refuse", "disallow", "prohibit", "no", "false", "never")
_APPROVAL = ("approve", "approval", "ask", "ask_user", "prompt", "confirm", "review", "needs_approval", "escalate")
#: What people write for an effect or a mode in other tools' policies, and what it is called here.
_SYNONYMS = {
    "effect": {
        **dict.fromkeys(_ALLOW, "allow"),
        **dict.fromkeys(_DENY, "deny"),
        **dict.fromkeys(_APPROVAL, "require_approval"),
    },
    "mode": {
        **dict.fromkeys(("always", "every", "any", "on", "true", "yes"), "all"),
        **dict.fromkeys(("none", "off", "false", "no", "disabled"), "never"),
        **dict.fromkeys(("mutating", "mutations", "writes", "write", "non_readonly", "not_read_only"), "non_read_only"),
    },
}
_MISSING = {
    "operation": "say which operations it is about, for example `jobs.create` or `github.*`",
    "effect": "write `allow`, `deny` or `require_approval`",
    "name": "give it a name of its own",
    "never": "write the question that must never come true",
}
_EMPTY: dict[str | int, str] = {
    "operation": "write at least one pattern",
    "name": "write a name, or leave the key out",
    "callback": "write a name, or leave the key out",
    "never": "write the question that must never come true",
}
_EMPTY_TEXT = "write something, or remove it"
#: Texts up to this length are repeated in full.
_SHORT = 40
#: Up to here a float is the integer that its text says.
_EXACT = 2**53
_UNION_ERRORS = frozenset({"string_type", "list_type", "model_type", "dict_type", "literal_error"})
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("greater than", "gt"),
    "less_than_equal": ("at most", "le"),
}


class _Failure(NamedTuple):
    """What pydantic says about one place: the error types with their details, and the value that stands there."""

    path: DocPath
    types: dict[str, dict[str, Any]]
    value: object
    source: Source
    form: Form

    @property
    def key_target(self) -> Target:
        """The key, for what is wrong with a whole mapping or list; the value where there is no key."""
        return Target(self.path, "key" if self.path and isinstance(self.path[-1], str) else "value")


def explain(
    errors: Iterable[Any], source: Source, taken: Collection[DocPath], form: Form = POLICY
) -> Iterator[Problem]:
    """Problems for pydantic's error records; those at a path in ``taken`` have been reported already."""
    failures: dict[DocPath, _Failure] = {}
    for error in errors:
        path = _document_path(error["loc"], source.data, missing=error["type"] == "missing")
        failure = failures.setdefault(path, _Failure(path, {}, error["input"], source, form))
        failure.types[error["type"]] = error.get("ctx", {})
    # A union complains about each of its types: what lies deepest belongs to the one that was meant.
    inner = {path[:length] for path in failures for length in range(len(path))}
    # One mistake, one problem: `permission` for `effect` is an unknown key, and not a missing one as well.
    renamed = {
        (*path[:-1], meant_by(path, source, form)) for path, one in failures.items() if "extra_forbidden" in one.types
    }
    for path, failure in failures.items():
        if path in taken or (path in inner and failure.types.keys() <= _UNION_ERRORS):
            continue
        if "missing" in failure.types and path in renamed:
            continue
        yield _explain(failure)


def _document_path(loc: tuple[str | int, ...], data: object, *, missing: bool) -> DocPath:
    """``loc`` without the steps that name a branch of a union instead of something in the document.

    A ``missing`` key is the one thing that does not exist and is no branch.
    """
    path: list[str | int] = []
    for position, step in enumerate(loc):
        exists = step in data if isinstance(data, dict) else isinstance(data, list) and step in range(len(data))
        if exists:
            data = data[step]  # type: ignore[index]  # a mapping or a list, as was just seen
        elif not missing or position < len(loc) - 1:
            continue
        path.append(step)
    return tuple(path)


def _explain(failure: _Failure) -> Problem:
    path, types, value, source, form = failure
    if path == ("version",):
        return _version(failure)
    if "missing" in types:
        place = place_at(path[:-1], form)
        where = form.in_words[place.model] if place is not None and place.model is not None else ""
        advice = form.missing.get(str(path[-1])) or _MISSING[str(path[-1])]
        return Problem("SR102", f"missing {label(path)} {where}", Target(path[:-1], "key"), advice)
    if "extra_forbidden" in types:
        return unknown_key(path, source, form)
    for too_long in ("too_long", "string_too_long"):
        if too_long in types:
            return _too_long(failure, types[too_long]["max_length"])
    if "too_short" in types or "string_too_short" in types:
        return Problem("SR110", f"{label(path)} is empty", Target(path, "entry"), _EMPTY.get(path[-1], _EMPTY_TEXT))
    for bound, (words, key) in _BOUNDS.items():
        if bound in types:
            must = f"{words} {types[bound][key]:g}"
            message = f"{label(path)} is {written(value, source, path)}, but must be {must}"
            return Problem("SR110", message, Target(path), f"write a number that is {must}")
    place = place_at(path, form)
    if place is not None and place.values:
        return _unknown_value(failure, place)
    return _wrong_type(failure, place)


def _version(failure: _Failure) -> Problem:
    path, types, value, source, _ = failure
    line = "version: 1" if source.format == "yaml" else "version = 1"
    first = f"write `{line}` as the first line"
    if "missing" in types:
        return Problem("SR104", "missing `version`", START, first)
    if value is None:
        return Problem("SR104", "`version` has no value", Target(path, "entry"), first)
    if isinstance(value, list | dict):
        return Problem("SR104", f"`version` is {kind(value)}, not the integer 1", failure.key_target, f"write `{line}`")
    text = written(value, source, path)
    fix: Any = ("unsafe", ((Target(path), "1"),))
    if type(value) is int:
        return Problem("SR104", f"unsupported version {text}", Target(path), f"this release reads `{line}`")
    return Problem("SR104", f"{text} is {kind(value)}, not the integer 1", Target(path), f"write `{line}`", fix=fix)


def _too_long(failure: _Failure, most: int) -> Problem:
    value = failure.value
    size = len(value) if isinstance(value, str | list | dict) else 0
    unit = "characters" if isinstance(value, str) else "items"
    whole = failure.form.begins.replace("a ", "the ", 1)
    message = f"{label(failure.path)} has {size:,} {unit}, and at most {most:,} are read"
    return Problem("SR010", message, failure.key_target, f"shorten it, or split {whole}")


def _unknown_value(failure: _Failure, place: Place) -> Problem:
    path, _, value, source, form = failure
    key = _field(path, form)
    key = form.nouns.get(key, key)
    legal = [str(word) for word in place.values]
    advice = f"write {listed(legal)}"
    if isinstance(value, list | dict):
        return Problem("SR103", f"{label(path)} is {kind(value)}, not a string", failure.key_target, advice)
    if not isinstance(value, str):
        return Problem("SR103", f"{written(value, source, path)} is {kind(value)}, not a string", Target(path), advice)
    folded = value.strip().lower().replace("-", "_").replace(" ", "_")
    meant = (
        folded
        if folded in legal
        else (form.values.get(key) or _SYNONYMS.get(key, {})).get(folded) or closest(folded, legal)
    )
    if meant is None:
        message = f"unknown {key} {shown(value)}" if value else f"{label(path)} is empty"
        return Problem("SR105", message, Target(path), advice)
    fix: Any = ("unsafe", ((Target(path), f'"{meant}"' if source.format == "toml" else meant),))
    return Problem("SR105", f"unknown {key} {shown(value)}", Target(path), f"did you mean `{meant}`?", fix=fix)


def _field(path: DocPath, form: Form) -> str:
    """The key of a model that ``path`` leads through last: what its words are called by."""
    for length in range(len(path), 0, -1):
        key, above = path[length - 1], place_at(path[: length - 1], form)
        if isinstance(key, str) and above is not None and above.model is not None and key in above.model.model_fields:
            return key
    return ""


def _wrong_type(failure: _Failure, place: Place | None) -> Problem:
    path, _, value, source, _ = failure
    kinds = place.kinds if place is not None else ("a JSON value",)
    wanted = " or ".join(kinds)
    if isinstance(value, list | dict) or not path:
        return Problem(
            "SR103", f"{label(path)} is {kind(value)}, not {wanted}", failure.key_target, _shape(failure, place)
        )
    scalar = source.scalar(path)
    plain = scalar is None or scalar.plain
    text = scalar.text if scalar is not None else str(value)
    what = f'the string "{text}" here' if isinstance(value, str) and plain and len(text) <= _SHORT else kind(value)
    message = f"{written(value, source, path)} is {what}, not {wanted}"
    code, help_ = "SR103", _shape(failure, place)
    if isinstance(value, float) and kinds == ("an integer",) and value.is_integer():
        code, help_ = "SR006", f"write `{value:.0f}`" if abs(value) < _EXACT else "write an integer"
    elif "a string" in kinds:
        # Everybody reads `1.5` as a number; `1e3` is one to YAML 1.2 and a string to YAML 1.1.
        code = "SR006" if isinstance(value, float) and "." not in text else "SR103"
        help_ = f'put it in quotes: `"{text}"`' if len(text) <= _SHORT else "put it in quotes"
    elif kinds == ("a boolean",):
        folded = str(value).strip().lower()
        help_ = f"write `{folded}` without quotes" if folded in ("true", "false") else "write `true` or `false`"
    elif isinstance(value, str) and value.isascii() and value.isdigit():
        help_ = f"write `{value}` without quotes"
    return Problem(code, message, Target(path), help_)


def _shape(failure: _Failure, place: Place | None) -> str:
    """What to write where something of another shape stands."""
    yaml = failure.source.format == "yaml"
    if not failure.path:
        return f"{failure.form.begins} begins with `{'version: 1' if yaml else 'version = 1'}`, and its keys stand at the left margin"
    if place is None:
        return "write null, true, false, a number, a string, a list or a mapping"
    if place.model is not None:
        fields = place.model.model_fields
        keys = [key for key, field in fields.items() if field.is_required()] or list(fields)
        return f"write {' or '.join(place.kinds)} with {listed(keys, 'and')}"
    if place.kinds == ("a list",):
        return _list_shape(failure)
    return f"write {' or '.join(place.kinds)}"


def _list_shape(failure: _Failure) -> str:
    """How a list is written, by what its items are and by what stands there."""
    path, _, value, source, form = failure
    items = place_at((*path, 0), form)
    if items is not None and "a string" not in items.kinds:
        if source.format == "toml":
            return f"write {shown(f'[[{path[-1]}]]')} above each of them"
        return "write a list: a `-` before the first key of each item"
    scalar = source.scalar(path)
    if scalar is None or not isinstance(value, str):
        return "write a list: `[...]`"
    return f"write a list: `[{scalar.text}]`" if scalar.plain else f'write a list: `["{scalar.text}"]`'
