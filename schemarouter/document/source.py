"""A text that was parsed: plain data, and where each key and value stands. YAML and TOML give the same type."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from schemarouter.model.diagnostic import DocPath, Span, Target

Format = Literal["yaml", "toml"]


class Comment(NamedTuple):
    """A comment, without its ``#``. ``own_line``: nothing but white space stands before it."""

    line: int
    column: int
    text: str
    own_line: bool


class Scalar(NamedTuple):
    """How a scalar was written: its text between the quotes or bare, and whether it was bare."""

    text: str
    plain: bool


class Source(Protocol):
    """What a reader of a format gives to the passes behind it."""

    path: str
    format: Format
    text: str
    #: dict, list, str, int, float, bool, None only
    data: object

    @property
    def comments(self) -> tuple[Comment, ...]:
        """Every comment, in order."""

    def locate(self, target: Target) -> Span:
        """The span of ``target``; of its nearest existing parent's key where it does not exist."""

    def scalar(self, path: DocPath) -> Scalar | None:
        """How the scalar at ``path`` was written; ``None`` if there is a mapping, a list or nothing."""

    def text_at(self, span: Span) -> str:
        """The text that ``span`` covers."""

    def positions(self, path: DocPath) -> list[tuple[int, int]]:
        """Line and column of every item of the list at ``path``: cheaper than ``locate`` for each of them."""
