"""Scalars that mislead: written so that readers of YAML disagree about them, or without a value.

YAML 1.2 (core schema) reads ``010`` as ten and ``no`` as a string; YAML 1.1, which much software still speaks, reads
eight and false. A policy must mean the same to everybody who reads it, so such a scalar is an error wherever it
stands; in quotes it is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from schemarouter.document.findings import MAX_PROBLEMS
from schemarouter.document.places import POLICY, place_at
from schemarouter.document.words import label, listed, shown
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from schemarouter.document.places import Form
    from schemarouter.document.source import Scalar, Source
    from schemarouter.model.diagnostic import DocPath

_TRUE = frozenset({"y", "Y", "yes", "Yes", "YES", "on", "On", "ON"})
_FALSE = frozenset({"n", "N", "no", "No", "NO", "off", "Off", "OFF"})
_BOOLEAN_WORDS = _TRUE | _FALSE
_NUMBER_START = frozenset("+-.0123456789")
_LONGEST = 40
#: Strings of YAML 1.2 that YAML 1.1 reads as a number or a date.
_UNDERSCORED = re.compile(
    r"[-+]?(?:0x[0-9a-fA-F_]+|0o[0-7_]+|[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?"
)
_BINARY = re.compile(r"[-+]?0b[01_]+")
_BASE_60 = re.compile(r"([-+]?)([0-9][0-9_]*(?::[0-5]?[0-9])+)(?:\.[0-9_]*)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9:.]+\s*(?:Z|[-+][0-9:]+)?)?")
_ODD_INTEGER = re.compile("0[0-9xob]")
#: How an integer is written that everybody reads alike.
_PLAIN_INTEGER = {
    "yaml": re.compile(r"[-+]?(?:0|[1-9][0-9]*)"),
    "toml": re.compile(r"[-+]?(?:0|[1-9](?:_?[0-9])*)"),
}


def scalar_problems(source: Source, form: Form = POLICY) -> list[Problem]:
    """Report the scalars that mislead, in the order of the document; stops soon after ``MAX_PROBLEMS``."""
    problems: list[Problem] = []
    integers = _holds_odd_integers(source.text)
    for path, part in _parts(source.data):
        if _deserves_a_look(part, integers):
            _walk(path, part, source, form, problems)
            if len(problems) > MAX_PROBLEMS:
                break
    return problems


def _parts(data: object) -> Iterator[tuple[DocPath, object]]:
    """The document in pieces: most rules are cleared without working out a single path."""
    if not isinstance(data, dict):
        yield (), [data] if isinstance(data, list) else []
        return
    yield (), {key: value for key, value in data.items() if not isinstance(value, list)}
    for key, value in data.items():
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield (key, index), item


def _holds_odd_integers(text: str) -> bool:
    """Whether a token of ``text`` starts as an integer does that not everybody reads alike: ``010``, ``-0x1``."""
    for found in _ODD_INTEGER.finditer(text):
        before = text[max(found.start() - 2, 0) : found.start()].rstrip("+-")
        if not before or not (before[-1].isalnum() or before[-1] in "_."):
            return True
    return False


def _deserves_a_look(part: object, integers: bool) -> bool:
    """Whether ``part`` holds null, a string that starts like a number or a boolean word, or one of the ``integers``."""
    containers: list[Any] = [part] if isinstance(part, dict | list) else [[part]]
    for container in containers:
        values: Iterable[Any] = container.values() if isinstance(container, dict) else container
        for value in values:
            kind = type(value)
            if kind is str:
                if value[:1] in _NUMBER_START or value in _BOOLEAN_WORDS:
                    return True
            elif kind is dict or kind is list:
                containers.append(value)
            elif value is None or (integers and kind is int):
                return True
    return False


def _walk(at: DocPath, part: object, source: Source, form: Form, problems: list[Problem]) -> None:
    """Report every scalar of ``part``, which stands at ``at``."""
    # The third says whether null is an ordinary value: it is in conditions and in the arguments of examples.
    stack: list[tuple[DocPath, object, bool]] = [(at, part, False)]
    while stack:
        path, value, null_is_fine = stack.pop()
        if isinstance(value, dict):
            fine = null_is_fine or path[-1:] == ("arguments",)
            stack += [((*path, key), item, fine) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            stack += [((*path, index), item, null_is_fine) for index, item in reversed([*enumerate(value)])]
        elif isinstance(value, str):
            if source.format == "yaml" and len(value) <= _LONGEST and (other := _other_reading(value)) is not None:
                _add_string(problems, source, path, other, form)
        elif type(value) is int:
            scalar = source.scalar(path)
            if scalar is not None and not _PLAIN_INTEGER[source.format].fullmatch(scalar.text):
                problems.append(_integer(value, scalar, path, form))
        elif value is None and not null_is_fine:
            _add_null(problems, path, source, form)


def _other_reading(text: str) -> str | None:
    """What YAML 1.1 makes of a string: a boolean, a number, a date (``""``); ``None`` if it is a string there too."""
    if text in _BOOLEAN_WORDS:
        return "true" if text in _TRUE else "false"
    if _BINARY.fullmatch(text):
        return str(int(text.replace("_", "").replace("0b", "") or "0", 2))
    if "_" in text and _UNDERSCORED.fullmatch(text):
        bare = text.replace("_", "")
        return str(int(bare, 0)) if bare.lower().lstrip("+-").startswith(("0x", "0o")) and len(bare) > 2 else bare
    if found := _BASE_60.fullmatch(text):
        total = 0
        for digits in found[2].replace("_", "").split(":"):
            total = total * 60 + int(digits)
        return f"{found[1].strip('+')}{total}"
    return "" if _DATE.fullmatch(text) else None


def _add_string(problems: list[Problem], source: Source, path: DocPath, other: str, form: Form) -> None:
    scalar = source.scalar(path)
    if scalar is None or not scalar.plain:
        return
    text = scalar.text
    kinds = _kinds(path, form)
    what = {"": "a date", "true": "the boolean true", "false": "the boolean false"}.get(other, f"the number {other}")
    boolean = other in ("true", "false")
    if kinds == ("a boolean",) and boolean:
        message = f'{shown(text)} is the string "{text}" here, not a boolean'
    else:
        message = f"{shown(text)} is a string here and {what} to YAML 1.1 readers"
    quoted = f'"{text}"'
    if kinds == ("a boolean",) and boolean:
        help_, edit = f"write `{other}`", other
    elif words := _words(path, form):
        help_, edit = f"write {listed(words)}", ""
    elif kinds and "a string" not in kinds:
        help_, edit = (f"write `{other}`" if other and not boolean else f"write {' or '.join(kinds)}"), ""
    elif kinds or not other:
        help_, edit = f"put it in quotes: `{quoted}`", quoted
    else:
        help_, edit = f"write `{other}` for {what}, or `{quoted}` for the string", ""
    target = Target(path)
    # Quotes keep what the file says; `true` for `yes` is a guess at what was meant.
    fix = ("safe" if edit == quoted else "unsafe", ((target, edit),)) if edit else None
    problems.append(Problem("SR006", message, target, help_, fix=fix))  # type: ignore[arg-type]  # the two literals


def _integer(value: int, scalar: Scalar, path: DocPath, form: Form) -> Problem:
    text = scalar.text
    digits = text.lstrip("+-")
    if digits[1:2] in {"x", "o", "b"}:
        base = {"x": 16, "o": 8, "b": 2}[digits[1]]
        message = f"{shown(text)} is {value}, written in base {base}"
        meant = f"write `{value}`"
    else:
        octal = int(digits, 8) if set(digits) <= set("01234567") else None
        other = f"{octal} to YAML 1.1 readers" if octal is not None else "a string to YAML 1.1 readers"
        message = f"{shown(text)} has a leading zero" + (f": it is {value} here and {other}" if octal != value else "")
        meant = f"write `{value}`" if octal is None or octal == value else f"write `{value}` or `{octal}`"
    kinds = _kinds(path, form)
    quoted = f'`"{text}"`'
    if kinds and "a string" in kinds:
        meant = f"put it in quotes: {quoted}"
    elif not kinds:
        meant += f", or {quoted} for a string"
    return Problem("SR006", message, Target(path), meant)


def _add_null(problems: list[Problem], path: DocPath, source: Source, form: Form) -> None:
    place = place_at(path, form)
    if place is None or path == ("version",):
        return  # an unknown key, or a missing version: said where keys are compared with the models
    scalar = source.scalar(path)
    bare = scalar is None or not scalar.text
    message = f"{label(path)} has no value" if bare else f"{label(path)} is null"
    key = path[-1]
    parent = place_at(path[:-1], form)
    if isinstance(key, int):
        help_ = "give the item a value, or remove it"
    elif "a list" in place.kinds and "a string" not in place.kinds:
        help_ = f"write `{key}: []` or leave it out"
    elif place.model is not None and "a string" not in place.kinds:
        help_ = f"write `{key}: {{}}` or leave it out"
    elif parent is not None and parent.model is not None and parent.model.model_fields[key].is_required():
        help_ = f"give it a value: {' or '.join(place.kinds)}"
    else:
        help_ = f"give it a value ({' or '.join(place.kinds)}), or leave it out"
    problems.append(Problem("SR103", message, Target(path, "entry"), help_))


def _words(path: DocPath, form: Form) -> list[str]:
    """The words that may stand at ``path``, if only some may: none of them is one that readers disagree about."""
    place = place_at(path, form)
    return [str(word) for word in place.values] if place is not None else []


def _kinds(path: DocPath, form: Form) -> tuple[str, ...]:
    place = place_at(path, form)
    return place.kinds if place is not None else ()
