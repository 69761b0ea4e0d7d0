"""Single words of patterns: cheap to find, enough to settle most questions, and a filter for pairs of patterns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from schemarouter.match.alphabet import representative
from schemarouter.match.tokens import Glob, literal_text, parse
from schemarouter.model.names import name_problem

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
def _ends(pattern: str) -> tuple[str, str]:
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
    return "".join(prefix), "".join(suffix)


def plain_prefix(pattern: str) -> str:
    """The plain characters at the beginning of every word of ``pattern``."""
    return _ends(pattern)[0]


def may_overlap(one: str, other: str) -> bool:
    """Whether a word may match both patterns: ``False`` is certain, ``True`` is not."""
    (prefix, suffix), (prefix2, suffix2) = _ends(one), _ends(other)
    if not (prefix.startswith(prefix2) or prefix2.startswith(prefix)):
        return False
    return suffix.endswith(suffix2) or suffix2.endswith(suffix)
