"""The catalog file, version 1: JSON, one line an operation, so that a change reads well in a review.

Equal catalogs give equal bytes. No clock and no path of a machine is in it.
"""

from __future__ import annotations

import json
from typing import Any

from schemarouter.catalog.naming import MAX_KEY, check_collisions, check_name
from schemarouter.catalog.records import Argument, Catalog, Hints, Operation, Tool
from schemarouter.catalog.strict import StrictReader
from schemarouter.model.json_value import MAX_CHARACTERS

FORMAT = "schemarouter.catalog"
VERSION = 1
#: Operations of one catalog, and arguments of one operation.
MAX_OPERATIONS = 100_000
MAX_ARGUMENTS = 100_000

_READER = StrictReader("catalog", FORMAT, VERSION, "write it again with `schemarouter catalog`")
_DOCUMENT = {"format": True, "version": True, "tools": True}
_TOOL = {"key": True, "remote": True, "source_type": True, "head_fingerprint": True, "operations": True}
_OPERATION = {
    "name": True,
    "read_only": True,
    "destructive": True,
    "fingerprint": True,
    "arguments": True,
    "other_arguments": False,
    "hints": False,
    "description": False,
}
_ARGUMENT = {"name": True, "required": True, "types": True}
_HINTS = {"read_only": False, "destructive": False}
_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})


def write_catalog(catalog: Catalog) -> bytes:
    """``catalog`` as the bytes of its file: equal catalogs give equal bytes."""
    lines = ["{", f'"format":{_dump(FORMAT)},', f'"version":{VERSION},', '"tools":[']
    for number, tool in enumerate(catalog.tools):
        lines.append(
            f'{{"key":{_dump(tool.key)},"remote":{_dump(tool.remote)},"source_type":{_dump(tool.source_type)},'
            f'"head_fingerprint":{_dump(tool.head_fingerprint)},"operations":['
        )
        rows = [_dump(_operation_record(operation)) for operation in tool.operations]
        lines += [row + "," for row in rows[:-1]] + rows[-1:]
        lines.append("]}" + ("," if number < len(catalog.tools) - 1 else ""))
    lines += ["]", "}"]
    return ("\n".join(lines) + "\n").encode("ascii")


def _operation_record(operation: Operation) -> dict[str, Any]:
    record: dict[str, Any] = {
        "name": operation.name,
        "read_only": operation.read_only,
        "destructive": operation.destructive,
        "fingerprint": operation.fingerprint,
        "arguments": [argument._asdict() for argument in operation.arguments],
    }
    if operation.other_arguments:
        record["other_arguments"] = True
    said = {name: value for name, value in operation.hints._asdict().items() if value is not None}
    if said:
        record["hints"] = said
    if operation.description:
        record["description"] = operation.description
    return record


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def is_catalog(data: bytes) -> bool:
    """Whether ``data`` says of itself, at its beginning, that it is a catalog."""
    return b'"format":"schemarouter.catalog"' in b"".join(data[:200].split())


def read_catalog(data: bytes) -> Catalog:
    """Read what :func:`write_catalog` wrote.

    Raises :class:`~schemarouter.errors.CatalogError`, and nothing else, for whatever is wrong with ``data``.
    """
    read = _READER
    document = read.members(read.parse(data), "", _DOCUMENT)
    tools = read.objects(document["tools"], "tools", MAX_OPERATIONS)
    made = [_tool(value, f"tools[{number}]") for number, value in enumerate(tools)]
    if sum(len(tool.operations) for tool in made) > MAX_OPERATIONS:
        read.refuse(f"has more than {MAX_OPERATIONS} operations")
    made.sort(key=lambda tool: tool.key)
    check_collisions(made)
    return Catalog(tuple(made))


def _tool(value: object, where: str) -> Tool:
    read = _READER
    record = read.members(value, where, _TOOL)
    key = read.text(record["key"], f"{where}.key", MAX_KEY + 1)
    check_name("the key", key, f"{where} of the catalog", limit=MAX_KEY)
    remote = read.flag(record["remote"], f"{where}.remote")
    source = record["source_type"]
    source = None if source is None else read.text(source, f"{where}.source_type")
    head = read.fingerprint(record["head_fingerprint"], f"{where}.head_fingerprint")
    rows = read.objects(record["operations"], f"{where}.operations", MAX_OPERATIONS)
    operations = [
        _operation(row, f"{where}.operations[{number}]", key, remote, head) for number, row in enumerate(rows)
    ]
    return Tool(key, remote, source, head, tuple(sorted(operations, key=lambda one: one.name)))


def _operation(value: object, where: str, key: str, remote: bool, head: str) -> Operation:
    read = _READER
    record = read.members(value, where, _OPERATION)
    name = read.text(record["name"], f"{where}.name")
    check_name("the name", name, f"{where} of the catalog")
    rows = read.objects(record["arguments"], f"{where}.arguments", MAX_ARGUMENTS)
    arguments = sorted(_argument(row, f"{where}.arguments[{number}]") for number, row in enumerate(rows))
    if len({argument.name for argument in arguments}) < len(arguments):
        read.refuse("has two arguments of one name", where)
    hints = read.members(record.get("hints", {}), f"{where}.hints", _HINTS)
    return Operation(
        f"{key}.{name}",
        key,
        name,
        remote,
        read.flag_or_null(record["read_only"], f"{where}.read_only"),
        read.flag_or_null(record["destructive"], f"{where}.destructive"),
        read.fingerprint(record["fingerprint"], f"{where}.fingerprint"),
        head,
        tuple(arguments),
        read.flag(record.get("other_arguments", False), f"{where}.other_arguments"),
        Hints(**{each: read.flag(said, f"{where}.hints.{each}") for each, said in hints.items()}),
        read.text(record.get("description", ""), f"{where}.description"),
    )


def _argument(value: object, where: str) -> Argument:
    read = _READER
    record = read.members(value, where, _ARGUMENT)
    types = read.objects(record["types"], f"{where}.types", len(_TYPES))
    for number, name in enumerate(types):
        if type(name) is not str or name not in _TYPES:
            read.refuse("is no JSON type", f"{where}.types[{number}]")
    return Argument(
        read.text(record["name"], f"{where}.name", MAX_CHARACTERS),
        read.flag(record["required"], f"{where}.required"),
        tuple(sorted(set(types))),
    )
