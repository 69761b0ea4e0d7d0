"""From the canonical JSON of a policy back to its records, every value checked. Standard library only.

The counterpart of ``digest.semantic``. Raises ``ValueError`` for whatever that would not have written.
"""

from __future__ import annotations

import re
from itertools import chain, repeat

from schemarouter.compiler.digest import FORMAT, FORMAT_VERSION
from schemarouter.compiler.records import (
    ANY,
    ApprovalGate,
    Budget,
    Classification,
    Content,
    GraphInvariant,
    GraphRule,
    Guards,
    HookNames,
    Location,
    Predicates,
    Retry,
)
from schemarouter.compiler.rules import check_patterns, make_conditions, make_predicates, shown
from schemarouter.model.decision import APPROVAL_MODES, EFFECTS
from schemarouter.model.frozen import FrozenMap
from schemarouter.model.names import all_plain, name_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from schemarouter.compiler.rules import Wrong

_WEIGHT = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]*[1-9])?|[1-9](\.[0-9]*[1-9])?E[+-][1-9][0-9]{0,3}")
_PARTS = {"format", "version", *Content._fields}


def read_content(policy: object, locations: object) -> Content:
    """The records of a policy, its rules at ``locations``: a path, and line and column of each in turn, or ``None``."""
    part = _mapping(policy, _PARTS, "policy")
    if part["format"] != FORMAT or type(part["version"]) is not int or part["version"] != FORMAT_VERSION:
        raise ValueError("the policy has another format or version")
    approval = _mapping(part["approval"], ApprovalGate._fields, "approval")
    if approval["mode"] not in APPROVAL_MODES:
        raise ValueError("the approval mode is unknown")
    guards = _mapping(part["defaults"], Guards._fields, "defaults")
    hooks = _mapping(part["hooks"], HookNames._fields, "hooks")
    return Content(
        _name_or_none(part["name"]),
        Guards(*(_switch(guards[field]) for field in Guards._fields)),
        ApprovalGate(approval["mode"], _name_or_none(approval["callback"])),
        tuple(_classification(row) for row in _list(part["classify"])),
        _rules(_list(part["rules"]), locations),
        _budget(part["budget"]),
        _retry(part["retry"]),
        HookNames(*(tuple(_name(name) for name in _list(hooks[field])) for field in HookNames._fields)),
        tuple(_invariant(row) for row in _list(part["invariants"])),
    )


def _rules(rows: list[Any], locations: object) -> tuple[GraphRule, ...]:
    """All rules, column by column: ten thousand of them are read at start-up, so no loop but those in C."""
    places = _locations(locations, len(rows))
    if not rows:
        return ()
    columns = list(zip(*rows, strict=True))
    if len(columns) != 6:
        raise ValueError("a rule is no row of six values")
    names, patterns, effects, reasons, asks, arguments = columns
    _check_columns(names, patterns, effects, reasons)
    wrong: Wrong = []
    fields = zip(
        names,
        map(tuple, patterns),
        effects,
        reasons,
        repeat(ANY) if asks.count(None) == len(asks) else [_predicates(one, wrong) for one in asks],
        repeat(None)
        if arguments.count(None) == len(arguments)
        else [None if one is None else make_conditions(_mapping(one, None, "conditions"), wrong) for one in arguments],
        places,
        strict=False,
    )
    rules: tuple[GraphRule, ...] = tuple(map(tuple.__new__, repeat(GraphRule), fields))
    if wrong:
        raise ValueError(wrong[0][2])
    return rules


def _check_columns(
    names: tuple[Any, ...], patterns: tuple[Any, ...], effects: tuple[Any, ...], reasons: tuple[Any, ...]
) -> None:
    """Raise for what no rule has. Only text can be joined, so joining a column checks the types in it."""
    if not set(effects) <= set(EFFECTS):
        raise ValueError("a rule has an unknown effect")
    if set(map(type, patterns)) != {list} or not all(patterns):
        raise ValueError("the patterns of a rule are no list, or an empty one")
    "".join(reason for reason in reasons if reason is not None)
    flat = list(chain.from_iterable(patterns))
    for what, column in (("pattern", flat), ("rule name", [name for name in names if name is not None])):
        if not all_plain(column):
            for text in column:
                problem = name_problem(text)
                if problem is not None:
                    raise ValueError(f"the {what} `{shown(text)}` {problem}")


