"""The second half of ``make demo``: a shipped policy loaded at start-up, and real calls through all thirteen stages."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.prompt import Confirm

from schemarouter import (
    EndpointSpec,
    ExecutionPlan,
    ParameterSpec,
    RegistryExecutor,
    SchemaRouter,
    SchemaRouterError,
    ToolCall,
    ToolSpec,
)

POLICY = Path(__file__).resolve().parent.parent / "config" / "examples" / "desk.yaml"
TEXT = {"type": "string"}


class Files:
    """Text files in one folder."""

    spec = ToolSpec(
        name="files",
        description="text files of the help desk",
        endpoints=[
            EndpointSpec(name="list", read_only=True, destructive=False),
            EndpointSpec(
                name="read",
                read_only=True,
                destructive=False,
                parameters=[ParameterSpec(name="name", required=True, json_schema={**TEXT, "pattern": r"^\w+\.txt$"})],
                output_schema=TEXT,
            ),
            EndpointSpec(
                name="delete",
                read_only=False,
                destructive=True,
                parameters=[ParameterSpec(name="name", required=True, json_schema=TEXT)],
            ),
        ],
    )

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, endpoint: str, arguments: dict[str, Any]) -> Any:
        if endpoint == "list":
            return sorted(path.name for path in self.folder.iterdir())
        path = self.folder / arguments["name"]
        if endpoint == "read":
            return path.read_text("utf-8")
        path.unlink()
        return None


class Tickets:
    """A table in SQLite."""

    spec = ToolSpec(
        name="tickets",
        description="tickets of the help desk",
        endpoints=[
            EndpointSpec(name="list", read_only=True, destructive=False),
            EndpointSpec(
                name="close",
                read_only=False,
                destructive=False,
                parameters=[ParameterSpec(name="number", required=True, json_schema={"type": "integer"})],
            ),
        ],
    )

    def __init__(self, database: Path) -> None:
        self.database = database
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute("create table ticket (number integer primary key, title text, open integer)")
            rows = [(1, "printer is on fire", 1), (2, "forgot the password", 1)]
            connection.executemany("insert into ticket values (?, ?, ?)", rows)

    def __call__(self, endpoint: str, arguments: dict[str, Any]) -> Any:
        with closing(sqlite3.connect(self.database)) as connection, connection:
            if endpoint == "list":
                rows = connection.execute("select number, title from ticket where open order by number")
                return [f"{number}: {title}" for number, title in rows]
            changed = connection.execute("update ticket set open = 0 where number = ?", (arguments["number"],))
            return f"{changed.rowcount} ticket closed"


class Show:
    """Prints each stage as a call passes it, and how the call ended."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def entered(self, _index: int, frame: Any) -> None:
        self.console.print(f"[dim]{frame.stage}[/] › ", end="")

    def ended(self, _index: int, frame: Any, error: BaseException | None) -> None:
        if error is None:
            self.console.print(f"\n  [bold green]ran:[/] {frame.result.data!r}")
        else:
            self.console.print(f"\n  [bold red]{type(error).__name__}:[/] {error}", highlight=False)


def planned(router: SchemaRouter, operation: str, **arguments: Any) -> ToolCall:
    """A call as a planner would hand it over: with the fingerprints of the contract that it was made for."""
    tool, _, endpoint = operation.rpartition(".")
    spec = router.registry.get(tool)
    return ToolCall(
        tool=tool,
        endpoint=endpoint,
        arguments=arguments,
        schema_fingerprint=spec.endpoint(endpoint).fingerprint,
        tool_fingerprint=spec.fingerprint,
    )


async def run(executor: RegistryExecutor, router: SchemaRouter, console: Console, title: str, *calls: ToolCall) -> str:
    """Execute ``calls`` as one run and return the class of the error, or ``ran``."""
    console.print(f"\n[bold]{title}[/]")
    plan = ExecutionPlan(query=title, registry_version=router.registry.version, calls=list(calls))
    try:
        await executor.execute(plan, observer=Show(console))
    except SchemaRouterError as error:
        return type(error).__name__
    return "ran"


async def demonstrate(console: Console, yes: bool) -> list[str]:
    """Run the four calls and return how each ended."""

    def supervisor(tool: ToolSpec, endpoint: EndpointSpec, call: ToolCall) -> bool:
        question = f"\n  supervisor, may the agent run [bold]{tool.key}.{endpoint.name}[/] with {call.arguments}?"
        if yes:
            console.print(f"{question} [bold]yes[/] (--yes)")
            return True
        return Confirm.ask(question, console=console, default=False)

    def audit(_tool: ToolSpec, _endpoint: EndpointSpec, _call: ToolCall) -> None:
        console.print("[dim](audited)[/] ", end="")

    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder, "notes")
        notes.mkdir()
        (notes / "hours.txt").write_text("the desk is open from 9 to 17", "utf-8")
        router = SchemaRouter.from_policy(POLICY, callbacks={"supervisor": supervisor}, hooks={"audit": audit})
        router.add_bound_tool(Files.spec, Files(notes))
        router.add_bound_tool(Tickets.spec, Tickets(Path(folder, "desk.db")))
        console.print(f"[dim]loaded {POLICY.name}: {router.executor.policy.graph!r}[/]")
        executor = router.executor

        def call(operation: str, **arguments: Any) -> ToolCall:
            return planned(router, operation, **arguments)

        return [
            await run(executor, router, console, "allowed: read a note", call("files.read", name="hours.txt")),
            await run(executor, router, console, "denied: delete it", call("files.delete", name="hours.txt")),
            await run(executor, router, console, "asked about: close a ticket", call("tickets.close", number=1)),
            await run(executor, router, console, "one too many in one run", *(call("tickets.list") for _ in range(4))),
        ]


def main(yes: bool) -> int:
    """Run the calls; each has to end as it should."""
    console = Console(highlight=False, soft_wrap=True)
    endings = asyncio.run(demonstrate(console, yes))
    approved = "ran" if yes else endings[2]
    expected = ["ran", "PolicyViolationError", approved, "ExecutionBudgetExceededError"]
    if endings != expected:
        print(f"demo: the calls ended with {endings} where {expected} was expected", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main("--yes" in sys.argv[1:]))
