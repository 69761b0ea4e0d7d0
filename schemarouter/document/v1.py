"""The policy file, version 1, as typed models (SPEC 9). ``schemas/policy.v1.schema.json`` is generated from them."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from schemarouter.model.base import FrozenModel
from schemarouter.model.limits import ExecutionBudget, RetryPolicy

Pattern: TypeAlias = Annotated[
    str, Field(description="Shell-style wildcards over the whole operation: * ? [abc] [!abc].")
]
#: One pattern or several; several mean "any of them".
Patterns: TypeAlias = Pattern | Annotated[list[Pattern], Field(min_length=1)]


class Defaults(FrozenModel):
    """What is allowed where no rule matches (the category guards)."""

    allow_mutations: bool = Field(default=False, description="Operations with read_only: false may run.")
    allow_destructive: bool = Field(default=False, description="Operations with destructive: true may run.")
    allow_unclassified_remote: bool = Field(
        default=False, description="Remote operations that nobody classified may run."
    )


class Approval(FrozenModel):
    """Which calls need approval beside those that a rule sends there, and who is asked."""

    mode: Literal["never", "non_read_only", "all"] = "never"
    callback: str | None = Field(default=None, description="A name; the application supplies the callable.")


class ClassifyEntry(FrozenModel):
    """Trusted local classification; the first entry that matches decides. It never sets `remote`."""

    operation: Patterns
    read_only: bool | None = None
    destructive: bool | None = None


class When(FrozenModel):
    """Predicates; what is left out matches anything."""

    remote: bool | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    unclassified: bool | None = None
    arguments: dict[str, JsonValue] | None = Field(
        default=None, description="Argument name or JSON Pointer -> condition (SPEC 2.6)."
    )


class ExampleCall(FrozenModel):
    """A call in a rule's examples; an attribute that is left out stands for each of its values."""

    operation: str
    remote: bool | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    unclassified: bool | None = None
    arguments: dict[str, JsonValue] | None = None


class Examples(FrozenModel):
    """Calls that the rule decides, and calls that it does not; checked whenever the file is read."""

    decides: list[str | ExampleCall] = Field(default_factory=list)
    ignores: list[str | ExampleCall] = Field(default_factory=list)


class Rule(FrozenModel):
    """One rule. The first whose pattern and predicates all match decides."""

    name: str | None = None
    operation: Patterns
    effect: Literal["allow", "deny", "require_approval"]
    reason: str | None = None
    when: When | None = None
    examples: Examples | None = None


class Invariant(FrozenModel):
    """A question that must never come true (SPEC 13)."""

    name: str
    never: str
    reason: str | None = None


class Hooks(FrozenModel):
    """Names of hooks, in the order in which they run; the application supplies the callables."""

    before_call: list[str] = Field(default_factory=list)
    after_call: list[str] = Field(default_factory=list)


class PolicyDocument(FrozenModel):
    """A whole policy file."""

    version: Literal[1]
    name: str | None = None
    defaults: Defaults = Field(default_factory=Defaults)
    approval: Approval = Field(default_factory=Approval)
    classify: list[ClassifyEntry] = Field(default_factory=list)
    rules: list[Rule] = Field(default_factory=list)
    budget: ExecutionBudget | None = None
    retry: RetryPolicy | None = None
    hooks: Hooks = Field(default_factory=Hooks)
    invariants: list[Invariant] = Field(default_factory=list)
