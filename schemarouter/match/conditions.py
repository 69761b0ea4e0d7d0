"""Argument conditions of a rule (SPEC 2.6), compiled: does a call's set of arguments satisfy them? Standard library only.

A condition is a closed subset of JSON Schema and the keywords ``like``, ``under``, ``host`` and ``absent``. The answer is
``True``, ``False`` or ``None``: indeterminate, which the decision treats as whatever is stricter.

Where the specification leaves room:

* A member that ``properties`` names and that is not there is indeterminate, like a missing argument, so that leaving it
  out never widens what is allowed. ``required`` or ``absent: false`` make it a no, ``absent: true`` a yes.
* Where ``type`` lists several types, a keyword about one of them lets values of the others pass, as in JSON Schema:
  ``{type: [number, "null"], maximum: 5}`` accepts null.
* Exact Python types only: a value of another class, of a subclass too, is indeterminate. So are all conditions if the
  arguments are not known.
* A JSON Pointer goes into lists by index; ``-`` and other steps that no list has are indeterminate.
"""

from __future__ import annotations

from schemarouter.match.condition_problems import ConditionError, ConditionProblem, condition_problems
from schemarouter.match.condition_text import normal_form, written
from schemarouter.match.evaluate import Check, all_of
from schemarouter.match.keywords import SINGULARS
from schemarouter.match.values import family

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from schemarouter.match.evaluate import Kleene

__all__ = ["ConditionError", "ConditionProblem", "Conditions", "compile_conditions", "condition_problems"]


class _Mark:
    """What a place holds when there is no value to test."""


#: Nothing is there.
_ABSENT = _Mark()
#: Nobody can say what is there: the way to it leads through something that has no parts.
_UNREACHABLE = _Mark()
_LONGEST_INDEX = 15


class Conditions:
    """All conditions of one rule. Immutable, equal by meaning of what was written, picklable, safe from several threads."""

    __slots__ = ("_checks", "_normal")

    _checks: tuple[tuple[str, tuple[str, ...], Check], ...]
    _normal: dict[str, Any]

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        """Raises :class:`ConditionError` with every problem that ``arguments`` has."""
        problems = condition_problems(arguments)
        if problems:
            raise ConditionError(problems)
        normal = {name: normal_form(condition) for name, condition in sorted(arguments.items())}
        object.__setattr__(self, "_normal", normal)
        checks = tuple((name, _steps(name), Check(condition)) for name, condition in normal.items())
        object.__setattr__(self, "_checks", checks)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("conditions cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("conditions cannot be changed")

    def evaluate(self, arguments: Mapping[str, object] | None) -> bool | None:
        """Whether all conditions hold; ``None`` if that cannot be told. ``None`` for ``arguments``: they are not known."""
        return all_of(_verdict(check, _look_up(arguments, steps)) for _, steps, check in self._checks)

    def why(self, arguments: Mapping[str, object] | None) -> list[tuple[str, bool | None, str]]:
        """For each condition the argument, the answer and a short reason, which never quotes the argument's value."""
        answers = []
        for name, steps, check in self._checks:
            place = _look_up(arguments, steps)
            answers.append((name, _verdict(check, place), _reason(check, self._normal[name], place, arguments is None)))
        return answers

    def canonical(self) -> dict[str, Any]:
        """The normal form as JSON values of its own, for the digest: compiles to equal conditions again."""
        return {name: normal_form(condition) for name, condition in self._normal.items()}

    def describe(self) -> str:
        """The conditions as a short text for people, such as ``amount: {type: number, maximum: 500}``."""
        return "; ".join(f"{written(name)}: {written(condition)}" for name, condition in self._normal.items())

    def __eq__(self, other: object) -> bool:
        return written(self._normal) == written(other._normal) if isinstance(other, Conditions) else NotImplemented

    def __hash__(self) -> int:
        return hash(written(self._normal))

    def __repr__(self) -> str:
        return f"Conditions({self._normal!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.canonical(),))


def compile_conditions(arguments: Mapping[str, object]) -> Conditions:
    """Compile a map from argument name, or JSON Pointer into the arguments, to condition.

    Raises :class:`ConditionError` with every problem, which :func:`condition_problems` also lists without raising.
    """
    return Conditions(arguments)


def _steps(name: str) -> tuple[str, ...]:
    if not name.startswith("/"):
        return (name,)
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in name.split("/")[1:])


def _look_up(arguments: Mapping[str, object] | None, steps: tuple[str, ...]) -> object:
    if arguments is None:
        return _UNREACHABLE
    here: object = arguments if type(arguments) is dict else {**arguments}
    for step in steps:
        if type(here) is dict:
            if step not in here:
                return _ABSENT
            here = here[step]
        elif type(here) is list and step.isascii() and step.isdigit() and (step == "0" or step[0] != "0"):
            if len(step) > _LONGEST_INDEX or int(step) >= len(here):
                return _ABSENT
            here = here[int(step)]
        else:
            return _UNREACHABLE
    return here


def _verdict(check: Check, place: object) -> Kleene:
    if place is _ABSENT:
        return check.absent
    return None if place is _UNREACHABLE else check(place)


def _reason(check: Check, condition: Mapping[str, Any], place: object, unknown: bool) -> str:
    if unknown:
        return "is not known"
    if place is _UNREACHABLE:
        return "cannot be looked up: a value on the way has no such part"
    if place is _ABSENT:
        says = {None: "and the condition does not say what that means", True: "which is allowed", False: "and must be"}
        return f"is not there, {says[check.absent]}"
    kind = family(place)
    if kind is None:
        return "is no JSON value, or not finite"
    doubts = []
    for keyword, test in check.tests:
        answer = test(place, kind)
        text = written({keyword: condition[keyword]})[1:-1]
        if answer is False:
            return f"fails `{text}`"
        if answer is None:
            doubts.append(text)
    return f"is {SINGULARS[kind]}, of which `{doubts[0]}` cannot tell" if doubts else "holds"
