"""From a ``tools/list`` to the contract of one tool, whose endpoints are the server's tools.

The key is the name that the application gives the server, never what the server calls itself. Everything is remote and
unclassified; annotations are kept in ``endpoint.metadata["annotations"]``, where they decide nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Literal, NamedTuple

from schemarouter.contract.admission import MAX_NAME, admit
from schemarouter.contract.schema import shown
from schemarouter.errors import RegistrationError
from schemarouter.model.json_value import JsonValueError, checked_copy
from schemarouter.model.names import name_problem
from schemarouter.model.tool import EndpointSpec, ToolSpec
from schemarouter.sources.mcp.annotations import annotations_of
from schemarouter.sources.problem import SourceError

#: What to do with a tool that cannot be registered: refuse the server whole, or leave the tool out and say so.
OnRefused = Literal["refuse", "leave-out"]

#: Tools of one listing.
MAX_TOOLS = 10_000
#: Characters of one description; the longest of 1,800 real ones has some thousands.
MAX_DESCRIPTION = 100_000
#: Characters of a name, and of a reason, that a message shows: both may hold text of the server.
_SHOWN = 80
_REASON = 400
_SPELLINGS = {
    "description": ("description",),
    "title": ("title",),
    "inputSchema": ("inputSchema", "input_schema"),
    "outputSchema": ("outputSchema", "output_schema"),
    "annotations": ("annotations",),
}


class LeftOut(NamedTuple):
    """A tool of a listing that did not become an endpoint: its place (``tools[3]``), its name as shown, and why."""

    where: str
    name: str
    reason: str


class Listing(NamedTuple):
    """The contract that a listing gives, and what was left out of it, which is nothing unless the application allowed it."""

    tool: ToolSpec
    left_out: tuple[LeftOut, ...]


class _RefusedToolError(Exception):
    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name
        self.reason = reason


def tool_from_listing(name: str, listing: Iterable[Any]) -> ToolSpec:
    """Return the contract of the server that is called ``name`` here, from the ``tools`` of a ``tools/list`` result.

    An item is a mapping as on the wire, or an object of an SDK. Raises ``SourceError``, and refuses the listing
    whole, for an item that is no tool, an illegal or repeated name, and a schema that cannot be used.
    """
    return read_listing(name, listing).tool


def read_listing(
    name: str, listing: Iterable[Any], *, on_refused: OnRefused = "refuse", metadata: Mapping[str, Any] | None = None
) -> Listing:
    """As :func:`tool_from_listing`. With ``on_refused="leave-out"`` what cannot be registered is left out and told.

    Of tools that share a name all are left out. ``metadata`` describes the server. Raises ``SourceError``.
    """
    check_name(name)
    if on_refused not in ("refuse", "leave-out"):
        raise ValueError("`on_refused` must be `refuse` or `leave-out`")
    if isinstance(listing, str | bytes | Mapping) or not isinstance(listing, Iterable):
        raise SourceError(
            f"a listing must be the list of tools, not `{type(listing).__name__}`",
            help="pass the `tools` of a `tools/list` result",
        )
    items = list(islice(listing, MAX_TOOLS + 1))
    if len(items) > MAX_TOOLS:
        raise SourceError(f"the listing holds more than {MAX_TOOLS} tools", where=f"server `{name}`")
    names = [_name(item) for item in items]
    taken = Counter(text for text in names if isinstance(text, str))
    endpoints: list[EndpointSpec] = []
    left_out: list[LeftOut] = []
    for index, (item, own) in enumerate(zip(items, names, strict=True)):
        try:
            endpoints.append(_endpoint(name, item, own, taken))
        except _RefusedToolError as problem:
            if on_refused == "refuse":
                raise SourceError(
                    f"the tool `{problem.name}` {problem.reason}",
                    where=f"server `{name}`: tools[{index}]",
                    help='nothing of this server is used; `on_refused="leave-out"` uses the rest of it',
                ) from None
            left_out.append(LeftOut(f"tools[{index}]", problem.name, problem.reason))
    return Listing(_whole(name, endpoints, metadata), tuple(left_out))


def check_name(name: object) -> None:
    """Raise ``SourceError`` if ``name`` cannot be the local name of a server."""
    problem = name_problem(name) if type(name) is str else "is no text"
    if problem is None and len(str(name)) > MAX_NAME:
        problem = f"is longer than {MAX_NAME} characters"
    if problem is not None:
        raise SourceError(f"the local name of a server {problem}")


def _whole(name: str, endpoints: list[EndpointSpec], metadata: Mapping[str, Any] | None) -> ToolSpec:
    try:
        about = checked_copy(dict(metadata or {}))
    except JsonValueError:
        about = {}  # it only describes
    tool = ToolSpec(name=name, endpoints=endpoints, remote=True, source_type="mcp", metadata=about)
    try:
        admit(tool)
    except RegistrationError as error:  # each is sound, all together are too much
        raise SourceError(str(error)[:_REASON], where=f"server `{name}`") from None
    return tool


def _endpoint(server: str, item: Any, name: object, taken: Counter[str]) -> EndpointSpec:
    if type(name) is not str:
        raise _RefusedToolError("?", "has no name that is text")
    short = shown(name[:_SHOWN])
    problem = name_problem(name)
    if problem is not None:
        raise _RefusedToolError(short, f"has a name that {problem}")
    if taken[name] > 1:
        raise _RefusedToolError(short, "is listed more than once")
    fields = {wire: _field(item, short, wire, *spellings) for wire, spellings in _SPELLINGS.items()}
    schema = fields["inputSchema"]
    if schema is None:
        raise _RefusedToolError(short, "has no input schema")
    annotations = annotations_of(fields["annotations"])
    title = fields["title"]
    about: dict[str, Any] = {"annotations": annotations} if annotations else {}
    if type(title) is str:
        about["title"] = title
    description = fields["description"]
    if isinstance(description, str) and len(description) > MAX_DESCRIPTION:
        raise _RefusedToolError(short, f"has a description of more than {MAX_DESCRIPTION} characters")
    try:
        endpoint = EndpointSpec(
            name=name,
            description=description if description is not None else "",
            input_schema=_checked(short, "input schema", schema),
            output_schema=_checked(short, "output schema", fields["outputSchema"] or {}),
            metadata=about,
        )
        admit(ToolSpec(name=server, endpoints=[endpoint], remote=True))
    except RegistrationError as error:
        raise _RefusedToolError(short, f"cannot be registered: {str(error)[:_REASON]}") from None
    except ValueError:  # pydantic's: a description that is no text
        raise _RefusedToolError(short, "has a description that is no text") from None
    return endpoint


def _checked(name: str, what: str, schema: object) -> dict[str, Any]:
    if type(schema) is not dict:
        raise _RefusedToolError(name, f"has an {what} that is no JSON object")
    try:
        copy: dict[str, Any] = checked_copy(schema)
    except JsonValueError as error:
        raise _RefusedToolError(name, f"has an {what} that {error.reason}") from None
    return copy


def _name(item: Any) -> Any:
    return item.get("name") if isinstance(item, Mapping) else getattr(item, "name", None)


def _field(item: Any, name: str, wire: str, *spellings: str) -> Any:
    if isinstance(item, Mapping):
        said = [item[spelling] for spelling in spellings if item.get(spelling) is not None]
    else:
        said = [value for spelling in spellings if (value := getattr(item, spelling, None)) is not None]
    if len(said) > 1 and not _same(*said):
        raise _RefusedToolError(name, f"has two different `{wire}`, one in each spelling")
    return said[0] if said else None


def _same(left: Any, right: Any) -> bool:
    try:
        return bool(left == right)
    except RecursionError:
        return False
