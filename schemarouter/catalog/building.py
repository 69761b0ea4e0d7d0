"""From contracts to a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.catalog.arguments import arguments_of
from schemarouter.catalog.hints import hints_of
from schemarouter.catalog.naming import check_collisions, check_name, legible
from schemarouter.catalog.records import Catalog, Operation, Tool
from schemarouter.errors import CatalogError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemarouter.model.tool import EndpointSpec, ToolSpec

#: Characters of a description in a catalog, which is for finding one's way and not the documentation.
DESCRIPTION = 200


def catalog_of(tools: Iterable[ToolSpec]) -> Catalog:
    """The catalog of ``tools``, whatever order they come in.

    Raises :class:`~schemarouter.errors.CatalogError` for illegal names, for names that are there twice or run into each
    other (SPEC 1), and for a contract that is not JSON.
    """
    made = sorted((_tool(tool) for tool in tools), key=lambda tool: tool.key)
    check_collisions(made)
    return Catalog(tuple(made))


def merged(catalogs: Iterable[Catalog]) -> Catalog:
    """One catalog with the tools of all. Raises as :func:`catalog_of`."""
    tools = sorted((tool for catalog in catalogs for tool in catalog.tools), key=lambda tool: tool.key)
    check_collisions(tools)
    return Catalog(tuple(tools))


def _tool(spec: ToolSpec) -> Tool:
    check_name("the name", spec.name)
    if spec.namespace is not None:
        check_name("the namespace", spec.namespace)
    for endpoint in spec.endpoints:
        check_name(f"the endpoint of `{spec.key}`", endpoint.name)
    head = _fingerprint(spec.model_copy(update={"endpoints": []}), spec.key)
    operations = [_operation(spec, endpoint, head) for endpoint in spec.endpoints]
    return Tool(spec.key, spec.remote, spec.source_type, head, tuple(sorted(operations, key=lambda one: one.name)))


def _operation(tool: ToolSpec, endpoint: EndpointSpec, head: str) -> Operation:
    operation = f"{tool.key}.{endpoint.name}"
    arguments, others = arguments_of(endpoint)
    return Operation(
        operation,
        tool.key,
        endpoint.name,
        tool.remote,
        endpoint.read_only,
        endpoint.destructive,
        _fingerprint(endpoint, operation),
        head,
        arguments,
        others,
        hints_of(endpoint.metadata),
        _short(endpoint.description),
    )


def _fingerprint(contract: ToolSpec | EndpointSpec, name: str) -> str:
    try:
        return contract.fingerprint
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, ValueError) else "is nested too deeply"
        raise CatalogError(f"the contract of `{legible(name)}` {reason}", help="mend its schema") from None


def _short(text: str) -> str:
    """The first words of a description, on one line."""
    words = " ".join(text[: 4 * DESCRIPTION].split())
    return words if len(words) <= DESCRIPTION else words[: DESCRIPTION - 1].rstrip() + "…"