def _predicates(value: object, wrong: Wrong) -> Predicates:
    if value is None:
        return ANY
    values = _list(value)
    if len(values) != 4:
        raise ValueError("predicates are no row of four values")
    return make_predicates((values[0], values[1], values[2], values[3]), wrong)


def _locations(value: object, count: int) -> Iterable[Location | None]:
    if value is None:
        return repeat(None)
    part = _mapping(value, ("path", "rules"), "locations")
    path, numbers = _text(part["path"]), _list(part["rules"])
    if len(numbers) != 2 * count or not set(map(type, numbers)) <= {int} or min(numbers, default=1) < 1:
        raise ValueError("the locations are not a line and a column for each rule")
    return map(tuple.__new__, repeat(Location), zip(repeat(path), numbers[0::2], numbers[1::2], strict=False))


def _classification(row: object) -> Classification:
    values = _list(row)
    if len(values) != 3 or not all(value is None or type(value) is bool for value in values[1:]):
        raise ValueError("an entry of classify is no row of patterns and two attributes")
    patterns = tuple(_text(pattern) for pattern in _list(values[0]))
    wrong: Wrong = []
    check_patterns(patterns, wrong)
    if wrong:
        raise ValueError(wrong[0][2])
    return Classification(patterns, values[1], values[2])


def _budget(value: object) -> Budget | None:
    if value is None:
        return None
    part = _mapping(value, Budget._fields, "budget")
    per_tool = _mapping(part["per_tool_calls"], None, "per_tool_calls")
    weights = _mapping(part["cost_units"], None, "cost_units")
    seconds = part["max_elapsed_seconds"]
    if seconds == 0:
        raise ValueError("max_elapsed_seconds is not above 0")
    calls, attempts, remote_attempts = (
        None if part[field] is None else _count(part[field], 0) for field in Budget._fields[:3]
    )
    return Budget(
        calls,
        attempts,
        remote_attempts,
        None if seconds is None else _number(seconds, 0),
        None if part["max_cost_units"] is None else _weight(part["max_cost_units"]),
        FrozenMap({_name(key): _count(limit, 0) for key, limit in per_tool.items()}),
        FrozenMap({_name(key): _weight(weight) for key, weight in weights.items()}),
    )


def _retry(value: object) -> Retry | None:
    if value is None:
        return None
    part = _mapping(value, Retry._fields, "retry")
    longest = part["max_backoff_seconds"]
    return Retry(
        _count(part["max_attempts"], 1),
        _number(part["initial_backoff_seconds"], 0),
        _number(part["backoff_multiplier"], 1),
        None if longest is None else _number(longest, 0),
        _switch(part["retry_non_read_only"]),
    )


def _invariant(row: object) -> GraphInvariant:
    values = _list(row)
    if len(values) != 3:
        raise ValueError("an invariant is no row of three values")
    return GraphInvariant(_name(values[0]), _text(values[1]), _text_or_none(values[2]))


def _mapping(value: object, keys: Any, what: str) -> dict[str, Any]:
    if type(value) is not dict or (keys is not None and value.keys() != set(keys)):
        raise ValueError(f"the keys of {what} are not those of a compiled policy")
    return value


def _list(value: object) -> list[Any]:
    if type(value) is not list:
        raise ValueError("something that should be a list is none")
    return value


def _text(value: object) -> str:
    if type(value) is not str:
        raise ValueError("something that should be text is none")
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)


def _name(value: object) -> str:
    text = _text(value)
    problem = name_problem(text)
    if problem is not None:
        raise ValueError(f"the name `{shown(text)}` {problem}")
    return text


def _name_or_none(value: object) -> str | None:
    return None if value is None else _name(value)


def _switch(value: object) -> bool:
    if type(value) is not bool:
        raise ValueError("something that should be true or false is neither")
    return value


def _count(value: object, least: int) -> int:
    if type(value) is not int or value < least:
        raise ValueError(f"something that should be an integer of at least {least} is none")
    return value


def _number(value: object, least: int) -> float:
    if type(value) is float and not value.is_integer() and least < value < float("inf"):
        return value
    return _count(value, least)


def _weight(value: object) -> str:
    text = _text(value)
    if not _WEIGHT.fullmatch(text):
        raise ValueError("a weight is no decimal number in its shortest form")
    return text
