"""A lock: what a policy decided about each operation when a person last looked, as a file (version 1).

``check --lock`` says which decisions moved since then; an executor with a lock refuses operations that are not in it and
contracts that are not those it was made from. Equal locks give equal bytes; no clock and no path is in them.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from schemarouter.catalog.decisions import Decider, Verdict, decide_all, verdict
from schemarouter.catalog.file import MAX_OPERATIONS
from schemarouter.catalog.naming import check_name, legible
from schemarouter.catalog.strict import SIZE_LIMIT, StrictReader
from schemarouter.errors import CatalogError
from schemarouter.model.names import split_operation
from schemarouter.reading import read_bounded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemarouter.catalog.decisions import Attributes, Decided
    from schemarouter.catalog.records import Catalog
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.model.decision import Outcome

FORMAT = "schemarouter.lock"
VERSION = 1
#: Characters of an operation, and rules that may decide about one.
_MAX_OPERATION = 2_000
_MAX_DECIDERS = 100_000

_READER = StrictReader("lock", FORMAT, VERSION, "write it again with `schemarouter lock`")
_DOCUMENT = {"format": True, "version": True, "policy": True, "operations": True}
_POLICY = {"name": True, "digest": True}
_OPERATION = {
    "operation": True,
    "outcome": True,
    "deciders": True,
    "remote": True,
    "read_only": True,
    "destructive": True,
    "fingerprint": True,
    "head_fingerprint": True,
}
_DECIDER = {"rule": True, "rule_index": True, "outcome": True}
_OUTCOMES: tuple[Outcome, ...] = ("allow", "approval", "deny")


class LockedOperation(NamedTuple):
    """An operation as it was locked: who decides, the *effective* attributes, and the contract by its fingerprints."""

    operation: str
    deciders: tuple[Decider, ...]
    effective: Attributes
    fingerprint: str
    head_fingerprint: str

    @property
    def verdict(self) -> Verdict:
        """The outcome of every call, or ``depends``."""
        return verdict(self.deciders)

    @property
    def contract(self) -> tuple[str, str]:
        """Both fingerprints."""
        return (self.fingerprint, self.head_fingerprint)


@dataclass(frozen=True, repr=False)
class Lock:
    """The decisions of one policy, with its name and digest, about one catalog. Equal by value.

    ``entries`` are sorted by operation, each there once. Made by :func:`make_lock` and :func:`read_lock`.
    """

    name: str | None
    digest: str
    entries: tuple[LockedOperation, ...]

    @cached_property
    def operations(self) -> Mapping[str, LockedOperation]:
        """Every locked operation by its name, in order."""
        return MappingProxyType({each.operation: each for each in self.entries})

    @cached_property
    def contracts(self) -> Mapping[str, tuple[str, str]]:
        """The fingerprints of every operation: of the endpoint, and of its tool without endpoints."""
        return MappingProxyType({each.operation: each.contract for each in self.entries})

    def __len__(self) -> int:
        return len(self.entries)

    def __reduce__(self) -> tuple[object, ...]:
        return (Lock, (self.name, self.digest, self.entries))

    def __repr__(self) -> str:
        return f"<Lock digest={self.digest[:12]} operations={len(self)}>"


def make_lock(graph: EvaluationGraph, catalog: Catalog) -> Lock:
    """Lock what ``graph`` decides about ``catalog``."""
    return Lock(graph.name, graph.digest, tuple(map(_locked, decide_all(graph, catalog))))


def _locked(one: Decided) -> LockedOperation:
    return LockedOperation(one.operation.operation, one.deciders, one.effective, *one.operation.contract)


def write_lock(lock: Lock) -> bytes:
    """``lock`` as the bytes of its file, one line an operation."""
    policy = {"name": lock.name, "digest": lock.digest}
    lines = ["{", f'"format":{_dump(FORMAT)},', f'"version":{VERSION},', f'"policy":{_dump(policy)},', '"operations":[']
    rows = [_dump(_record(each)) for each in lock.operations.values()]
    lines += [row + "," for row in rows[:-1]] + rows[-1:]
    return ("\n".join([*lines, "]", "}"]) + "\n").encode("ascii")


def _record(each: LockedOperation) -> dict[str, Any]:
    remote, read_only, destructive = each.effective
    return {
        "operation": each.operation,
        "outcome": each.verdict,
        "deciders": [one._asdict() for one in each.deciders],
        "remote": remote,
        "read_only": read_only,
        "destructive": destructive,
        "fingerprint": each.fingerprint,
        "head_fingerprint": each.head_fingerprint,
    }


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def load_lock(path: str | os.PathLike[str]) -> Lock:
    """Read the lock in a file. Raises :class:`~schemarouter.errors.CatalogError` if there is none that can be used."""
    try:
        return read_lock(read_bounded(path, SIZE_LIMIT + 1))
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
    except ValueError as error:
        if isinstance(error, CatalogError):
            raise
        reason = "no legal file name"
    raise CatalogError(
        f"the lock `{legible(os.fsdecode(path))}` cannot be read: {reason}", help="write it with `schemarouter lock`"
    )


def read_lock(data: bytes) -> Lock:
    """Read what :func:`write_lock` wrote.

    Raises :class:`~schemarouter.errors.CatalogError`, and nothing else, for whatever is wrong with ``data``.
    """
    read = _READER
    document = read.members(read.parse(data), "", _DOCUMENT)
    policy = read.members(document["policy"], "policy", _POLICY)
    name = None if policy["name"] is None else read.text(policy["name"], "policy.name", 100_000)
    digest = read.fingerprint(policy["digest"], "policy.digest")
    rows = read.objects(document["operations"], "operations", MAX_OPERATIONS)
    operations = [_operation(row, f"operations[{number}]") for number, row in enumerate(rows)]
    operations.sort(key=lambda each: each.operation)
    if len({each.operation for each in operations}) < len(operations):
        read.refuse("has two entries for one operation", "operations")
    return Lock(name, digest, tuple(operations))


def _operation(value: object, where: str) -> LockedOperation:
    read = _READER
    record = read.members(value, where, _OPERATION)
    operation = read.text(record["operation"], f"{where}.operation", _MAX_OPERATION)
    check_name("the operation", operation, f"{where} of the lock", limit=_MAX_OPERATION)
    if not split_operation(operation):
        read.refuse("has no tool key, dot and endpoint name", f"{where}.operation")
    rows = read.objects(record["deciders"], f"{where}.deciders", _MAX_DECIDERS)
    deciders = tuple(_decider(row, f"{where}.deciders[{number}]") for number, row in enumerate(rows))
    if not deciders:
        read.refuse("is empty", f"{where}.deciders")
    locked = LockedOperation(
        operation,
        deciders,
        (
            read.flag(record["remote"], f"{where}.remote"),
            read.flag_or_null(record["read_only"], f"{where}.read_only"),
            read.flag_or_null(record["destructive"], f"{where}.destructive"),
        ),
        read.fingerprint(record["fingerprint"], f"{where}.fingerprint"),
        read.fingerprint(record["head_fingerprint"], f"{where}.head_fingerprint"),
    )
    if record["outcome"] != locked.verdict:
        read.refuse("does not follow from the deciders", f"{where}.outcome")
    return locked


def _decider(value: object, where: str) -> Decider:
    read = _READER
    record = read.members(value, where, _DECIDER)
    rule = None if record["rule"] is None else read.text(record["rule"], f"{where}.rule", 100_000)
    index = record["rule_index"]
    if index is not None and (type(index) is not int or index < 0):
        read.refuse("is neither null nor a number from 0", f"{where}.rule_index")
    if index is None and rule is not None:
        read.refuse("has a rule without its index", where)
    if record["outcome"] not in _OUTCOMES:
        read.refuse("is none of `allow`, `approval` and `deny`", f"{where}.outcome")
    return Decider(rule, index, record["outcome"])
