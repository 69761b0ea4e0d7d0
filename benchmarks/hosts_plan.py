"""What enforcement costs where agents run: a proxy, a hook process, and the adapters around one call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.parts import PROCESS, Amount, Entrant, Group, Ratio

SECTION = "Hosts, one call"
#: The frameworks that a call is made through, with our adapter and without.
FRAMEWORKS = ("LangChain", "OpenAI Agents", "Pydantic AI", "plain Python")


def host_groups() -> Iterator[Group]:
    """Every group about hosts, in the order of the report."""
    yield _hook()
    yield _proxy()
    for framework in FRAMEWORKS:
        yield _adapter(framework)


def _hosts(case: str, **arguments: Any) -> Entrant:
    return Entrant("hosts", case, arguments)


def _hook() -> Group:
    hook = ["hook", "claude-code", "--artifact", "{hook_artifact}"]
    return Group(
        "Hosts, the hook of Claude Code, from the wheel",
        "processes",
        {
            "python -c pass": Entrant(PROCESS, "python", {"arguments": ["-c", "pass"]}),
            "hook": Entrant(PROCESS, "schemarouter", {"arguments": hook, "input": "event"}),
            "hook with a budget": Entrant(
                PROCESS,
                "schemarouter",
                {
                    "arguments": ["hook", "claude-code", "--artifact", "{counting_artifact}", "--store", "{store}"],
                    "input": "event",
                },
            ),
            "as init writes it": Entrant(
                PROCESS, "schemarouter", {"arguments": hook, "input": "event", "guarded": True}
            ),
        },
        (
            Ratio("one decision, to a bare Python", "hook", "python -c pass", 4),
            Ratio("with a budget in a store, to a bare Python", "hook with a budget", "python -c pass"),
            Ratio("with the shell around it, to a bare Python", "as init writes it", "python -c pass"),
            Amount("a bare Python", "python -c pass", 1_000, "ms"),
            Amount("one decision", "hook", 1_000, "ms"),
        ),
    )


def _proxy() -> Group:
    return Group(
        SECTION,
        "MCP proxy, stdio",
        {"direct": _hosts("mcp", proxied=False), "through the proxy": _hosts("mcp", proxied=True)},
        (
            Ratio("MCP: `tools/call` through the proxy, to a direct one", "through the proxy", "direct"),
            Amount("MCP: `tools/call`, direct", "direct", 1_000, "ms"),
            Amount("MCP: `tools/call`, through the proxy", "through the proxy", 1_000, "ms"),
        ),
    )


def _adapter(framework: str) -> Group:
    bare, guarded = f"{framework}, bare", f"{framework}, with a policy"
    return Group(
        SECTION,
        framework,
        {
            bare: _hosts("framework", name=framework, guarded=False),
            guarded: _hosts("framework", name=framework, guarded=True),
        },
        (
            Amount(f"{framework}: one call, bare", bare, 1e6, "µs"),
            Amount(f"{framework}: one call, with a policy", guarded, 1e6, "µs"),
            # A bare function takes no time that anything could be a multiple of.
            *(() if framework == "plain Python" else (Ratio(f"{framework}: with a policy, to bare", guarded, bare),)),
        ),
    )
