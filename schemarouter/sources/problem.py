"""What is said when a source of tools cannot be read: it is refused whole."""

from __future__ import annotations

from schemarouter.errors import SchemaRouterError


class SourceError(SchemaRouterError):
    """A document, server or module that cannot become tools. ``where`` is a place in it, ``help`` says what to do instead."""

    def __init__(self, message: str, *, where: str | None = None, help: str | None = None) -> None:  # noqa: A002 - the word for it everywhere in this package
        super().__init__(message if where is None else f"{where}: {message}")
        self.message = message
        self.where = where
        self.help = help
