"""What a server says of its tools (MCP annotations), read from the description that an adapter kept.

Both spellings are read, that of the protocol (``readOnlyHint``) and that of Python libraries (``read_only_hint``). What is
not a boolean says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from schemarouter.catalog.records import Hints


def hints_of(metadata: Mapping[str, object]) -> Hints:
    """The hints in the ``annotations`` of an endpoint's ``metadata``."""
    annotations = metadata.get("annotations")
    if not isinstance(annotations, Mapping):
        return Hints()
    return Hints(
        _said(annotations, "readOnlyHint", "read_only_hint"),
        _said(annotations, "destructiveHint", "destructive_hint"),
    )


def _said(annotations: Mapping[str, object], *spellings: str) -> bool | None:
    """The one answer of all spellings that are there; ``None`` also where they differ."""
    said = {value for name in spellings if type(value := annotations.get(name)) is bool}
    return said.pop() if len(said) == 1 else None
