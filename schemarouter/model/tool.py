"""Contracts of tools: what may be called, with which arguments, and which fields come back.

The models check their own shape. Whether names are legal and schemas sound is checked when a tool is registered
(SPEC 1 and 8), because that is where a contract starts to count.
"""

from __future__ import annotations

import hashlib
import itertools
from typing import Any

from pydantic import Field, field_validator, model_validator

from schemarouter.model.base import StrictModel
from schemarouter.model.json_value import canonical_json


class ParameterSpec(StrictModel):
    """One argument of an endpoint. ``location`` says where an adapter sends it: it is no part of the policy."""

    name: str
    required: bool = False
    description: str = ""
    location: str = "argument"
    json_schema: dict[str, Any] = Field(default_factory=dict)


class FieldSpec(StrictModel):
    """One field of an output that a caller may ask for.

    ``path`` says where the field is in what the tool returns, as the keys that lead to it; left out, it is the key
    ``name``. ``result_path`` says where it goes in the result; left out, it stays where it was. Arrays on the way
    are passed through item by item and need no segment. ``json_schema`` describes the value at the end of the path.

    Raises ``ValueError`` (``non-empty string segments``) for an empty segment.
    """

    name: str
    json_schema: dict[str, Any] = Field(default_factory=dict)
    description: str = ""
    identifier: bool = False
    aliases: list[str] = Field(default_factory=list)
    path: list[str] = Field(default_factory=list)
    result_path: list[str] = Field(default_factory=list)

    @field_validator("path", "result_path", mode="before")
    @classmethod
    def _check_segments(cls, value: Any) -> Any:
        if isinstance(value, list | tuple) and not all(isinstance(step, str) and step for step in value):
            raise ValueError("a field path consists of non-empty string segments")
        return list(value) if isinstance(value, tuple) else value

    @property
    def projection_path(self) -> tuple[str, ...]:
        """Where the field is in the raw output: ``path``, else ``(name,)``."""
        return tuple(self.path) or (self.name,)

    @property
    def result_projection_path(self) -> tuple[str, ...]:
        """Where the field goes in the result: ``result_path``, else :attr:`projection_path`."""
        return tuple(self.result_path) or self.projection_path


class EndpointSpec(StrictModel):
    """One operation of a tool, with its contract and its local classification.

    ``read_only`` and ``destructive`` are set by the application or an adapter's local knowledge, never by what a
    server says about itself; ``None`` is unclassified. An empty ``input_schema`` is none: then ``parameters`` decide.
    ``method`` and ``path`` belong to HTTP adapters.

    Raises ``ValueError`` for ``duplicate output field path`` and ``overlapping output field paths``, in the output
    as well as in the result.
    """

    name: str
    description: str = ""
    parameters: list[ParameterSpec] = Field(default_factory=list)
    input_schema: dict[str, Any] = Field(default_factory=dict)
    output_fields: list[FieldSpec] = Field(default_factory=list)
    output_schema: dict[str, Any] = Field(default_factory=dict)
    method: str | None = None
    path: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    execution_metadata: dict[str, Any] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check_field_paths(self) -> EndpointSpec:
        check_paths([field.projection_path for field in self.output_fields])
        check_paths([field.result_projection_path for field in self.output_fields])
        return self

    @property
    def fingerprint(self) -> str:
        """SHA-256 in hexadecimal over the canonical JSON of everything but ``metadata``.

        Computed anew each time, since the model is mutable. Raises ``ValueError`` where the contract is not JSON.
        """
        return _fingerprint(self.model_dump(exclude={"metadata"}))


class ToolSpec(StrictModel):
    """A tool: a key, a trust boundary (``remote``) and its endpoints.

    ``remote`` is set locally, by an adapter or by the author of the contract. ``metadata`` describes and decides
    nothing; ``execution_metadata`` is for the adapter that invokes, and is part of the fingerprint.
    """

    name: str
    endpoints: list[EndpointSpec]
    namespace: str | None = None
    description: str = ""
    remote: bool = False
    source_type: str | None = None
    license: str | None = None
    provider: str | None = None
    execution_metadata: dict[str, Any] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)

    @property
    def key(self) -> str:
        """``namespace.name``, or ``name`` where there is no namespace."""
        return self.name if self.namespace is None else f"{self.namespace}.{self.name}"

    @property
    def fingerprint(self) -> str:
        """SHA-256 in hexadecimal over the canonical JSON of everything but ``metadata``, endpoints' included.

        Computed anew each time, since the model is mutable. Raises ``ValueError`` where the contract is not JSON.
        """
        return _fingerprint(self.model_dump(exclude={"metadata": True, "endpoints": {"__all__": {"metadata"}}}))

    def endpoint(self, name: str) -> EndpointSpec:
        """Return the endpoint called ``name``; raise ``KeyError`` if there is none."""
        for endpoint in self.endpoints:
            if endpoint.name == name:
                return endpoint
        raise KeyError(name)


def check_paths(paths: list[tuple[str, ...]]) -> None:
    """Refuse equal paths and paths of which one leads through the end of another, with ``ValueError``."""
    ordered = sorted(paths)
    for left, right in itertools.pairwise(ordered):
        # In sorted order a path stands directly before a path that it is a prefix of, or before another such.
        if left == right:
            raise ValueError(f"duplicate output field path `{'.'.join(left)}`")
        if right[: len(left)] == left:
            raise ValueError(f"overlapping output field paths `{'.'.join(left)}` and `{'.'.join(right)}`")


def _fingerprint(contract: dict[str, Any]) -> str:
    return hashlib.sha256(canonical_json(contract, contract=True).encode("ascii")).hexdigest()
