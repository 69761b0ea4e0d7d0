"""What is wrong with argument conditions (SPEC 2.6), all of it in one pass. Standard library only.

Refused is also what can never mean anything: a condition that says nothing, or that no value could satisfy or fail.
"""

from __future__ import annotations

import re
from collections import namedtuple

from schemarouter.errors import SchemaRouterError
from schemarouter.match.condition_sense import nonsense
from schemarouter.match.keywords import INSTEAD, KEYWORDS, MAX_DEPTH, SINGULARS, TYPES
from schemarouter.match.strings import plain_path
from schemarouter.match.values import family, is_integer, key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, NamedTuple, TypeAlias

    Path: TypeAlias = tuple[str | int, ...]
    Kind: TypeAlias = Literal["unknown-keyword", "wrong-type", "bad-value"]

    class ConditionProblem(NamedTuple):
        """Something wrong at ``path`` (keys and list indices, from the map of arguments); ``help`` says what to do."""

        path: Path
        kind: Kind
        message: str
        help: str | None
else:
    ConditionProblem = namedtuple("ConditionProblem", "path kind message help")


class ConditionError(SchemaRouterError, ValueError):
    """Argument conditions that cannot be compiled: raised once, with everything that is wrong in ``problems``."""

    def __init__(self, problems: Sequence[ConditionProblem]) -> None:
        self.problems: tuple[ConditionProblem, ...] = tuple(problems)
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        super().__init__(f"{self.problems[0].message}{more}")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.problems,))


_LONGEST_GUESS = 60
_MOST_GUESSES = 100
_BAD_ESCAPE = re.compile("~(?![01])")


def condition_problems(arguments: object) -> list[ConditionProblem]:
    """Everything wrong with ``arguments``, a map from argument name or JSON Pointer to condition, in document order."""
    found = _Finder()
    if not isinstance(arguments, dict):
        found.add((), "wrong-type", "conditions must be a map from argument name to condition", "write `name: {...}`")
    elif not arguments:
        found.add((), "bad-value", "no argument is named", "name an argument, or leave `arguments` out")
    else:
        for name, condition in arguments.items():
            if not isinstance(name, str):
                found.add((), "wrong-type", "the name of an argument must be a string", "put it in quotes")
                continue
            if name.startswith("/") and _BAD_ESCAPE.search(name):
                advice = "in a JSON Pointer write `~0` for `~` and `~1` for `/`"
                found.add((name,), "bad-value", f"`{name}` is no JSON Pointer", advice)
            found.condition((name,), condition, can_be_absent=True)
    return found.problems


