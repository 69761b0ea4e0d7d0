"""One pattern of the policy's wildcard language, or any of several. Standard library only.

The language is that of ``fnmatch.fnmatchcase``: the whole string, case-sensitive, ``*`` any run of characters (empty,
dots, slashes and newlines included), ``?`` one character, ``[abc]``, ``[a-z]`` and ``[!x]`` one character of a set.
"""

from __future__ import annotations

from functools import lru_cache

from schemarouter.match.lookup import Lookup
from schemarouter.match.tokens import literal_text, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class PatternSet:
    """Patterns, in an order that does not matter, as one matcher. Immutable, equal by value, picklable, thread-safe."""

    __slots__ = ("_lookup", "patterns")

    def __init__(self, patterns: Iterable[str]) -> None:
        #: The patterns, sorted, each once.
        self.patterns: tuple[str, ...] = tuple(sorted(set(patterns)))
        self._lookup = Lookup(enumerate(self.patterns))

    def matches(self, text: str) -> bool:
        """Whether any of the patterns matches the whole of ``text``, in time linear in both lengths."""
        found, others = self._lookup.find(text)
        return bool(found) or any(True for _ in others)

    def __eq__(self, other: object) -> bool:
        return self.patterns == other.patterns if isinstance(other, PatternSet) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.patterns)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.patterns,))

    def __repr__(self) -> str:
        return f"PatternSet({list(self.patterns)!r})"


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> PatternSet:
    return PatternSet((pattern,))


def matches(pattern: str, operation: str) -> bool:
    """Whether ``pattern`` matches the whole of ``operation``: what ``fnmatchcase(operation, pattern)`` says."""
    return _compiled(pattern).matches(operation)


def literal(pattern: str) -> str | None:
    """The only string that ``pattern`` matches, or ``None`` if it has wildcards.

    A bracket that stands for exactly one character is none: ``literal("a[*]") == "a*"``.
    """
    glob = parse(pattern)
    return None if glob.stars else literal_text(glob)
