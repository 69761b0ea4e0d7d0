"""Two names can be mistaken for each other, or a name holds a letter that passes for another one.

## What it does
Compares the names of tools and operations in patterns and in the budget, the names of rules, and the names of hooks
and callbacks, each among themselves. Reports two that differ only in case or in look-alike letters, and any name in
which a Cyrillic, Greek, Armenian or full-width letter stands in a Latin word, or a mark that looks like a dot, star,
question mark, slash, bracket, hyphen, underscore or space and is none.

## Why it matters
Names are compared as they are. A rule for `GitHub.delete_file` does not protect `github.delete_file`, and a rule for
`pаyments.refund`, written with a Cyrillic `а`, protects nothing at all. A reviewer sees no difference.

## Example
```yaml
version: 1
rules:
  - name: no-deletes
    operation: "GitHub.delete_*"
    effect: deny
    reason: nothing is deleted
  - name: read
    operation: "github.*"
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: no-deletes
    operation: "github.delete_*"
    effect: deny
    reason: nothing is deleted
  - name: read
    operation: "github.*"
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Limits
Of a pattern, the parts up to each of the first four dots are compared, as far as no wildcard occurs. Variants within
one rule's own list of patterns are taken for intended. Pairs such as `l` and `1`, or `rn` and `m`, are not compared.
The table of look-alike letters is a short one of common cases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.confusable import odd_letter, skeleton
from schemarouter.lint.patterns import pieces
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext
    from schemarouter.model.diagnostic import DocPath


#: Dots up to which a name is compared in parts. Bounds what a name that is all dots costs.
_MOST_PARTS = 4


@rule("SR307", "confusable-name", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every odd letter, and for every name that is nearly an earlier one."""
    document = policy.document
    operations = _Names()
    for pattern in policy.patterns:
        yield from operations.see(pattern.text, Target(pattern.path), pattern.path[:2])
    if document.budget is not None:
        for key in ("per_tool_calls", "cost_units"):
            for name in getattr(document.budget, key):
                yield from operations.see(name, Target(("budget", key, name), "key"), ("budget", key))
    rules = _Names(whole=True)
    for index, entry in enumerate(document.rules):
        if entry.name is not None:
            yield from rules.see(entry.name, Target(("rules", index, "name")), ("rules", index))
    callables = _Names(whole=True)
    if document.approval.callback is not None:
        yield from callables.see(document.approval.callback, Target(("approval", "callback")), ("approval",))
    for event in ("before_call", "after_call"):
        for index, name in enumerate(getattr(document.hooks, event)):
            yield from callables.see(name, Target(("hooks", event, index)), ("hooks", event, index))


class _Names:
    """The names of one kind that were seen so far, by skeleton."""

    def __init__(self, *, whole: bool = False) -> None:
        self._whole = whole
        self._first: dict[str, tuple[str, Target, DocPath]] = {}
        self._seen: set[str] = set()

    def see(self, name: str, at: Target, owner: DocPath) -> Iterator[Problem]:
        """Yield what is wrong with ``name``, which belongs to ``owner``, and remember it."""
        odd = odd_letter(name)
        if odd is not None:
            point = f"U+{ord(odd.character):04X}"
            yield Problem(
                "SR307",
                f"{shown(name)} holds {shown(odd.character)} ({point}), which looks like `{odd.looks_like}`",
                at,
                help=f"write `{odd.looks_like}` if {'the Latin letter' if odd.looks_like.isalpha() else 'that'} is meant",
                within=(odd.at, odd.at + 1),
            )
            return
        for part in (name,) if self._whole else _literal_parts(name):
            if part in self._seen:
                continue
            self._seen.add(part)
            earlier, place, first_owner = self._first.setdefault(skeleton(part), (part, at, owner))
            if earlier != part and first_owner != owner:
                yield Problem(
                    "SR307",
                    f"{shown(part)} differs from {shown(earlier)} only in case or in look-alike letters",
                    at,
                    help=f"names are compared as they are; write both alike if the same is meant{_foreign(part, earlier)}",
                    related=((f"{shown(earlier)} stands here", place),),
                )
                return


def _foreign(*names: str) -> str:
    """Which of two names that look the same has a letter that is not what it seems to be."""
    for name in names:
        for character in name:
            if not character.isascii():
                return f" ({shown(character)} is U+{ord(character):04X})"
    return ""


def _literal_parts(pattern: str) -> Iterator[str]:
    """``a``, ``a.b`` and ``a.b.c`` of ``a.b.c``, as far as no wildcard occurs."""
    found = pieces(pattern)
    if not found or found[0].kind != "text":
        return
    text = found[0].text
    end = 0
    for _ in range(_MOST_PARTS):
        end = text.find(".", end + 1)
        if end < 0:
            break
        yield text[:end]
    if len(found) == 1:
        yield text