class _Finder:
    """Walks conditions and collects; one method for each shape of operand."""

    def __init__(self) -> None:
        self.problems: list[ConditionProblem] = []

    def add(self, path: Path, kind: Kind, message: str, advice: str | None = None) -> None:
        self.problems.append(ConditionProblem(path, kind, message, advice))

    def condition(self, path: Path, condition: object, *, can_be_absent: bool = False, depth: int = MAX_DEPTH) -> None:
        if not isinstance(condition, dict):
            name = SINGULARS.get(family(condition) or "", "something else")
            self.add(path, "wrong-type", f"a condition must be a map of keywords, not {name}", _map_help(condition))
            return
        if depth <= 0:
            self.add(
                path, "bad-value", f"conditions lie more than {MAX_DEPTH} levels deep in each other", "flatten them"
            )
            return
        if can_be_absent and not condition:
            advice = "write what the argument must be, or `absent: false` if it only has to be there"
            self.add(path, "bad-value", "the condition says nothing", advice)
        before = len(self.problems)
        for keyword, operand in condition.items():
            where = (*path, keyword)
            if keyword == "absent":
                if not can_be_absent:
                    self.add(
                        where, "bad-value", "`absent` has no meaning here", "only arguments and members can be absent"
                    )
                elif type(operand) is not bool:
                    self.add(
                        where, "wrong-type", "`absent` must be true or false", "write `true` or `false`, without quotes"
                    )
            elif keyword in _OPERANDS:
                _OPERANDS[keyword](self, where, operand, depth)
            else:
                self.unknown(path, keyword)
        if len(self.problems) == before:
            for place, message, correction in nonsense(condition):
                self.add((*path, *place), "bad-value", message, correction)

    def unknown(self, path: Path, keyword: object) -> None:
        if not isinstance(keyword, str):
            self.add(path, "wrong-type", "a keyword must be a string", "put it in quotes")
            return
        advice = INSTEAD.get(keyword)
        if advice is None:
            from difflib import get_close_matches

            # Comparing is slow: a short keyword only, and not for the ten-thousandth of them.
            worthwhile = len(keyword) <= _LONGEST_GUESS and len(self.problems) < _MOST_GUESSES
            close = get_close_matches(keyword, KEYWORDS, n=1) if worthwhile else []
            advice = f"did you mean `{close[0]}`?" if close else f"the keywords are {', '.join(KEYWORDS)}"
        self.add((*path, keyword), "unknown-keyword", f"unknown keyword `{keyword}` in a condition", advice)

    # Operands, each at its path.

    def type_names(self, path: Path, operand: object, _depth: int) -> None:
        names = operand if isinstance(operand, list) else [operand]
        if not names:
            self.add(path, "bad-value", "`type` names no type", f"the types are {', '.join(TYPES)}")
        for name in names:
            if not isinstance(name, str):
                advice = 'write `"null"` in quotes' if name is None else f"the types are {', '.join(TYPES)}"
                self.add(path, "wrong-type", "`type` must be a name of a type, or a list of them", advice)
            elif name not in TYPES:
                self.add(path, "bad-value", f"unknown type `{name}`", f"the types are {', '.join(TYPES)}")
            elif names.count(name) > 1:
                self.add(path, "bad-value", f"type `{name}` is listed more than once", "remove one of the two")
                return

    def constant(self, path: Path, operand: object, _depth: int) -> None:
        self._json(path, operand)

    def enumeration(self, path: Path, operand: object, _depth: int) -> None:
        if not isinstance(operand, list):
            self.add(path, "wrong-type", "`enum` must be a list", "for one value use `const`")
            return
        if not operand:
            self.add(path, "bad-value", "`enum` lists no value, so nothing could satisfy it", "list the values")
        seen = set()
        for index, member in enumerate(operand):
            if not self._json((*path, index), member):
                continue
            known = key(member)
            if known in seen:
                self.add((*path, index), "bad-value", "this value is listed in `enum` already", "remove it")
            seen.add(known)

    def _json(self, path: Path, value: object) -> bool:
        try:
            key(value, MAX_DEPTH)
        except ValueError:
            message = f"this is no JSON value, not finite, or more than {MAX_DEPTH} levels deep"
            self.add(path, "bad-value", message, "write null, true, false, a number, a string, a list or a map")
            return False
        return True

    def bound(self, path: Path, operand: object, _depth: int) -> None:
        if family(operand) != "number":
            if isinstance(operand, float):
                self.add(path, "bad-value", f"`{path[-1]}` must be finite", "write a number, or leave the keyword out")
            else:
                self.add(path, "wrong-type", f"`{path[-1]}` must be a number", "write a number, without quotes")

    def count(self, path: Path, operand: object, _depth: int) -> None:
        if family(operand) != "number" or not is_integer(operand):
            self.add(path, "wrong-type", f"`{path[-1]}` must be an integer", "write a whole number, without quotes")
        elif isinstance(operand, (int, float)) and operand < 0:
            self.add(path, "bad-value", f"`{path[-1]}` must not be negative", "write 0 or more")

    def patterns(self, path: Path, operand: object, _depth: int) -> None:
        self._strings(path, operand, "pattern")

    def hosts(self, path: Path, operand: object, _depth: int) -> None:
        for where, pattern in self._strings(path, operand, "pattern"):
            if "/" in pattern or ":" in pattern or "@" in pattern:
                advice = "leave out scheme, port and path: `api.example.com` or `*.example.com`"
                self.add(where, "bad-value", f"`{pattern}` is more than a host", advice)
            elif not pattern.isascii():
                advice = "write the host as it is sent, beginning with `xn--`"
                self.add(where, "bad-value", f"`{pattern}` can match no host: it is not ASCII", advice)
            elif pattern != pattern.lower():
                advice = f"hosts are compared in lower case: write `{pattern.lower()}`"
                self.add(where, "bad-value", f"`{pattern}` can match no host: it has capital letters", advice)

    def folders(self, path: Path, operand: object, _depth: int) -> None:
        for where, folder in self._strings(path, operand, "folder"):
            if "*" in folder or "?" in folder:
                advice = "`under` knows no wildcards: name the folder, or use `like`"
                self.add(where, "bad-value", f"`{folder}` has a wildcard", advice)
            elif plain_path(folder) is None:
                advice = "write a folder that begins with one `/`, without `..`, backslash or per-cent sign"
                self.add(where, "bad-value", f"`{folder}` is no plain absolute folder", advice)

    def names(self, path: Path, operand: object, _depth: int) -> None:
        if not isinstance(operand, list):
            self.add(path, "wrong-type", "`required` must be a list of names", "write `required: [name, ...]`")
            return
        seen = set()
        for index, name in enumerate(operand):
            if not isinstance(name, str):
                self.add((*path, index), "wrong-type", "a name in `required` must be a string", "put it in quotes")
            elif name in seen:
                self.add((*path, index), "bad-value", f"`{name}` is listed in `required` already", "remove it")
            else:
                seen.add(name)
        if not operand:
            self.add(
                path, "bad-value", "`required` lists no name, so it says nothing", "name a member, or leave it out"
            )

    def _strings(self, path: Path, operand: object, what: str) -> list[tuple[Path, str]]:
        """The strings of an operand that is one string or a list of them, each with its path."""
        if isinstance(operand, str):
            return [(path, operand)]
        if not isinstance(operand, list):
            self.add(path, "wrong-type", f"`{path[-1]}` must be a {what}, or a list of them", "put it in quotes")
            return []
        if not operand:
            self.add(path, "bad-value", f"`{path[-1]}` lists no {what}, so nothing could satisfy it", f"write a {what}")
        good: list[tuple[Path, str]] = []
        for index, item in enumerate(operand):
            if isinstance(item, str):
                good.append(((*path, index), item))
            else:
                self.add((*path, index), "wrong-type", f"a {what} must be a string", "put it in quotes")
        return good

    def inner(self, path: Path, operand: object, depth: int) -> None:
        self.condition(path, operand, depth=depth - 1)

    def several(self, path: Path, operand: object, depth: int) -> None:
        if not isinstance(operand, list):
            self.add(
                path, "wrong-type", f"`{path[-1]}` must be a list of conditions", f"write `{path[-1]}: [{{...}}, ...]`"
            )
            return
        if not operand:
            self.add(path, "bad-value", f"`{path[-1]}` lists no condition", "write a condition, or leave it out")
        for index, condition in enumerate(operand):
            self.condition((*path, index), condition, depth=depth - 1)

    def members(self, path: Path, operand: object, depth: int) -> None:
        if not isinstance(operand, dict):
            self.add(
                path,
                "wrong-type",
                "`properties` must be a map from name to condition",
                "write `properties: {name: {...}}`",
            )
            return
        if not operand:
            self.add(
                path, "bad-value", "`properties` names no member, so it says nothing", "name a member, or leave it out"
            )
        for name, condition in operand.items():
            if isinstance(name, str):
                self.condition((*path, name), condition, can_be_absent=True, depth=depth - 1)
            else:
                self.add(path, "wrong-type", "a name in `properties` must be a string", "put it in quotes")

    def closed(self, path: Path, operand: object, _depth: int) -> None:
        if operand is not False:
            advice = "write `false`, or leave it out: other members are let through unless it is false"
            self.add(path, "bad-value", "`additionalProperties` can only be false", advice)


def _map_help(condition: object) -> str:
    if isinstance(condition, list):
        return "for one of several values write `enum: [...]`"
    return "for exactly this value write `const: ...`"


_OPERANDS: dict[str, Callable[[_Finder, Path, object, int], None]] = {
    "type": _Finder.type_names,
    "const": _Finder.constant,
    "enum": _Finder.enumeration,
    "minimum": _Finder.bound,
    "maximum": _Finder.bound,
    "exclusiveMinimum": _Finder.bound,
    "exclusiveMaximum": _Finder.bound,
    "minLength": _Finder.count,
    "maxLength": _Finder.count,
    "minItems": _Finder.count,
    "maxItems": _Finder.count,
    "like": _Finder.patterns,
    "host": _Finder.hosts,
    "under": _Finder.folders,
    "items": _Finder.inner,
    "contains": _Finder.inner,
    "not": _Finder.inner,
    "allOf": _Finder.several,
    "anyOf": _Finder.several,
    "properties": _Finder.members,
    "required": _Finder.names,
    "additionalProperties": _Finder.closed,
}
