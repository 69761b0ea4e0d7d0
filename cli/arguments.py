"""What the user says of a call on the command line: its operation, and its arguments as JSON."""

from __future__ import annotations

import json

from schemarouter.model.names import name_problem, split_operation
from schemarouter_cli.failure import CannotRun
from schemarouter_cli.files import read_bytes
from schemarouter_cli.text import printable

#: Bytes of a file with arguments.
LIMIT = 16 * 1024 * 1024


def legal_operation(operation: str) -> str:
    """``operation``, if it can be one (SPEC 1); a policy decides nothing about other names."""
    problem = name_problem(operation)
    if problem is None and not split_operation(operation):
        problem = "has no tool key, dot and endpoint name, such as `tickets.create`"
    if problem is not None:
        raise CannotRun(f"the operation `{printable(operation)}` {problem}")
    return operation


def read_arguments(text: str | None) -> dict[str, object] | None:
    """The arguments in JSON ``text`` or in the file ``@FILE``; ``None`` if nothing is said of them.

    Held to what a call may carry: an object, without duplicate keys, NaN, infinities, or more than a call can hold.
    """
    if text is None:
        return None
    from schemarouter.model.json_value import JsonValueError, checked_copy

    if text.startswith("@"):
        raw = read_bytes(text[1:], LIMIT)
        if len(raw) > LIMIT:
            raise CannotRun("the file with the arguments is too large")
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise CannotRun("the file with the arguments is not UTF-8") from None
    try:
        value = json.loads(text, object_pairs_hook=_unique)
        if not isinstance(value, dict):
            raise _refusal("they are no JSON object")
        copy: dict[str, object] = checked_copy(value)
    except json.JSONDecodeError as error:
        raise _refusal(f"{error.msg[:1].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}") from None
    except JsonValueError as error:
        raise _refusal(f"the object {error.reason}") from None
    except (ValueError, RecursionError):  # digits without end, brackets without end
        raise _refusal("they are larger than a call may be") from None
    return copy


def _refusal(problem: str) -> CannotRun:
    return CannotRun(
        f"the arguments cannot be used: {problem}",
        """write `--arguments '{"name": "value"}'`, or `--arguments @FILE`""",
    )


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys differ: which one of two counts is the reader's guess, and not the policy's."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _refusal("a key stands twice in one object")
    return found
