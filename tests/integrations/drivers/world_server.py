"""The tools of a world as an MCP server over stdio; what ran is appended to the file ``$RAN``."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from conformance.driving import World
from mcp.server.mcpserver import MCPServer

world = World()
server = MCPServer("a name that does not count")


def told(function):
    """``function``, which writes down what it was really called with."""

    def run(*args, **named):
        try:
            return function(*args, **named)
        finally:
            with Path(os.environ["RAN"]).open("a", encoding="utf-8") as ran:
                ran.write(json.dumps(world.ran.pop()) + "\n")

    run.__signature__ = __import__("inspect").signature(function, eval_str=True)
    run.__name__, run.__doc__ = function.__name__, function.__doc__
    return run


def delegate(task: str) -> str:
    """Hand a task to another agent; the client does."""
    return task


for one in (world.read, world.pay, world.flaky):
    server.add_tool(told(one), name=one.__name__)
server.add_tool(delegate, name="delegate")

if __name__ == "__main__":
    server.run("stdio")
