r"""A pattern looks like a regular expression.

## What it does
Reports what has a meaning in regular expressions and is an ordinary character here: `\.` and every other backslash,
`|`, `(?`, `^` at the start, `$` at the end, `+` behind `.` or a bracket, and `.*` where no name can end before it (at
the start, or behind `_`, `-`, `/` or another dot).

## Why it matters
Patterns are shell-style wildcards over the whole operation. `^github\.delete_.*$` matches an operation that is spelled
with a caret, a backslash and a dollar sign, that is, none: as a deny it protects nothing.

## Example
```yaml
version: 1
rules:
  - name: keep
    operation: '^github\.delete_.*$'
    effect: deny
    reason: nothing is deleted
```

## Instead
```yaml
version: 1
rules:
  - name: keep
    operation: "github.delete_*"
    effect: deny
    reason: nothing is deleted
budget: {max_tool_calls: 20}
```

## Limits
`github.*` is the usual way to write "every operation of github" and is never reported, although it is a regular
expression as well. To say that such a character is meant literally, put it into brackets: `[|]`, `[$]`. The fix
translates what has a translation; it changes what the policy decides and is *unsafe*.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.patterns import lacks_endpoint_part, pieces, quoted
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext

# Text, compiled where it is used: few policies need it.
#: Part of a regular expression -> what to write instead. A bracket of the pattern is seen as `[]`.
_SIGNS = (
    (r"\\.?", "drop the backslash, or name the characters: `[0-9]`"),
    (r"\(\?|\|", "alternatives are patterns of a list"),
    (r"^\^", "a pattern always starts at the start of the operation"),
    (r"\$$", "a pattern always ends at the end of the operation"),
    (r"(?:(?<=\.)|(?<=\]))\+", "one or more of any character is `?*`"),
    (r"(?:^|(?<=[_\-/.]))\.\*", "any run of characters is `*`"),
)
_CANDIDATE = re.compile(r"[\\|^$+]|\(\?|(?:^|[_\-/.])\.\*")
_TRANSLATIONS = (
    (r"^\^|\$$", ""),
    (r"\\d\+", "[0-9]*"),
    (r"\\d", "[0-9]"),
    (r"\\([.\-/_ ])", r"\1"),
    (r"\.\+", "?*"),
)


@rule("SR303", "regex-looking-pattern", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every pattern that seems to be meant as a regular expression."""
    for pattern in policy.patterns:
        if not _CANDIDATE.search(pattern.text):
            continue
        outside = "".join("[]" if piece.kind == "bracket" else piece.text for piece in pieces(pattern.text))
        found = [(match[0], advice) for sign, advice in _SIGNS if (match := re.search(sign, outside))]
        if not found:
            continue
        signs = ", ".join(shown(sign) for sign, _ in found)
        mended = _translate(pattern.text)
        yield Problem(
            "SR303",
            f"{shown(pattern.text)} looks like a regular expression: {signs} {'is' if len(found) == 1 else 'are'} literal here",
            pattern.target,
            help=f"write {shown(mended)}" if mended else found[0][1],
            fix=("unsafe", ((pattern.target, quoted(mended)),)) if mended else None,
        )


def _translate(pattern: str) -> str | None:
    """``pattern`` read as a regular expression and written as a pattern, where that is plain; else ``None``."""
    if "[" in pattern:
        return None
    for sign, text in _TRANSLATIONS:
        pattern = re.sub(sign, text, pattern)
    if not pattern or re.search(r"[\\|()^$+{}]", pattern):
        return None
    shorter = pattern.replace(".*", "*")
    return pattern if lacks_endpoint_part(shorter) else shorter
