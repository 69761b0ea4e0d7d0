"""What must fit together inside a document: names that are unique, names that have a shape, predicates that agree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schemarouter.document.walk import entries, examples, mapping, strings
from schemarouter.document.words import shown
from schemarouter.model.diagnostic import Problem, Target
from schemarouter.model.names import name_problem, split_operation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.document.source import Source
    from schemarouter.model.diagnostic import DocPath

_CALLABLE_NAME = re.compile(r"[^\W\d][\w.-]*")
_IMPORT_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*")


def reference_problems(source: Source) -> Iterator[Problem]:
    """Problems of the pass "references", for whatever parts of the document have the right types."""
    data = source.data
    yield from _duplicates(source, "rules")
    yield from _duplicates(source, "invariants")
    yield from _contradictions(data)
    yield from _empty_classifications(data)
    yield from _callables(data)
    yield from _budget_keys(data)
    yield from _examples(data)


def _duplicates(source: Source, key: str) -> Iterator[Problem]:
    data = source.data
    names = [name for _, entry in entries(data, key) if isinstance(name := entry.get("name"), str)]
    if len(names) == len(set(names)):
        return  # the usual case
    first: dict[str, int] = {}
    for index, entry in entries(data, key):
        name = entry.get("name")
        if not isinstance(name, str):
            continue
        earlier = first.setdefault(name, index)
        if earlier != index:
            here, there = Target((key, index, "name")), Target((key, earlier, "name"))
            if source.locate(here) == source.locate(there):
                here = Target((key, index))  # an alias repeats the whole entry
            yield Problem(
                "SR106",
                f"two {key} are named {shown(name)}",
                here,
                "give each its own name: decisions, logs and tests cite it",
                related=(("the first one is here", there),),
            )


def _contradictions(data: object) -> Iterator[Problem]:
    for index, rule in entries(data, "rules"):
        when = rule.get("when")
        if isinstance(when, dict) and when.get("unclassified") is True:
            yield from contradiction(when, ("rules", index, "when"))
        if "examples" in rule:
            for path, example in examples(rule):
                yield from contradiction(example, ("rules", index, *path))


def contradiction(attributes: object, path: DocPath) -> Iterator[Problem]:
    """A problem where ``attributes`` at ``path`` ask for `unclassified` and for a value of `read_only`."""
    if not isinstance(attributes, dict) or attributes.get("unclassified") is not True:
        return
    read_only = attributes.get("read_only")
    if isinstance(read_only, bool):
        word = "true" if read_only else "false"
        yield Problem(
            "SR205",
            f"`unclassified: true` and `read_only: {word}` contradict each other: no call can match",
            Target((*path, "unclassified"), "entry"),
            "unclassified means that nobody set read_only: keep one of the two",
            related=(("`read_only` is here", Target((*path, "read_only"), "entry")),),
        )


def _empty_classifications(data: object) -> Iterator[Problem]:
    for index, entry in entries(data, "classify"):
        if entry.keys() <= {"operation"}:
            yield Problem(
                "SR102",
                "missing `read_only` or `destructive` in a `classify` entry",
                Target(("classify", index), "key"),
                "say what the operations are, for example `read_only: true`",
            )


def _callables(data: object) -> Iterator[Problem]:
    places: list[tuple[DocPath, str]] = []
    for section, key in (("approval", "callback"), ("hooks", "before_call"), ("hooks", "after_call")):
        places += [((section, *path), name) for path, name in strings(mapping(data, section), key)]
    for path, name in places:
        if name_problem(name) is not None:
            continue  # empty or illegible: another pass says so
        if ":" in name:
            if not _IMPORT_PATH.fullmatch(name):
                yield Problem(
                    "SR110",
                    f"{shown(name)} is no import path",
                    Target(path),
                    "write `package.module:function`, or a name that the application supplies a callable for",
                )
        elif not _CALLABLE_NAME.fullmatch(name):
            yield Problem(
                "SR110",
                f"{shown(name)} is no name of a callable",
                Target(path),
                "use letters, digits, `_`, `-` and `.`, starting with a letter",
            )


def _budget_keys(data: object) -> Iterator[Problem]:
    budget = mapping(data, "budget")
    for section, what in (("per_tool_calls", "a tool"), ("cost_units", "a tool or an operation")):
        for key in mapping(budget, section):
            if key == "*" and section == "cost_units":
                continue
            if "*" in key or "?" in key:
                alone = ", or `*` alone for all others" if section == "cost_units" else ""
                yield Problem(
                    "SR110",
                    f"{shown(key)} is no name of {what}: wildcards mean nothing in `{section}`",
                    Target(("budget", section, key), "key"),
                    f"name each of them{alone}",
                )


def _examples(data: object) -> Iterator[Problem]:
    """Examples that are no operations: without a dot nothing can be called by that name."""
    for index, rule in entries(data, "rules"):
        if "examples" not in rule:
            continue
        for path, example in examples(rule):
            operation = example.get("operation") if isinstance(example, dict) else example
            if isinstance(operation, str) and operation and not split_operation(operation):
                step = ("operation",) if isinstance(example, dict) else ()
                yield Problem(
                    "SR110",
                    f"{shown(operation)} is no operation",
                    Target(("rules", index, *path, *step)),
                    "an operation is `tool.endpoint`, with a dot inside",
                )
