"""What is different between two catalogs, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.catalog.records import Catalog, Operation

Kind = Literal["added", "removed", "attributes", "contract", "hints"]

_READ = {True: "read-only", False: "mutating", None: "unclassified"}
_HARM = {True: "destructive", False: "not destructive", None: "destructive unknown"}


class Change(NamedTuple):
    """One operation that is not what it was. ``detail`` says what it was and what it is, where that takes few words."""

    kind: Kind
    operation: str
    detail: str = ""


def changes(old: Catalog, new: Catalog) -> list[Change]:
    """Every difference, by operation; what an attribute changed is not said again as a change of the contract."""
    found = []
    for name in sorted({*old.operations, *new.operations}):
        before, after = old.operations.get(name), new.operations.get(name)
        if before is None:
            assert after is not None  # noqa: S101 - it is in one of the two
            found.append(Change("added", name, attributes_text(after.attributes)))
        elif after is None:
            found.append(Change("removed", name))
        else:
            found += _between(before, after)
    return found


def _between(before: Operation, after: Operation) -> Iterator[Change]:
    name = after.operation
    if before.attributes != after.attributes:
        yield Change("attributes", name, f"{attributes_text(before.attributes)} -> {attributes_text(after.attributes)}")
    elif before.contract != after.contract:
        yield Change("contract", name, _arguments(before, after))
    if before.hints != after.hints:
        yield Change("hints", name, f"{_hints(before)} -> {_hints(after)}")


def _arguments(before: Operation, after: Operation) -> str:
    """Which arguments came and went, or nothing where the change lies elsewhere."""
    old, new = ({argument.name for argument in each.arguments} for each in (before, after))
    parts = [f"argument `{name}` added" for name in sorted(new - old)]
    parts += [f"argument `{name}` removed" for name in sorted(old - new)]
    for argument in after.arguments:
        was = before.argument(argument.name)
        if was is not None and was.required is not argument.required:
            parts.append(f"argument `{argument.name}` is {'now' if argument.required else 'no longer'} required")
    return ", ".join(parts[:5]) + (f" and {len(parts) - 5} more" if len(parts) > 5 else "")


def attributes_text(attributes: tuple[bool, bool | None, bool | None]) -> str:
    """Attributes in words: ``remote, unclassified, destructive unknown``."""
    remote, read_only, destructive = attributes
    return f"{'remote' if remote else 'local'}, {_READ[read_only]}, {_HARM[destructive]}"


def _hints(operation: Operation) -> str:
    said = [f"{name} {str(value).lower()}" for name, value in operation.hints._asdict().items() if value is not None]
    return ", ".join(said) or "none"
