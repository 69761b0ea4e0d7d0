"""`execute_call` around an async invoker that does nothing, through names that both our build and 0.17.0 have."""

from __future__ import annotations

import copy
from typing import Any

from benchmarks.sides.policies import python_policy
from benchmarks.timing import Timed, awaited
from benchmarks.workload import ARGUMENTS, INPUT, OUTPUT, RESULT, policy
from schemarouter import (
    EndpointSpec,
    ExecutionBudget,
    ExecutionHooks,
    ExecutionPolicy,
    InMemoryRegistry,
    ParameterSpec,
    RegistryExecutor,
    ToolCall,
    ToolSpec,
)


async def invoke(_endpoint: str, _arguments: dict[str, Any]) -> dict[str, Any]:
    return RESULT


async def before(_tool: ToolSpec, _endpoint: EndpointSpec, _call: ToolCall) -> None:
    return None


async def after(_tool: ToolSpec, _endpoint: EndpointSpec, _call: ToolCall, _result: object) -> None:
    return None


async def approve(_tool: ToolSpec, _endpoint: EndpointSpec, _call: ToolCall) -> bool:
    return True


HOOKS = ExecutionHooks(before_call=[before, before], after_call=[after, after])
BUDGET = ExecutionBudget(
    max_tool_calls=4, max_attempts=8, max_elapsed_seconds=30, max_cost_units=2, cost_units={"*": 0.25}
)


def endpoint(number: int, contract: bool) -> EndpointSpec:
    return EndpointSpec(
        name=f"get_issue_{number}",
        read_only=True,
        parameters=[ParameterSpec(name=name, required=name in INPUT["required"]) for name in INPUT["properties"]],
        input_schema=copy.deepcopy(INPUT) if contract else {},
        output_schema=copy.deepcopy(OUTPUT) if contract else {},
    )


def execute(
    rules: int = 0, endpoints: int = 1, hooks: bool = False, approval: bool = False, contract: bool = True
) -> Timed:
    """One call of the last of ``endpoints``; ``approval`` stands for approval and budget together."""
    registry = InMemoryRegistry()
    tool = ToolSpec(name="issues", endpoints=[endpoint(number, contract) for number in range(endpoints)])
    registry.register(tool)
    spec = tool.endpoints[-1]
    call = ToolCall(
        tool=tool.key,
        endpoint=spec.name,
        arguments=ARGUMENTS,
        schema_fingerprint=spec.fingerprint,
        tool_fingerprint=tool.fingerprint,
    )
    chosen = ExecutionPolicy(approval_mode="all") if approval else python_policy(policy(rules) if rules else [])
    executor = RegistryExecutor(
        registry,
        policy=chosen,
        approval_callback=approve if approval else None,
        hooks=HOOKS if hooks else None,
    )
    executor.bind(tool.key, invoke)
    if approval:
        return awaited(lambda: executor.execute_call(call, budget=BUDGET))
    return awaited(lambda: executor.execute_call(call))


CASES = {"execute": execute}
