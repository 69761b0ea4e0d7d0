"""Contracts for the calls of a scripted run: tools that promise nothing but their attributes."""

from __future__ import annotations

from typing import NamedTuple

from schemarouter.contract.prepared import PreparedEndpoint
from schemarouter.document.words import shown
from schemarouter.errors import RegistrationError
from schemarouter.model.call import ToolCall
from schemarouter.model.diagnostic import DocPath, Problem, Target
from schemarouter.model.tool import EndpointSpec, ToolSpec
from schemarouter.runtime.registry import InMemoryRegistry
from schemarouter.testkit.attributes import AttributeClass
from schemarouter.testkit.model import RunCall

#: Whatever arguments a test gives are in order: policies are tested here, not contracts.
_ANY_OBJECT = {"type": "object"}


class Planned(NamedTuple):
    """A call of a run with its contract, and the call object that is executed."""

    step: RunCall
    contract: PreparedEndpoint
    call: ToolCall


def plan_calls(steps: list[tuple[RunCall, AttributeClass]], at: DocPath) -> tuple[list[Planned], list[Problem]]:
    """Register the tools that ``steps`` call, and plan the calls; ``at`` is the path of the steps in the document.

    A problem for each call that contradicts an earlier one, or whose name no registry takes.
    """
    problems: list[Problem] = []
    tools: dict[str, dict[str, tuple[AttributeClass, int]]] = {}
    for index, (step, attributes) in enumerate(steps):
        key, name = split(step)
        known = tools.setdefault(key, {})
        first = next(iter(known.values()), None)
        if first is not None and first[0][0] != attributes[0]:
            problems.append(_contradiction(at, index, first[1], f"the tool {shown(key)} is remote here and not there"))
        elif known.setdefault(name, (attributes, index))[0] != attributes:
            message = f"{shown(step.operation)} has other attributes here"
            problems.append(_contradiction(at, index, known[name][1], message))
    registry = InMemoryRegistry()
    for key, endpoints in tools.items():
        specs = [
            EndpointSpec(name=name, input_schema=_ANY_OBJECT, read_only=attributes[1], destructive=attributes[2])
            for name, (attributes, _) in endpoints.items()
        ]
        (remote, _, _), index = next(iter(endpoints.values()))
        try:
            registry.register(ToolSpec(name=key, remote=remote, endpoints=specs))
        except RegistrationError as error:
            target = Target((*at, index, "operation"))
            problems.append(
                Problem("SR110", f"no registry takes this call: {error}", target, "say which `tool` it is of")
            )
    if problems:
        return [], problems
    planned = []
    for step, _ in steps:
        contract = registry.prepared(*split(step))
        call = ToolCall(
            tool=contract.tool_key,
            endpoint=split(step)[1],
            arguments=step.arguments,
            schema_fingerprint=contract.fingerprint,
            tool_fingerprint=contract.tool_fingerprint,
        )
        planned.append(Planned(step, contract, call))
    return planned, []


def split(step: RunCall) -> tuple[str, str]:
    """The key of the tool, and the name of the endpoint: by default what stands before and behind the last dot."""
    if step.tool is not None:
        return step.tool, step.operation[len(step.tool) + 1 :]
    key, _, name = step.operation.rpartition(".")
    return key, name


def _contradiction(at: DocPath, index: int, first: int, message: str) -> Problem:
    return Problem(
        "SR110",
        message,
        Target((*at, index), "entry"),
        "a contract is one for the whole run: write the same attributes for each call",
        related=(("the first call is here", Target((*at, first), "entry")),),
    )
