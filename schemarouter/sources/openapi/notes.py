"""Collects what an import has to say, within a limit."""

from __future__ import annotations

from schemarouter.sources.openapi.files import Place
from schemarouter.sources.openapi.limits import MAX_NOTES
from schemarouter.sources.openapi.model import Note


class Notes:
    """Notes in the order of the document; each is kept once."""

    def __init__(self) -> None:
        self._notes: dict[Note, None] = {}
        self._dropped = 0

    def add(self, place: Place, message: str) -> None:
        """Note ``message`` about what stands at ``place``."""
        note = Note(str(place).strip("`"), message)
        if len(self._notes) < MAX_NOTES:
            self._notes[note] = None
        elif note not in self._notes:
            self._dropped += 1

    def all(self) -> tuple[Note, ...]:
        """Every note; the last one says how many more there are."""
        more = [Note("document", f"{self._dropped} more notes are not listed")] if self._dropped else []
        return (*self._notes, *more)
