"""Suppressions: comments by which an author takes responsibility for a finding, with a reason.

A suppression is a comment ``# schemarouter: ignore[SR306, SR305] reason``, in YAML and in TOML. The reason is free text
and mandatory; ``until=2027-01-31`` in it is the last day on which the suppression counts. There is no form without codes.

*Where it counts.* A policy consists of blocks: each entry of ``rules``, ``classify`` and ``invariants`` is one, and so is
every other top-level key. A comment behind code belongs to the block of its line. A comment on a line of its own
belongs to the block of the next line, further comments skipped; where the next line is blank, to the block of the line
above. It suppresses findings of its codes whose own place (not a cited one) lies in that block, and no others.

*What it cannot do.* Codes of the reader, SR0xx, SR1xx, SR202, SR8xx (a diff's) and SR9xx cannot be suppressed. A suppression with
anything wrong about it suppresses nothing.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.document.codes import READER_CODES, Code
from schemarouter.document.words import closest, shown
from schemarouter.lint.blocks import Blocks, block_of_pointer
from schemarouter.model.diagnostic import Problem, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from schemarouter.document.source import Comment, Source
    from schemarouter.model.diagnostic import DocPath, Finding

#: The codes that this module reports.
SUPPRESSION_CODES: Mapping[str, Code] = {
    "SR901": Code("unused-suppression", "warning"),
    "SR902": Code("bad-suppression", "error"),
}

_FORM = "# schemarouter: ignore[SR306] reason"
# Text, compiled where it is used: most policies have no suppressions, and every check would pay for compiling.
_DIRECTIVE = r"(?s)\s*schemarouter:\s*ignore\[([^\]]*)\](.*)"
_NEAR_MISS = (
    r"(?is)\W*schema[-_ ]?router\b\W*(?:lint\W*)?(?:ignore|disable|suppress|noqa|allow|skip)\b"
    r"|.*(?<!`)#\s*schemarouter:\s*ignore\b"
    r"|\W*(?:noqa|ignore|type:\s*ignore)\b\W*SR\d{3}\b"
)
_CODE = r"SR\d{3}"
_UNTIL = r"(?<!\S)until=(\S*)"
_NEARLY_UNTIL = r"(?i)(?<!\S)until\s*(?:[:=]\s*|\s)(?=\d{4}-\d{1,2}-\d{1,2}\b)"
_DAY = r"\d{4}-\d{2}-\d{2}"
#: Words of which one occurs in every suppression and in everything that looks like one.
_WORDS = ("router", "noqa", "ignore")


class Listed(NamedTuple):
    """A code in the list of a suppression, and where it stands."""

    code: str
    span: Span


class Suppression(NamedTuple):
    """A suppression with nothing wrong about it."""

    comment: Comment
    codes: tuple[Listed, ...]
    reason: str
    until: date | None
    blocks: frozenset[DocPath]

    @property
    def span(self) -> Span:
        """The comment, its ``#`` included."""
        return _part(self.comment, 0, len(self.comment.text), with_hash=True)


def find_suppressions(source: Source, names: Mapping[str, str], today: date) -> tuple[list[Suppression], list[Problem]]:
    """The suppressions of a file that count on the day ``today``, and an SR902 for everything that is not quite one.

    ``names``: code -> name of every code that exists.
    """
    good: list[Suppression] = []
    problems: list[Problem] = []
    text = source.text.lower()
    if not any(word in text for word in _WORDS):
        return good, problems
    blocks = Blocks(source)
    for comment in source.comments:
        directive = re.match(_DIRECTIVE, comment.text)
        if directive is not None:
            suppression, wrong = _read(comment, directive, blocks, names, today)
            problems += wrong
            if not wrong:
                good.append(suppression)
        elif re.match(_NEAR_MISS, comment.text):
            problems.append(_near_miss(comment))
    return good, problems


def apply_suppressions(
    findings: Sequence[Finding], suppressions: Sequence[Suppression], judged: AbstractSet[str]
) -> tuple[list[Finding], int, list[Problem]]:
    """Leave out what is suppressed. Gives the findings that remain, how many do not, and an SR901 for idle codes.

    ``judged``: the codes that were looked for. Whether a suppression of another one is needed is not known.
    """
    places = {
        (listed.code, block)
        for suppression in suppressions
        for listed in suppression.codes
        for block in suppression.blocks
    }
    used: set[tuple[str, DocPath]] = set()
    kept: list[Finding] = []
    for finding in findings:
        place = (finding.code, block_of_pointer(finding.pointer))
        if place in places:
            used.add(place)
        else:
            kept.append(finding)
    problems = [problem for suppression in suppressions for problem in _idle(suppression, used, judged)]
    return kept, len(findings) - len(kept), problems


def is_suppressible(code: str) -> bool:
    """Whether a comment can suppress findings of ``code``."""
    return not (code.startswith(("SR0", "SR1", "SR8", "SR9")) or code == "SR202" or code in READER_CODES)


