"""A pattern as a line of states: what each step consumes, and where it may stay. Standard library only.

State ``i`` of a pattern with ``n`` steps goes to state ``i + 1`` by a character that step ``i`` accepts, and stays by
any character if a star stands there; state ``n`` accepts. This is the whole automaton: stars need no step of their own,
and nothing is ever determinised.
"""

from __future__ import annotations

from collections import namedtuple

from schemarouter.match.alphabet import EVERY, bracket_charset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple, TypeAlias

    from schemarouter.match.alphabet import Charset

    #: One character, or a set of characters that is not just one.
    Step: TypeAlias = str | Charset

    class Glob(NamedTuple):
        """A parsed pattern.

        ``steps``: each a character, or a set of characters (``EVERY`` for ``?``, ``NONE`` for a bracket that matches
        nothing). ``stars``: the states, from 0 to ``len(steps)``, that have a star, rising.
        """

        steps: tuple[Step, ...]
        stars: tuple[int, ...]
else:
    Glob = namedtuple("Glob", "steps stars")


def parse(pattern: str) -> Glob:
    """Parse ``pattern`` in time linear in its length (apart from what ``fnmatchcase`` takes to answer for brackets).

    Every string is a pattern: a ``[`` that is never closed is a literal, as in ``fnmatch``.
    """
    steps: list[Step] = []
    stars: list[int] = []
    brackets: dict[str, Step] = {}
    closable = True
    position, length = 0, len(pattern)
    while position < length:
        character = pattern[position]
        position += 1
        if character == "*":
            if not stars or stars[-1] != len(steps):
                stars.append(len(steps))
        elif character == "?":
            steps.append(EVERY)
        elif character == "[" and closable:
            end = _bracket_end(pattern, position)
            if end < 0:
                # No later bracket can be closed either; asking again for each would be quadratic.
                closable = False
                steps.append(character)
            else:
                text = pattern[position - 1 : end]
                if text not in brackets:
                    brackets[text] = _bracket_step(text)
                steps.append(brackets[text])
                position = end
        else:
            steps.append(character)
    return Glob(tuple(steps), tuple(stars))


def literal_text(glob: Glob) -> str | None:
    """The characters of the steps in a row if each is a single one, whatever the stars; else ``None``."""
    characters = [step for step in glob.steps if isinstance(step, str)]
    return "".join(characters) if len(characters) == len(glob.steps) else None


def _bracket_end(pattern: str, position: int) -> int:
    """The index after the ``]`` that closes the bracket whose ``[`` stands before ``position``, or -1."""
    if pattern.startswith("!", position):
        position += 1
    if pattern.startswith("]", position):
        position += 1
    return pattern.find("]", position) + 1 or -1


def _bracket_step(bracket: str) -> Step:
    charset = bracket_charset(bracket)
    if len(charset) == 2 and charset[1] - charset[0] == 1:
        return chr(charset[0])
    return charset
