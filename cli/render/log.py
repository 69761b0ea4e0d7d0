"""Decision logs for people and as JSON: what a verification found, and single records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from schemarouter_cli.render.plain import dump
from schemarouter_cli.text import count, printable

if TYPE_CHECKING:
    from rich.text import Text

    from schemarouter.audit.verify import Verification


def render_json(found: Verification) -> str:
    """The document that ``schemas/log-verify.v1.schema.json`` describes."""
    document = {
        "version": 1,
        "ok": not found.breaks,
        **{name: value for name, value in found._asdict().items() if name not in ("breaks", "more_breaks")},
        "unanchored": found.unanchored,
        "breaks": [each._asdict() for each in found.breaks],
        "more_breaks": found.more_breaks,
    }
    return dump(document, indent=2) + "\n"


def render_full(found: Verification, *, color: bool, width: int) -> str:
    """One line that says OK or how much is broken, then each break with its place, then what else is to be known."""
    from schemarouter_cli.render.console import render

    return render(_lines(found), color=color, width=width)


def _lines(found: Verification) -> Iterator[Text]:
    from rich.text import Text

    what = f"{count(found.records, 'record')} in {count(found.files, 'file')}"
    if not found.breaks:
        yield Text.assemble(("OK", "bold green"), f": {what}, {found.first} to {found.last}")
    else:
        number = count(len(found.breaks) + found.more_breaks, "break")
        yield Text.assemble(("NOT WHOLE", "bold red"), f": {number} among {what}")
    for each in found.breaks:
        place = printable(each.path) + (f":{each.line}" if each.line else "")
        yield Text.assemble("  ", (place, "bold"), f": {each.kind}: {each.message}")
    if found.more_breaks:
        yield Text(f"  ... and {found.more_breaks} more")
    for note in _notes(found):
        yield Text.assemble(("  note: ", "bold"), note)


def _notes(found: Verification) -> Iterator[str]:
    if found.head is None:
        yield "without a head nobody can tell whether records are missing at the end"
    elif found.unanchored and not found.keyed:
        yield f"{count(found.unanchored, 'record')} behind the head, for which nothing vouches without a key"
    elif found.unanchored:
        yield f"{count(found.unanchored, 'record')} behind the head, of which the last ones may be missing"
    if found.first:
        yield f"the log begins at record {found.first}: older files were let go"
    if found.torn:
        yield f"{count(found.torn, 'line')} that a writer left when it died in the middle"
    if found.lost:
        yield f"{count(found.lost, 'record')} could not be written, as their writers say"


def line_json(record: dict[str, Any]) -> str:
    """A record as it stands in the log."""
    return dump(record)


def line_full(record: dict[str, Any]) -> str:
    """A record on one line: place, time, kind, and what matters of it."""
    head = f"{record['seq']:>6}  {_text(record.get('time'))[:19]}  {record['kind']:<9}"
    return printable(f"{head} {' '.join(_said(record))}".rstrip())


def _said(record: dict[str, Any]) -> Iterator[str]:
    kind = record["kind"]
    if record.get("enforced") is False:
        yield "NOT ENFORCED"
    if kind == "decision":
        rule, index = record.get("rule"), record.get("rule_index")
        who = f"rule `{rule}`" if rule is not None else "guards" if index is None else f"rule number {index}"
        arguments = record.get("arguments")
        names = arguments.get("names") if isinstance(arguments, dict) else None
        listed = ", ".join(map(_text, names)) if isinstance(names, list) else ""
        yield f"{_text(record.get('outcome'))} `{_text(record.get('operation'))}` by {who} ({listed})"
    elif kind == "attempt":
        yield f"number {_text(record.get('attempt'))}"
    elif kind == "end":
        how = (
            "result"
            if record.get("ended") == "result"
            else f"{_text(record.get('error'))} in {_text(record.get('stage'))}"
        )
        yield f"`{_text(record.get('operation'))}` {how}, attempts {_text(record.get('attempts'))}"
    else:
        known = ("version", "seq", "segment", "time", "kind", "prev", "seal")
        yield " ".join(f"{name}={_text(value)}" for name, value in record.items() if name not in known)
    if "call" in record:
        yield f"[{_text(record['call'])[:8]}]"


def _text(value: object) -> str:
    return value if isinstance(value, str) else dump(value)
