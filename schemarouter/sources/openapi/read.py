"""Bytes of a JSON or YAML file to plain data. What cannot be read without doubt is refused whole."""

from __future__ import annotations

import gc
import json
import re
from typing import Any, Final, NoReturn

from schemarouter.document.yaml_scalars import TooManyDigitsError
from schemarouter.sources.openapi.limits import MAX_VALUES
from schemarouter.sources.problem import SourceError

#: What a YAML reader may take for a line end or for the end of the text, and an editor does not show.
_HIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def parse(raw: bytes, where: str) -> Any:
    """The data of a file: ``.json`` in its name, or a ``{`` at its start, means JSON, everything else YAML 1.2.

    Raises :class:`~schemarouter.sources.problem.SourceError` for what is no UTF-8, no JSON or YAML, repeats a key, or is
    past a limit.
    """
    text = _decode(raw, where)
    collecting = gc.isenabled()
    gc.disable()  # many small objects, none of them garbage
    try:
        if where.lower().endswith(".json") or (
            text.lstrip().startswith("{") and not where.lower().endswith((".yaml", ".yml"))
        ):
            return _json(text, where)
        return _yaml(text, where)
    finally:
        if collecting:
            gc.enable()


def _decode(raw: bytes, where: str) -> str:
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"byte {error.start + 1} is not UTF-8", where=where, help="save the document as UTF-8"
        ) from None


def _json(text: str, where: str) -> Any:
    if text.count("[") + text.count("{") + text.count(",") > MAX_VALUES:
        raise SourceError(f"the file holds more than {MAX_VALUES} values", where=where, help="split the document")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except _Refused as refused:
        raise SourceError(str(refused), where=where, help=refused.help) from None
    except json.JSONDecodeError as error:
        raise SourceError(
            f"the file is not JSON (line {error.lineno}, column {error.colno})",
            where=where,
            help="mend it, or save it anew",
        ) from None
    except RecursionError:
        raise SourceError("the file is nested too deeply", where=where, help="flatten it") from None
    except ValueError:  # an integer of thousands of digits
        raise SourceError("the file holds a number that is too long", where=where, help="shorten it") from None


class _Refused(Exception):  # noqa: N818 - control flow inside this module
    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.help = advice


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Refused(f"the key {_shown(twice)} stands twice in one object", "remove one of the two")
    return made


def _constant(_name: str) -> NoReturn:
    raise _Refused("the file holds NaN or Infinity, which is not JSON", "write a finite number, or null")


def _yaml(text: str, where: str) -> Any:
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    from schemarouter.sources.openapi.yaml_events import YamlProblem, load

    hidden = _HIDDEN.search(text)
    if hidden is not None:
        line = text.count("\n", 0, hidden.start()) + 1
        raise SourceError(
            f"line {line} holds the hidden character U+{ord(hidden.group()):04X}",
            where=where,
            help="remove or escape it",
        )
    try:
        return load(text)
    except YamlProblem as problem:
        raise SourceError(f"line {problem.line}: {problem}", where=where, help=problem.help) from None
    except TooManyDigitsError:
        raise SourceError("the file holds a number that is too long", where=where, help="shorten or quote it") from None
    except YAMLError as error:
        mark = error.problem_mark if isinstance(error, MarkedYAMLError) else None
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ""
        raise SourceError(f"the file is not YAML{place}", where=where, help="mend it, or save it as JSON") from None


def _shown(text: str) -> str:
    return "`" + (text if text.isprintable() else ascii(text)[1:-1])[:100] + "`"
