"""Where tools come from on the command line: an OpenAPI file, an MCP server, a saved listing, a module, a catalog."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, NamedTuple

from schemarouter_cli import streams
from schemarouter_cli.failure import CannotRun
from schemarouter_cli.files import STDIN, read_bytes
from schemarouter_cli.text import display_path, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemarouter.catalog.records import Catalog
    from schemarouter.model.tool import ToolSpec
    from schemarouter.sources.problem import SourceError

_NAMED = re.compile(r"([^=:/\\\s]+)=(.+)", re.DOTALL)
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
#: How an OpenAPI document begins, in JSON and in YAML.
_OPENAPI = re.compile(rb"""(^|[{,\s])["']?(openapi|swagger)["']?\s*:""")
#: Notes about a document that are shown; an import may have thousands.
SHOWN_NOTES = 10


class SourceOptions(NamedTuple):
    """How sources are read. ``environment`` names the variables that an MCP server is given besides the harmless ones.

    ``headers`` are ``NAME=VARIABLE``: what is sent stands in a variable, and not on a command line that others can see.
    """

    server_url: str | None = None
    allow_import: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    leave_out: bool = False


def catalog_of_sources(sources: Sequence[str], name: str | None, options: SourceOptions) -> Catalog:
    """One catalog with the tools of all sources. Raises :class:`CannotRun`."""
    from schemarouter.catalog.building import merged
    from schemarouter.errors import CatalogError

    if name is not None and len(sources) > 1:
        raise CannotRun(
            "`--name` is for one source", "of several, name each: `github=github.json mail=mcp:mail-server`"
        )
    try:
        return merged([_read(source, name, options) for source in sources])
    except CatalogError as error:
        raise CannotRun(str(error), error.help) from None


def read_catalog_files(paths: Iterable[str]) -> Catalog | None:
    """One catalog from all catalog files, ``None`` if there are none. Raises :class:`CannotRun`."""
    from schemarouter.catalog.building import merged
    from schemarouter.errors import CatalogError

    found = []
    for path in paths:
        try:
            found.append(_catalog(path))
        except CatalogError as error:
            raise CannotRun(f"`{display_path(path)}`: {error}", error.help) from None
    try:
        return merged(found) if found else None
    except CatalogError as error:
        raise CannotRun(str(error), "make one catalog of all sources: `schemarouter catalog SOURCE SOURCE`") from None


def _catalog(path: str) -> Catalog:
    from schemarouter.catalog.file import read_catalog
    from schemarouter.catalog.strict import SIZE_LIMIT

    return read_catalog(read_bytes(path, SIZE_LIMIT))


def _read(source: str, name: str | None, options: SourceOptions) -> Catalog:
    named = None if os.path.exists(source) else _NAMED.fullmatch(source)
    if named is not None:
        name, source = named[1], named[2]
    from schemarouter.catalog.building import catalog_of
    from schemarouter.errors import RegistrationError
    from schemarouter.sources.problem import SourceError

    kind, _, rest = source.partition(":")
    try:
        if kind == "mcp":
            return catalog_of([_mcp(rest, name, options)])
        if kind == "python":
            return catalog_of(_python(rest, name, options))
        return _file(source, name, options)
    except SourceError as error:
        raise _refused(error) from None
    except RegistrationError as error:
        raise CannotRun(str(error)) from None


def _refused(error: SourceError) -> CannotRun:
    return CannotRun(" ".join(str(error).split()), error.help)


def _file(path: str, name: str | None, options: SourceOptions) -> Catalog:
    from schemarouter.catalog.building import catalog_of
    from schemarouter.catalog.file import is_catalog, read_catalog
    from schemarouter.catalog.strict import SIZE_LIMIT

    if _MODULE.fullmatch(path) and not os.path.exists(path):
        raise CannotRun(f"there is no file `{path}`", f"for the Python module of that name, write `python:{path}`")
    raw = read_bytes(path, SIZE_LIMIT)
    if is_catalog(raw):
        if name is not None:
            raise CannotRun(
                f"`{display_path(path)}` is a catalog, whose tools have their names already", "leave it out"
            )
        return read_catalog(raw)
    listing = None if _OPENAPI.search(raw[:4096]) else _listing(raw)
    if listing is not None:
        return catalog_of([_of_listing(listing, name or _stem(path), options)])
    if path == STDIN:
        raise CannotRun("an OpenAPI document cannot be read from standard input", "name its file")
    from schemarouter.sources.openapi import load_openapi

    imported = load_openapi(path, name=name, server_url=options.server_url)
    _tell([str(note) for note in imported.notes])
    return catalog_of([imported.tool])


def _stem(path: str) -> str:
    if path == STDIN:
        raise CannotRun("a listing on standard input needs a local name", "pass `--name github`")
    return os.path.splitext(os.path.basename(path))[0]


def _listing(raw: bytes) -> list[Any] | None:
    """The tools in a saved answer to ``tools/list``: the list itself, or where a client put it."""
    import json

    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    for key in ("tools_list", "result", "tools"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    return found if isinstance(found, list) else None


def _of_listing(listing: list[Any], name: str, options: SourceOptions) -> ToolSpec:
    from schemarouter.sources.mcp.listing import read_listing

    found = read_listing(name, listing, on_refused="leave-out" if options.leave_out else "refuse")
    _tell([f"left out {one.where} `{one.name}`: it {one.reason}" for one in found.left_out])
    return found.tool


def _mcp(target: str, name: str | None, options: SourceOptions) -> ToolSpec:
    import asyncio

    from schemarouter.sources.mcp import HttpServer, McpSource, StdioServer

    if name is None:
        raise CannotRun("an MCP server needs a local name", "pass `--name github`; what it calls itself does not count")
    if target.startswith(("http://", "https://")):
        server: HttpServer | StdioServer = HttpServer(target, _headers(options.headers))
    else:
        command, *arguments = _words(target)
        server = StdioServer(command, arguments, env=_environment(options.environment))

    async def listed() -> ToolSpec:
        source = McpSource(name, server, on_refused="leave-out" if options.leave_out else "refuse")
        async with source:
            tool = await source.tool()
            _tell([f"left out {one.where} `{one.name}`: it {one.reason}" for one in source.left_out])
            return tool

    return asyncio.run(listed())


def _words(command: str) -> list[str]:
    import shlex

    try:
        words = shlex.split(command)
    except ValueError:
        raise CannotRun("the command line of the MCP server has a quotation mark without its partner") from None
    if not words:
        raise CannotRun("`mcp:` names no command and no address", "write `'mcp:mcp-server-git --repository .'`")
    return words


def _environment(names: Iterable[str]) -> dict[str, str]:
    return {name: _variable(name) for name in names}


def _headers(given: Iterable[str]) -> dict[str, str]:
    found = {}
    for each in given:
        name, equals, variable = each.partition("=")
        if not equals:
            raise CannotRun("a header is written as its name and a variable", "write `--header Authorization=MY_TOKEN`")
        found[name] = _variable(variable)
    return found


def _variable(name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise CannotRun(f"the variable `{printable(name)}` is not set", "set it in the environment of this command")
    return value


def _python(module: str, name: str | None, options: SourceOptions) -> list[ToolSpec]:
    from importlib import import_module

    from schemarouter.named_callables import import_prefixes
    from schemarouter.sources.python import tools_of_module

    try:
        prefixes = import_prefixes(options.allow_import)
    except ValueError:
        raise CannotRun("`--allow-import` names no module", "write a prefix such as `--allow-import myapp.`") from None
    if not all(step.isidentifier() for step in module.split(".")):
        raise CannotRun(f"`{printable(module)}` is no module name", "write `python:myapp.tools`")
    if not any(module == prefix or module.startswith(f"{prefix}.") for prefix in prefixes):
        raise CannotRun(
            f"importing `{module}` runs its code and is not allowed", f"allow it: `--allow-import {module}`"
        )
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # last: a file here cannot take the place of an installed module
    try:
        with redirect_stdout(sys.stderr):  # what the module prints is no part of the catalog
            found = import_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a module may fail in any way while it is imported
        raise CannotRun(f"`{module}` cannot be imported: {type(error).__name__}") from None
    return list(tools_of_module(found, namespace=name))


def _tell(notes: list[str]) -> None:
    for note in notes[:SHOWN_NOTES]:
        streams.tell(f"note: {printable(' '.join(note.split()))}")
    if len(notes) > SHOWN_NOTES:
        streams.tell(f"note: and {len(notes) - SHOWN_NOTES} more of this kind")
