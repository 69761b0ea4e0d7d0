"""Scalars that mislead: written so that readers of YAML disagree about them, without a value, or not finite.

YAML 1.2 (core schema) reads ``010`` as ten and ``no`` as a string; YAML 1.1, which much software still speaks, reads
eight and false. A policy must mean the same to everybody who reads it, so such a scalar is an error wherever it
stands; in quotes it is none.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING

from schemarouter.document.findings import MAX_PROBLEMS
from schemarouter.document.places import place_at
from schemarouter.document.words import label, shown
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
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
#: How an integer is written that everybody reads alike.
_PLAIN_INTEGER = {
    "yaml": re.compile(r"[-+]?(?:0|[1-9][0-9]*)"),
    "toml": re.compile(r"[-+]?(?:0|[1-9](?:_?[0-9])*)"),
}


def scalar_problems(source: Source) -> list[Problem]:
    """Walk over every value of the document once, and report the scalars that mislead.

    Stops soon after ``MAX_PROBLEMS``.
    """
    problems: list[Problem] = []
    strings_mislead = source.format == "yaml"
    plain_integer = _PLAIN_INTEGER[source.format].fullmatch
    # The third says whether null is an ordinary value: it is in conditions and in the arguments of examples.
    stack: list[tuple[DocPath, object, bool]] = [((), source.data, False)]
    while stack and len(problems) <= MAX_PROBLEMS:
        path, container, null_is_fine = stack.pop()
        if isinstance(container, dict):
            pairs = container.items()
        elif isinstance(container, list):
            pairs = enumerate(container)  # type: ignore[assignment]  # both are pairs of a step and a value
        else:
            continue
        for step, value in pairs:
            kind = type(value)
            if kind is str:
                if (
                    strings_mislead
                    and (value in _BOOLEAN_WORDS or (value and value[0] in _NUMBER_START and len(value) <= _LONGEST))
                    and (number := _other_reading(value)) is not None
                ):
                    _add_string(problems, source, (*path, step), number)
            elif kind is dict or kind is list:
                stack.append(((*path, step), value, null_is_fine or step == "arguments"))
            elif kind is int:
                scalar = source.scalar((*path, step))
                if scalar is not None and not plain_integer(scalar.text):
                    problems.append(_integer(value, scalar, (*path, step)))
            elif kind is float:
                if not isfinite(value):
                    problems.append(_not_finite((*path, step), source))
            elif value is None and not null_is_fine:
                _add_null(problems, (*path, step), source)
    return problems


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


def _add_string(problems: list[Problem], source: Source, path: DocPath, other: str) -> None:
    scalar = source.scalar(path)
    if scalar is None or not scalar.plain:
        return
    text = scalar.text
    kinds = _kinds(path)
    what = {"": "a date", "true": "the boolean true", "false": "the boolean false"}.get(other, f"the number {other}")
    boolean = other in ("true", "false")
    if kinds == ("a boolean",) and boolean:
        message = f'{shown(text)} is the string "{text}" here, not a boolean'
    else:
        message = f"{shown(text)} is a string here and {what} to YAML 1.1 readers"
    quoted = f'"{text}"'
    if kinds == ("a boolean",) and boolean:
        help_, edit = f"write `{other}`", other
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


def _integer(value: int, scalar: Scalar, path: DocPath) -> Problem:
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
    kinds = _kinds(path)
    quoted = f'`"{text}"`'
    if kinds and "a string" in kinds:
        meant = f"put it in quotes: {quoted}"
    elif not kinds:
        meant += f", or {quoted} for a string"
    return Problem("SR006", message, Target(path), meant)


def _not_finite(path: DocPath, source: Source) -> Problem:
    scalar = source.scalar(path)
    text = shown(scalar.text) if scalar is not None else label(path)
    return Problem("SR110", f"{text} is not a finite number", Target(path), "write a finite number, or leave it out")


def _add_null(problems: list[Problem], path: DocPath, source: Source) -> None:
    place = place_at(path)
    if place is None or path == ("version",):
        return  # an unknown key, or a missing version: said where keys are compared with the models
    scalar = source.scalar(path)
    bare = scalar is None or not scalar.text
    message = f"{label(path)} has no value" if bare else f"{label(path)} is null"
    key = path[-1]
    parent = place_at(path[:-1])
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


def _kinds(path: DocPath) -> tuple[str, ...]:
    place = place_at(path)
    return place.kinds if place is not None else ()
