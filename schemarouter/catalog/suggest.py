"""Hints of servers as ``classify`` entries, for a person to review and commit. Nothing here is ever believed by itself.

*How hints are read.* As the MCP specification has them: ``readOnlyHint`` left out means false, ``destructiveHint`` left out
means true, and the latter has a meaning only where the tool is not read-only. A tool without either hint is not guessed
about.

*What is marked.* Hints that contradict each other (read-only and destructive), and hints that contradict the name
(``send_mail`` that says it only reads, ``delete_page`` that says it destroys nothing). Their entries are written as comments:
pasting the text leaves these operations unclassified until somebody decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from schemarouter.catalog.verbs import suspicious_verb, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from schemarouter.catalog.records import Catalog, Operation


class Suggestion(NamedTuple):
    """What the hints of one operation come to. ``doubt`` says what speaks against them, ``None`` if nothing does.

    ``assumed``: the server did not say all of it, the defaults of the protocol fill in.
    """

    operation: str
    read_only: bool
    destructive: bool
    assumed: bool
    doubt: str | None


def suggestions(catalog: Catalog) -> list[Suggestion]:
    """A suggestion for every operation that is unclassified and has a hint, in order of their names."""
    return [_suggest(each) for each in catalog if each.read_only is None and each.hints != (None, None)]


def _suggest(operation: Operation) -> Suggestion:
    hints = operation.hints
    read_only = hints.read_only is True
    destructive = not read_only and hints.destructive is not False
    assumed = hints.read_only is None or (not read_only and hints.destructive is None)
    doubt = None
    if read_only and hints.destructive is True:
        doubt = "the server calls it read-only and destructive"
    else:
        verb = suspicious_verb(words_of(operation.name), read_only=read_only or None, destructive=hints.destructive)
        if verb is not None:
            said = "only reads" if read_only else "destroys nothing"
            doubt = f"the server says that it {said}, its name says `{verb}`"
    return Suggestion(operation.operation, read_only, destructive, assumed, doubt)


def classify_text(catalog: Catalog) -> str:
    """The suggestions as the ``classify`` section of a policy file in YAML."""
    found = suggestions(catalog)
    doubtful = [one for one in found if one.doubt is not None]
    clear = [one for one in found if one.doubt is None]
    lines = [
        "# What servers say of their own tools, as `classify` entries. Nothing counts until a person has reviewed it,",
        "# pasted it into a policy file and committed that: a server may be wrong, or lie.",
    ]
    entries = list(_entries(clear))
    lines += ["classify:", *entries] if entries else ["classify: []"]
    if doubtful:
        lines.append("  # Contradictory: decide what each really does, and take away the `#`.")
        for one in doubtful:
            entry = f"- {{operation: {_quoted(one.operation)}, {_said(one)}}}"
            lines += [f"  # {one.doubt}", f"  # {entry}"]
    silent = [each.operation for each in catalog if each.read_only is None and each.hints == (None, None)]
    if silent:
        lines.append("  # Without hints, and so without a suggestion:")
        lines += [f"  #   {_quoted(name)}" for name in silent]
    return "\n".join(lines) + "\n"


def _entries(clear: Iterable[Suggestion]) -> Iterator[str]:
    """One entry for all operations of one kind: no two of them match the same operation, so their order is free."""
    kinds: dict[tuple[bool, bool, bool], list[str]] = {}
    for one in clear:
        kinds.setdefault((one.read_only, one.destructive, one.assumed), []).append(one.operation)
    titles = {
        (True, False, False): "said to read only",
        (False, False, False): "said to change something and to destroy nothing",
        (False, True, False): "said to destroy something",
    }
    for kind in sorted(kinds, reverse=True):
        read_only, destructive, _ = kind
        title = titles.get(kind, "not said in full: these are the protocol's defaults for what was left out")
        yield f"  # {title}"
        yield "  - operation:"
        yield from (f"      - {_quoted(name)}" for name in kinds[kind])
        yield f"    read_only: {_word(read_only)}"
        yield f"    destructive: {_word(destructive)}"


def _said(one: Suggestion) -> str:
    return f"read_only: {_word(one.read_only)}, destructive: {_word(one.destructive)}"


def _word(value: bool) -> str:
    return "true" if value else "false"


def literal_pattern(name: str) -> str:
    """The pattern that matches exactly ``name``: wildcards in it stand in brackets."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)


def _quoted(name: str) -> str:
    """The pattern for a name as a string of YAML; what does not print is written as an escape."""
    return f'"{"".join(map(_escaped, literal_pattern(name)))}"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
