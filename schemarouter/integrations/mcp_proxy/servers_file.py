"""The file that says which servers a proxy has behind it, version 1: YAML, TOML or JSON, read as strictly as a policy."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeAlias

from pydantic import Field, ValidationError

from schemarouter.document.codes import READER_CODES
from schemarouter.document.collector import collector_paused
from schemarouter.document.findings import MAX_PROBLEMS, START, to_findings
from schemarouter.document.places import Form
from schemarouter.document.scalars import scalar_problems
from schemarouter.document.text import read_source
from schemarouter.model.base import FrozenModel
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.document.source import Format, Source
    from schemarouter.model.diagnostic import Finding

_Text: TypeAlias = Annotated[str, Field(min_length=1)]
_Seconds: TypeAlias = Annotated[float, Field(gt=0)]
_Variables: TypeAlias = Annotated[
    list[_Text], Field(description="Variables of the proxy that the server is given, too.")
]


class ServerEntry(FrozenModel):
    """One server: a command that is started, or an address."""

    command: _Text | None = Field(default=None, description="The program to start. No shell is involved.")
    args: list[str] = Field(default_factory=list, description="Its arguments.")
    env: dict[str, str] = Field(default_factory=dict, description="Variables that it is given. No secrets belong here.")
    pass_env: _Variables = Field(default_factory=list)
    cwd: _Text | None = Field(default=None, description="The folder it is started in; relative to that of the proxy.")
    stderr: Literal["discard", "inherit"] = Field(default="discard", description="What becomes of what it logs.")
    url: _Text | None = Field(default=None, description="Where a server that runs already speaks streamable HTTP.")
    headers: dict[str, str] = Field(
        default_factory=dict, description="Headers of every request. No secrets belong here."
    )
    headers_env: dict[str, str] = Field(
        default_factory=dict,
        description="Headers whose values are variables of the proxy: `authorization: DOCS_TOKEN`.",
    )
    protocol: Literal["auto", "2025-11-25", "2026-07-28"] = Field(default="auto", description="The protocol to speak.")
    timeout: _Seconds | None = Field(default=None, description="Seconds that one call may take.")
    leave_out: bool = Field(default=False, description="Leave out tools that cannot be registered, instead of failing.")


class ServersDocument(FrozenModel):
    """Which servers are behind, by the names that policies call them."""

    version: Literal[1] = Field(description="The version of this format.")
    servers: dict[_Text, ServerEntry] = Field(
        min_length=1, description="The servers, by local name; what they call themselves does not count."
    )


SERVERS_FILE = Form(
    ServersDocument,
    "a file of servers",
    {ServersDocument: "at the top level", ServerEntry: "in a server"},
    synonyms={
        ServersDocument: dict.fromkeys(("mcpservers", "mcp_servers", "server"), "servers"),
        ServerEntry: {
            **dict.fromkeys(("cmd", "program", "executable"), "command"),
            **dict.fromkeys(("arguments", "argv"), "args"),
            **dict.fromkeys(("environment", "variables"), "env"),
            **dict.fromkeys(("address", "endpoint", "uri"), "url"),
            **dict.fromkeys(("directory", "folder", "workdir"), "cwd"),
        },
    },
    values={},
    missing={"servers": "write a server: `git: {command: mcp-server-git}`"},
    nouns={},
)

_OF_PROCESS = ("args", "env", "pass_env", "cwd", "stderr")
_OF_ADDRESS = ("headers", "headers_env")


class ReadServers(NamedTuple):
    """What reading gave. ``document`` is ``None`` exactly if a finding of severity ``error`` exists."""

    document: ServersDocument | None
    source: Source | None
    findings: tuple[Finding, ...]


def read_servers(raw: bytes, path: str, format: Format) -> ReadServers:  # noqa: A002 - the word of the whole package
    """Read a file of servers. Never raises for anything that stands in it. JSON is read as YAML, of which it is a part."""
    with collector_paused():
        source, problems = read_source(raw, path, format)
        document = None
        if source is not None and not any(READER_CODES[one.code].severity == "error" for one in problems):
            document, found = _structure(source)
            problems += found
        findings = tuple(to_findings(problems[:MAX_PROBLEMS], source, path, codes=READER_CODES))
    failed = any(finding.severity == "error" for finding in findings)
    return ReadServers(None if failed else document, source, findings)


def _structure(source: Source) -> tuple[ServersDocument | None, list[Problem]]:
    if source.data is None:
        return None, [Problem("SR104", "the file is empty", START, "a file of servers begins with `version: 1`")]
    problems = scalar_problems(source, SERVERS_FILE)
    problems += islice(_shape(source.data), MAX_PROBLEMS)
    try:
        return ServersDocument.model_validate(source.data), problems
    except ValidationError as error:
        from schemarouter.document.explain import explain  # here, because a clean file needs none of it

        errors = error.errors(include_url=False)[: 6 * (MAX_PROBLEMS + 1)]
        taken = {problem.at.path for problem in problems if isinstance(problem.at, Target)}
        return None, problems + list(explain(errors, source, taken, SERVERS_FILE))


def _shape(data: object) -> Iterator[Problem]:
    """Each server is a process or an address, and says nothing that belongs to the other."""
    servers = data.get("servers") if isinstance(data, dict) else None
    for name, entry in servers.items() if isinstance(servers, dict) else ():
        if not isinstance(entry, dict):
            continue
        at = ("servers", name)
        if ("command" in entry) == ("url" in entry):
            both = "a `command` and a `url`" if "url" in entry else "no `command` and no `url`"
            yield Problem("SR102", f"the server has {both}", Target(at), "write the one that it is reached by")
            continue
        kind, foreign = ("process", _OF_ADDRESS) if "command" in entry else ("address", _OF_PROCESS)
        for key in foreign:
            if key in entry:
                yield Problem(
                    "SR102",
                    f"`{key}` means nothing for a server that is a {kind}"
                    if kind == "process"
                    else f"`{key}` means nothing for a server at an address",
                    Target((*at, key), "key"),
                    "remove it",
                )
