"""What every renderer says in the same words. Imports nothing heavy: a clean check ends here."""

from __future__ import annotations

import json
from collections.abc import Mapping

from schemarouter.model.diagnostic import Call
from schemarouter_cli.outcome import Outcome
from schemarouter_cli.text import count, printable

READ_ONLY_WORDS = {True: "read-only", False: "mutating", None: "unclassified"}
DESTRUCTIVE_WORDS = {True: "destructive", False: "not destructive", None: "destructive unknown"}


def summary(outcome: Outcome) -> str:
    """``2 errors and 1 warning in 3 files (1 suppressed)``."""
    numbers = [count(number, severity) for severity, number in outcome.counts().items() if number]
    found = " and ".join([", ".join(numbers[:-1]), numbers[-1]] if len(numbers) > 1 else numbers)
    suppressed = f" ({outcome.suppressed} suppressed)" if outcome.suppressed else ""
    return f"{found or 'no findings'} in {count(len(outcome.files), 'file')}{suppressed}"


def load_lines(outcome: Outcome) -> list[str]:
    """With a catalog, for each policy what becomes of the operations, and how many ask a person."""
    lines = []
    for path, load in (outcome.loads or {}).items():
        share = f" ({100 * load.approval // load.operations}%)" if load.operations else ""
        asking = f"{load.approval} of {count(load.operations, 'operation')} ask a person{share}"
        more = f", {load.may_ask} more for some arguments" if load.may_ask else ""
        rest = f"{load.allow} run at once, {load.deny} are denied, {load.depends} depend on arguments"
        lines.append(f"approval load of {printable(path)}: {asking}{more}; {rest}")
    return lines


def attributes_text(remote: bool, read_only: bool | None, destructive: bool | None) -> str:
    """Attributes of a call in words: ``remote, unclassified, destructive unknown``."""
    return f"{'remote' if remote else 'local'}, {READ_ONLY_WORDS[read_only]}, {DESTRUCTIVE_WORDS[destructive]}"


def call_text(call: Call) -> str:
    """A call in words, with its arguments as JSON."""
    text = f"`{printable(call.operation)}`, {attributes_text(call.remote, call.read_only, call.destructive)}"
    return f"{text}, arguments {dump(call.arguments)}" if call.arguments else text


def dump(value: object, *, indent: int | None = None) -> str:
    """JSON in ASCII: safe on every terminal, also for names that hold hidden characters or lone surrogates."""
    return json.dumps(_clean(value), indent=indent, allow_nan=False)


def _clean(value: object) -> object:
    """``value`` with lone surrogates, which JSON parsers refuse, written out as text."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, Mapping):
        return {str(_clean(key)): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value


def call_record(call: Call) -> dict[str, object]:
    """CALL of SPEC 12.1."""
    return {
        "operation": call.operation,
        "remote": call.remote,
        "read_only": call.read_only,
        "destructive": call.destructive,
        "arguments": call.arguments,
    }
