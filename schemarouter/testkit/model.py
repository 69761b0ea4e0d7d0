"""The file of policy tests, version 1, as typed models. ``schemas/policy-test.v1.schema.json`` is generated from them."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, JsonValue

from schemarouter.document.v1 import MAX_NAME_LENGTH, MAX_PATTERN_LENGTH, Name
from schemarouter.model.base import FrozenModel
from schemarouter.model.limits import ExecutionBudget, RetryPolicy

#: Limits of the reader, so that no file of tests makes a run slow: what is past one of them is refused (SR010).
MAX_CASES = 20_000
MAX_COLUMNS = 100
MAX_CALLS = 1_000
MAX_TIMES = 10_000
MAX_ATTEMPTS = 100
#: Of all tables, and of all runs of one file together.
MAX_CELLS = 100_000
MAX_RUN_CALLS = 100_000

OutcomeWord: TypeAlias = Literal["allow", "approval", "deny"]
Operation: TypeAlias = Annotated[
    str,
    Field(min_length=1, max_length=MAX_PATTERN_LENGTH, description="An operation, `tool.endpoint`, without wildcards."),
]
RuleReference: TypeAlias = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_NAME_LENGTH,
        description="Name of the rule that decides; `default` for the category guards, where no rule matches.",
    ),
]
Seconds: TypeAlias = Annotated[float, Field(ge=0)]
Count: TypeAlias = Annotated[int, Field(ge=0)]


def _exact(value: object) -> object:
    """Refuse ``True`` and ``1.0``, which are equal to 1 and therefore pass for it."""
    if type(value) is not int:
        raise ValueError("not an integer")
    return value


class Attributes(FrozenModel):
    """Attributes of an operation, as its contract has them. In cases what is left out stands for each of its values."""

    remote: bool | None = Field(default=None, description="Whether the tool is remote.")
    read_only: bool | None = Field(default=None, description="Whether the operation changes nothing.")
    destructive: bool | None = Field(default=None, description="Whether the operation destroys something.")
    unclassified: bool | None = Field(default=None, description="Whether nobody set read_only.")


class Case(Attributes):
    """One call, and what the policy must say of it, for every attribute that is left open."""

    name: Name | None = Field(default=None, description="What reports call the case.")
    operation: Operation
    arguments: dict[str, JsonValue] | None = Field(
        default=None, description="The arguments. Left out: not known, so that argument conditions stay open."
    )
    outcome: OutcomeWord = Field(description="What happens to the call: it runs, it runs after approval, or never.")
    rule: RuleReference | None = None


class Cell(FrozenModel):
    """What is expected in one place of a table, where an outcome alone does not say it."""

    outcome: OutcomeWord = Field(description="What happens to the call: it runs, it runs after approval, or never.")
    rule: RuleReference | None = None


Expected: TypeAlias = OutcomeWord | Cell


class Table(FrozenModel):
    """Operations against attributes: a row for each operation, a column for each set of attributes."""

    name: Name | None = Field(default=None, description="What reports call the table.")
    arguments: dict[str, JsonValue] | None = Field(default=None, description="The arguments of every call in it.")
    columns: list[Attributes] = Field(
        default_factory=lambda: [Attributes()],
        min_length=1,
        max_length=MAX_COLUMNS,
        description="The attributes of each column, in order. Left out: one column, with what `operations` says.",
    )
    rows: dict[str, Expected | list[Expected]] = Field(
        min_length=1,
        max_length=MAX_CASES,
        description="Operation -> an outcome for each column, in order; or one outcome for all of them.",
    )


class Answer(FrozenModel):
    """What the approval callback does, where a word alone does not say it."""

    answer: Literal["approve", "refuse", "raise", "time_out"] = Field(
        description="It says yes, says no, fails, or nobody answers until the time of the run is over."
    )
    seconds: Seconds = Field(default=0.0, description="How long that takes.")


class Attempt(FrozenModel):
    """What the invoker does at one attempt, where a word alone does not say it."""

    does: Literal["return", "transient", "fail"] = Field(
        description="It returns, fails in a way that may pass, or fails for good."
    )
    seconds: Seconds = Field(default=0.0, description="How long that takes.")


class HookScript(FrozenModel):
    """What a hook does, where a word alone does not say it."""

    does: Literal["pass", "raise", "return"] = Field(
        description="It lets the call pass, fails, or returns something, which no hook may."
    )
    seconds: Seconds = Field(default=0.0, description="How long that takes.")


ErrorName: TypeAlias = Literal[
    "PolicyViolationError",
    "ApprovalDeniedError",
    "ExecutionBudgetExceededError",
    "ExecutionHookError",
    "TransientInvocationError",
    "NonRetryableInvocationError",
]
LimitName: TypeAlias = Literal[
    "max_tool_calls", "max_attempts", "max_remote_attempts", "max_elapsed_seconds", "max_cost_units", "per_tool_calls"
]


class Ending(FrozenModel):
    """How a call of a run ends, where `delivered` alone does not say it: exactly one of `result`, `error`, `limit`."""

    result: Literal["delivered"] | None = Field(default=None, description="The result reaches the caller.")
    error: ErrorName | None = Field(default=None, description="The class of the error that it ends in.")
    limit: LimitName | None = Field(default=None, description="The limit of the budget that refuses it.")
    rule: RuleReference | None = None
    attempts: Count | None = Field(default=None, description="How often the invoker was started for it.")


class RunCall(FrozenModel):
    """One call of a run: what happens around it, and how it must end."""

    operation: Operation
    tool: Name | None = Field(
        default=None, description="Key of the tool. Left out: everything before the last dot of the operation."
    )
    remote: bool | None = Field(default=None, description="Whether the tool is remote. Left out: it is not.")
    read_only: bool | None = Field(
        default=None, description="Whether the operation changes nothing. Left out: nobody has said."
    )
    destructive: bool | None = Field(
        default=None, description="Whether the operation destroys something. Left out: nobody has said."
    )
    arguments: dict[str, JsonValue] = Field(default_factory=dict, description="The arguments. Left out: none.")
    wait: Seconds = Field(default=0.0, description="Seconds that pass before the call.")
    times: Annotated[int, Field(ge=1, le=MAX_TIMES)] = Field(
        default=1, description="How often the call is made, each time with the same script and the same end."
    )
    approval: Literal["approve", "refuse", "raise", "time_out"] | Answer | None = Field(
        default=None,
        description="What the approval callback does, if it is asked. It must be asked exactly if this is set.",
    )
    attempts: list[Literal["return", "transient", "fail"] | Attempt] = Field(
        default_factory=list,
        max_length=MAX_ATTEMPTS,
        description="What the invoker does at each attempt; behind the end of the list it returns at once.",
    )
    hooks: dict[str, Literal["pass", "raise", "return"] | HookScript] = Field(
        default_factory=dict, description="What hooks of the policy do, by name; the others let the call pass."
    )
    expect: Literal["delivered"] | Ending = Field(description="How the call ends.")


class Counters(FrozenModel):
    """What was used at the end of a run; what is left out is not looked at."""

    tool_calls: Count | None = Field(default=None, description="Logical calls that were counted.")
    attempts: Count | None = Field(default=None, description="Attempts that were counted.")
    remote_attempts: Count | None = Field(default=None, description="Attempts on remote tools that were counted.")
    cost_units: Annotated[int, Field(ge=0)] | Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="Sum of the weights of all attempts."
    )
    elapsed_seconds: Seconds | None = Field(default=None, description="Seconds on the clock since the run began.")
    per_tool_calls: dict[str, Count] = Field(
        default_factory=dict, description="Logical calls that were counted, per tool key."
    )


class ScriptedRun(FrozenModel):
    """Calls that share one run: one clock, and the budget, the retries and the hooks of the policy."""

    name: Name | None = Field(default=None, description="What reports call the run.")
    budget: ExecutionBudget | None = Field(
        default=None, description="The run's own budget, as an application gives it; it tightens the policy's."
    )
    retry: RetryPolicy | None = Field(
        default=None, description="The run's own retries, as an application gives them; they tighten the policy's."
    )
    calls: list[RunCall] = Field(min_length=1, max_length=MAX_CALLS, description="The calls, one after the other.")
    counters: Counters | None = None


class TestDocument(FrozenModel):
    """A whole file of policy tests."""

    __test__ = False

    version: Annotated[Literal[1], BeforeValidator(_exact)] = Field(description="The version of this file format.")
    policy: Name | None = Field(
        default=None,
        description="Path of the policy, relative to this file. Left out: `x.test.yaml` tests `x.yaml`, `x.yml` or `x.toml`.",
    )
    operations: dict[str, Attributes] = Field(
        default_factory=dict,
        max_length=MAX_CASES,
        description="Operations that exist, with their attributes. Where it is given, no other may be named below.",
    )
    catalog: Name | None = Field(
        default=None,
        description="Path of a catalog file, relative to this file, whose operations exist with their attributes.",
    )
    cases: list[Case] = Field(default_factory=list, max_length=MAX_CASES, description="Calls and their outcomes.")
    tables: list[Table] = Field(
        default_factory=list, max_length=MAX_CASES, description="Operations against attributes."
    )
    runs: list[ScriptedRun] = Field(default_factory=list, max_length=MAX_CASES, description="Calls of scripted runs.")
