"""Single words of patterns: cheap to find, enough to settle most questions, and a filter for pairs of patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from schemarouter.match.alphabet import representative
from schemarouter.match.tokens import Glob, literal_text, parse
from schemarouter.model.names import name_problem

#: No name may hold it, so no pattern does.
_ANYTHING = "\x00"
#: What a star is replaced by, in turn. The second brings a dot along, for patterns that have none.
_FILLINGS = ("", "x.x", "zq", "x")


@lru_cache(maxsize=32_768)
def parsed(pattern: str) -> Glob:
    """``parse``, remembered."""
    return parse(pattern)


def literal_word(pattern: str) -> str | None:
    """The only word that ``pattern`` matches, or ``None`` if it matches several or none."""
    glob = parsed(pattern)
    return None if glob.stars else literal_text(glob)


def is_operation(word: str) -> bool:
    """Whether ``word`` can be an operation (SPEC 1): a legal key, a dot, a legal endpoint name."""
    if "." not in word or name_problem(word) is not None:
        return False
    at = word.find(".", 1)
    while 0 < at < len(word) - 1:
        if not word[at - 1].isspace() and not word[at + 1].isspace():
            return True
        at = word.find(".", at + 1)
    return False


def samples(pattern: str) -> Iterator[str]:
    """A few readable operations that ``pattern`` matches, most telling first; none if that is not easy."""
    return filter(is_operation, words_of(pattern))


def words_of(pattern: str) -> Iterator[str]:
    """A few readable strings that ``pattern`` matches; none if it matches none."""
    glob = parsed(pattern)
    letters: list[str] = []
    for step in glob.steps:
        if isinstance(step, str):
            letters.append(step)
        elif step:
            letters.append(representative(step[0], step[1]))
        else:
            return
    stars = set(glob.stars)
    seen: set[str] = set()
    for filling in _FILLINGS if stars else ("",):
        word = "".join(filling + letter if place in stars else letter for place, letter in enumerate(letters))
        if len(letters) in stars:
            word += filling
        if word not in seen:
            seen.add(word)
            yield word


@lru_cache(maxsize=65_536)
def plain_ends(pattern: str) -> tuple[str, str]:
    """The plain characters at the beginning and at the end of every word of ``pattern``."""
    glob = parsed(pattern)
    steps, stars = glob.steps, glob.stars
    first = stars[0] if stars else len(steps)
    last = stars[-1] if stars else 0
    prefix: list[str] = []
    for step in steps[:first]:
        if not isinstance(step, str):
            break
        prefix.append(step)
    suffix: list[str] = []
    for step in reversed(steps[last:]):
        if not isinstance(step, str):
            break
        suffix.append(step)
    return "".join(prefix), "".join(reversed(suffix))


def plain_prefix(pattern: str) -> str:
    """The plain characters at the beginning of every word of ``pattern``."""
    return plain_ends(pattern)[0]


class _Frame(NamedTuple):
    """A pattern of plain text with stars at its ends only: ``*text*``, ``text*``, ``*text`` or ``text``."""

    text: str
    before: bool
    after: bool

    def fits(self, word: str) -> bool:
        """Whether the pattern matches ``word``."""
        if self.before:
            return self.text in word if self.after else word.endswith(self.text)
        return word.startswith(self.text) if self.after else word == self.text


@lru_cache(maxsize=65_536)
def _frame(pattern: str) -> _Frame | None:
    steps, stars = parsed(pattern)
    if not all(isinstance(step, str) for step in steps) or not set(stars) <= {0, len(steps)}:
        return None
    return _Frame("".join(steps), 0 in stars, len(steps) in stars)  # type: ignore[arg-type]  # all text, as tested


def common_word(one: str, other: str) -> str | None:
    """A shortest string that both patterns match, where both are plain text with stars at the ends; else ``None``.

    ``None`` says nothing about whether there is one.
    """
    first, second = _frame(one), _frame(other)
    if first is None or second is None:
        return None
    found: str | None = None
    for left, right in ((first, second), (second, first)):
        word = _joined(left, right)
        if word is not None and (found is None or len(word) < len(found)):
            found = word
    return found


def _joined(left: _Frame, right: _Frame) -> str | None:
    """A shortest string that begins with the text of ``left``, or holds nothing else."""
    if right.fits(left.text):
        return left.text
    if not (left.after and right.before):
        return None
    shared = min(len(left.text), len(right.text))
    while shared and not right.text.startswith(left.text[len(left.text) - shared :]):
        shared -= 1
    return left.text + right.text[shared:]


def lies_within(one: str, other: str) -> bool:
    """Whether every string that ``one`` matches is matched by ``other``; ``False`` where that is not easily seen."""
    first, second = _frame(one), _frame(other)
    if first is None or second is None:
        return False
    # A character of no pattern stands for whatever a star matches: only a star can match it.
    return second.fits(_ANYTHING * first.before + first.text + _ANYTHING * first.after)


def some_word(patterns: Iterable[str]) -> str | None:
    """Some operation that all of the patterns match, where one is easily had; ``None`` says nothing."""
    begin, middle, end = "", "", ""
    given = list(patterns)
    for pattern in given:
        frame = _frame(pattern)
        if frame is None:
            return None
        if not frame.before:
            begin = max(begin, frame.text, key=len)
        if not frame.after:
            end = max(end, frame.text, key=len)
        if frame.before and frame.after:
            middle += frame.text
    for word in dict.fromkeys((begin + middle + end, begin, end, f"{begin}x.x{middle}{end}")):
        if is_operation(word) and all(_frame(pattern).fits(word) for pattern in given):  # type: ignore[union-attr]  # looked at above
            return word
    return None


def may_overlap(one: str, other: str) -> bool:
    """Whether a word may match both patterns: ``False`` is certain, ``True`` is not."""
    (prefix, suffix), (prefix2, suffix2) = plain_ends(one), plain_ends(other)
    if not (prefix.startswith(prefix2) or prefix2.startswith(prefix)):
        return False
    return suffix.endswith(suffix2) or suffix2.endswith(suffix)
