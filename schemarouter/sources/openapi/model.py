"""What an import gives, and what a caller is shown of an operation when it selects and classifies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from schemarouter.model.tool import ToolSpec


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation as the document describes it. ``name`` is the endpoint's; ``extensions`` are its ``x-`` members.

    Everything here comes from the document: description for the application's own decision, never a decision.
    """

    name: str
    method: str
    path: str
    operation_id: str | None = None
    summary: str = ""
    tags: tuple[str, ...] = ()
    deprecated: bool = False
    extensions: Mapping[str, Any] = field(default_factory=dict)


class Classification(NamedTuple):
    """The two attributes that a policy sees of an endpoint (SPEC 1); ``None`` is unknown."""

    read_only: bool | None = None
    destructive: bool | None = None


#: A function of the operation (``None``: leave it as its method says), or a map from name patterns, first match decides.
Classify: TypeAlias = (
    Callable[[Operation], Classification | tuple[bool | None, bool | None] | None]
    | Mapping[str, Classification | tuple[bool | None, bool | None] | Mapping[str, bool | None]]
)
#: A function of the operation, or patterns for its name.
Select: TypeAlias = Callable[[Operation], bool] | str | Iterable[str]


class Note(NamedTuple):
    """Something that an import did not take over as it stands. ``where`` is its place in the document."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


@dataclass(frozen=True, slots=True)
class OpenApiImport:
    """A document as one tool.

    ``notes`` say what was renamed, left out or relaxed, and why. ``version`` is the OpenAPI version. ``servers`` are the
    document's own server URLs: shown for the application to choose from, never used by themselves.
    """

    tool: ToolSpec
    notes: tuple[Note, ...]
    version: str
    servers: tuple[str, ...]