def _read(
    comment: Comment, directive: re.Match[str], blocks: Blocks, names: Mapping[str, str], today: date
) -> tuple[Suppression, list[Problem]]:
    codes: list[Listed] = []
    problems: list[Problem] = []
    position = directive.start(1)
    for written in directive[1].split(","):
        code = written.strip()
        start = position + len(written) - len(written.lstrip())
        listed = Listed(code, _part(comment, start, start + len(code)))
        problem = _code_problem(listed, names)
        if problem is not None:
            problems.append(problem)
        codes.append(listed)
        position += len(written) + 1
    if not directive[1].strip():
        problems = [_bad(_part(comment, directive.start(1) - 1, directive.end(1) + 1), "no code is listed", _FORM)]
    until, until_problems = _until(comment, directive, today)
    problems += until_problems
    reason = " ".join(re.sub(_UNTIL, "", directive[2]).split())
    if not any(character.isalnum() for character in reason):
        message = "a suppression needs a reason"
        problems.append(_bad(_part(comment, 0, len(comment.text), with_hash=True), message, _FORM))
    found = blocks.at(comment)
    if not found:
        message = "this suppression belongs to no rule and no section"
        advice = "put it on the line above the rule, or behind one of the rule's lines"
        problems.append(_bad(_part(comment, 0, len(comment.text), with_hash=True), message, advice))
    return Suppression(comment, tuple(codes), reason, until, found), problems


def _code_problem(listed: Listed, names: Mapping[str, str]) -> Problem | None:
    code = listed.code
    if not code:
        return _bad(listed.span, "a code is missing between the commas", _FORM)
    if code in names:
        if is_suppressible(code):
            return None
        return _bad(listed.span, f"{code} cannot be suppressed", f"mend what `schemarouter rule {code}` describes")
    by_name = {name: known for known, name in names.items()}
    nearest = closest(code, by_name)
    guess = by_name.get(code) or (code.upper() if code.upper() in names else by_name[nearest] if nearest else None)
    if code in by_name or not re.fullmatch(_CODE, code):
        message = f"{shown(code)} is no code; suppressions list single codes"
    else:
        message = f"{code} is no known code"
    return _bad(
        listed.span, message, f"write {guess} if that is meant" if guess else "`schemarouter rule` lists the codes"
    )


def _until(comment: Comment, directive: re.Match[str], today: date) -> tuple[date | None, list[Problem]]:
    tail, offset = directive[2], directive.start(2)
    found = list(re.finditer(_UNTIL, tail))
    if not found:
        nearly = re.search(_NEARLY_UNTIL, tail)
        if nearly is None:
            return None, []
        span = _part(comment, offset + nearly.start(), offset + nearly.end())
        return None, [_bad(span, "an expiry is written `until=YYYY-MM-DD`", "write `until=`, without white space")]
    match = found[0]
    span = _part(comment, offset + match.start(), offset + match.end())
    if len(found) > 1:
        return None, [_bad(span, "a suppression expires once, there are several `until=`", "keep one of them")]
    try:
        if not re.fullmatch(_DAY, match[1]):
            raise ValueError(match[1])
        until = date.fromisoformat(match[1])
    except ValueError:
        return None, [_bad(span, f"{shown(match[1])} is no date", "write it as `until=2027-01-31`")]
    if until < today:
        advice = "mend what it suppresses, or decide on a new date"
        return until, [_bad(span, f"this suppression expired on {until.isoformat()}", advice)]
    return until, []


def _near_miss(comment: Comment) -> Problem:
    span = _part(comment, 0, len(comment.text), with_hash=True)
    return _bad(
        span, "this comment looks like a suppression and is none", f"write `{_FORM}`, at the start of the comment"
    )


def _bad(span: Span, message: str, advice: str) -> Problem:
    return Problem("SR902", message, span, help=f"write `{advice}`" if advice == _FORM else advice)


def _idle(
    suppression: Suppression, used: AbstractSet[tuple[str, DocPath]], judged: AbstractSet[str]
) -> Iterator[Problem]:
    idle = [
        listed
        for listed in suppression.codes
        if listed.code in judged and not any((listed.code, block) in used for block in suppression.blocks)
    ]
    if not idle:
        return
    codes = ", ".join(listed.code for listed in idle)
    if len(idle) == len(suppression.codes):
        at, edit = suppression.span, (_removal(suppression.comment), "")
    else:
        first, last = suppression.codes[0].span, suppression.codes[-1].span
        kept = ", ".join(listed.code for listed in suppression.codes if listed not in idle)
        at, edit = idle[0].span, (Span(first.line, first.column, last.end_line, last.end_column), kept)
    yield Problem(
        "SR901",
        f"nothing here needs the suppression of {codes}",
        at,
        help="remove it; a suppression counts for the rule or section that it stands on",
        fix=("safe", (edit,)),
    )


def _removal(comment: Comment) -> Span:
    """The whole line of a comment that has one to itself, else the comment and the white space before it."""
    if comment.own_line:
        return Span(comment.line, 1, comment.line + 1, 1)
    return _part(comment, 0, len(comment.text), with_hash=True)


def _part(comment: Comment, start: int, end: int, *, with_hash: bool = False) -> Span:
    """Characters ``start`` to ``end`` of the comment's text as a span."""
    first = comment.column if with_hash else comment.column + 1 + start
    return Span(comment.line, first, comment.line, comment.column + 1 + end)
