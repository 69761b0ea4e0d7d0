"""The pass "names": every name and every pattern is one that a person can read (SPEC 1), and is what was meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import is_normalized

from schemarouter.document.walk import entries, examples, mapping, strings
from schemarouter.document.words import label, shown
from schemarouter.model.diagnostic import Problem, Target
from schemarouter.model.names import hidden_character, name_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.document.source import Source
    from schemarouter.model.diagnostic import DocPath, Part

#: A name that needs no closer look: most of them.
_ORDINARY = re.compile(r"[!-~]+(?: [!-~]+)*").fullmatch
#: Steps of the path of an argument's name: ``rules``, an index, ``when``, ``arguments``, the name.
_ARGUMENT = 5


def name_problems(source: Source) -> Iterator[Problem]:
    """Problems of the pass "names", for whatever parts of the document have the right types."""
    data = source.data
    for path, text in _names(data):
        if not _ORDINARY(text):
            yield from illegible(path, text)
    for path, text in _keys(data):
        yield from illegible(path, text, "key")
    for path, text, part in _conditions(data):
        yield from _unreadable(source, Target(path, part), text)
    for path, text in _prose(data):
        yield from _hidden(path, text)
    if source.format == "yaml":
        yield from _brackets(source)


def _names(data: object) -> Iterator[tuple[DocPath, str]]:
    """Names and patterns in values; the ordinary ones of rules are left out, because there may be very many."""
    yield from strings(data, "name")
    for section, key in (("approval", "callback"), ("hooks", "before_call"), ("hooks", "after_call")):
        for path, text in strings(mapping(data, section), key):
            yield (section, *path), text
    for section in ("rules", "classify", "invariants"):
        for index, entry in entries(data, section):
            for key in ("name", "operation"):
                value = entry.get(key)
                if isinstance(value, str):
                    if not _ORDINARY(value):
                        yield (section, index, key), value
                elif value is not None:
                    yield from (((section, index, *path), item) for path, item in strings(entry, key))
            if "examples" in entry:
                for path, example in examples(entry):
                    if isinstance(example, str):
                        yield (section, index, *path), example
                    else:
                        yield from (
                            ((section, index, *path, *step), text) for step, text in strings(example, "operation")
                        )


def _keys(data: object) -> Iterator[tuple[DocPath, str]]:
    """Names in keys that deserve a closer look."""
    budget = mapping(data, "budget")
    for section in ("per_tool_calls", "cost_units"):
        for key in mapping(budget, section):
            if not _ORDINARY(key):
                yield ("budget", section, key), key
    for index, rule in entries(data, "rules"):
        when = rule.get("when")
        if isinstance(when, dict) and "arguments" in when:
            for key in mapping(when, "arguments"):
                if hidden_character(key) is not None:
                    yield ("rules", index, "when", "arguments", key), key


def _conditions(data: object) -> Iterator[tuple[DocPath, str, Part]]:
    """Strings and keys inside argument conditions that deserve a closer look."""
    for index, rule in entries(data, "rules"):
        when = rule.get("when")
        if not isinstance(when, dict) or "arguments" not in when:
            continue
        stack: list[tuple[DocPath, object]] = [(("rules", index, "when", "arguments"), when["arguments"])]
        while stack:
            path, value = stack.pop()
            if isinstance(value, dict):
                yield from (((*path, key), key, "key") for key in value if not _ORDINARY(key))
                stack += (((*path, key), inner) for key, inner in value.items())
            elif isinstance(value, list):
                stack += (((*path, number), inner) for number, inner in enumerate(value))
            elif isinstance(value, str) and not _ORDINARY(value):
                yield path, value, "value"


def _prose(data: object) -> Iterator[tuple[DocPath, str]]:
    """Texts for people that deserve a closer look: they are shown on one line, in terminals and in logs."""
    for section in ("rules", "invariants"):
        for index, entry in entries(data, section):
            for key in ("reason", "never"):
                text = entry.get(key)
                if isinstance(text, str) and not text.isprintable():
                    yield (section, index, key), text


def illegible(path: DocPath, text: str, part: Part = "value") -> Iterator[Problem]:
    """What makes the name ``text`` at ``path`` one that nobody can read (SPEC 1); says nothing of an empty value."""
    problem = name_problem(text)
    if problem is None:
        return
    target = Target(path, part)
    where = label(path) if part == "value" else "the key"
    index = hidden_character(text)
    if index is not None:
        if text[index] in "\n\r\t":
            help_ = "write it on one line, without `|`, `>` or triple quotes"
        else:
            help_ = "remove it: nobody can see it, and names are compared character by character"
        yield Problem("SR009", f"{where} {problem}", target, help_, within=(index, index + 1))
    elif text:
        help_ = "remove the white space" if "space" in problem else "write it in the composed form (NFC)"
        yield Problem("SR110", f"{where} {problem}", target, help_)
    elif part == "key":
        yield Problem("SR110", f"{where} is empty", target, "write the name of a tool")


def _unreadable(source: Source, target: Target, text: str) -> Iterator[Problem]:
    """What cannot be seen in a text that arguments are compared with. An escape can be: arguments may hold anything."""
    index = hidden_character(text)
    if index is None and (text.isascii() or is_normalized("NFC", text)):
        return
    written = source.text_at(source.locate(target))
    where = label(target.path) if target.part == "value" else "the key"
    if index is not None and target.part == "key" and len(target.path) == _ARGUMENT:
        return  # names of arguments are looked at as other names are
    if index is not None and text[index] in written:
        message = f"{where} holds the hidden character U+{ord(text[index]):04X} at position {index + 1}"
        advice = 'remove it, or write it as an escape in double quotes, such as `"\\u200b"`'
        if text[index] in "\n\r\t":
            advice = 'write it on one line, and a line end that is meant as an escape: `"\\n"`'
        yield Problem("SR009", message, target, advice, within=(index, index + 1))
    elif index is None and not is_normalized("NFC", written):
        advice = 'write it in the composed form (NFC), or the combining character as an escape, such as `"e\\u0301"`'
        yield Problem("SR110", f"{where} is not in Unicode normalization form NFC", target, advice)


def _hidden(path: DocPath, text: str) -> Iterator[Problem]:
    index = hidden_character(text)
    if index is None:
        return
    if text[index] in "\n\r\t":
        help_ = "write it on one line; in YAML `>-` folds several lines into one"
    else:
        help_ = "remove it: nobody can see it"
    message = f"{label(path)} holds the hidden character U+{ord(text[index]):04X} at position {index + 1}"
    yield Problem("SR009", message, Target(path), help_, within=(index, index + 1))


def _brackets(source: Source) -> Iterator[Problem]:
    """``operation: [ab]``, which is a list of one item and was meant as a pattern."""
    for section in ("rules", "classify"):
        for index, entry in entries(source.data, section):
            operation = entry.get("operation")
            if not isinstance(operation, list) or len(operation) != 1:
                continue
            item = operation[0]
            if not isinstance(item, str) or "." in item:
                continue
            target = Target((section, index, "operation"))
            scalar = source.scalar((*target.path, 0))
            # In a flow list the list begins before its item; in a block list there is a dash and then the item.
            if scalar is None or not scalar.plain or not _is_flow(source, target):
                continue
            quoted = f'"[{item}]"'
            yield Problem(
                "SR003",
                f"{shown(f'[{item}]')} is a list here, not a pattern with a bracket",
                target,
                f"put the pattern in quotes: `{quoted}`; an operation has a dot, so `{item}` alone matches nothing",
                fix=("safe", ((target, quoted),)),
            )


def _is_flow(source: Source, target: Target) -> bool:
    return source.text_at(source.locate(target)).startswith("[")
