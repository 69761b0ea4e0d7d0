"""The policy file, version 1, as typed models (SPEC 9). ``schemas/policy.v1.schema.json`` is generated from them."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, JsonValue

from schemarouter.model.base import FrozenModel
from schemarouter.model.limits import ExecutionBudget, RetryPolicy

#: Limits of the reader: a file beyond one of them is refused (SR010), so that no file can make checking slow.
MAX_RULES = 100_000
MAX_PATTERNS = 10_000
MAX_PATTERN_LENGTH = 2_000
MAX_NAME_LENGTH = 500
MAX_TEXT_LENGTH = 10_000
MAX_ITEMS = 1_000

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
Text: TypeAlias = Annotated[str, Field(max_length=MAX_TEXT_LENGTH)]
Pattern: TypeAlias = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_PATTERN_LENGTH,
        description="Shell-style wildcards over the whole operation, `tool.endpoint`: * ? [abc] [!abc].",
    ),
]
#: One pattern or several; several mean "any of them".
Patterns: TypeAlias = Pattern | Annotated[list[Pattern], Field(min_length=1, max_length=MAX_PATTERNS)]
Operation: TypeAlias = Annotated[
    str,
    Field(min_length=1, max_length=MAX_PATTERN_LENGTH, description="An operation, `tool.endpoint`, without wildcards."),
]
#: Argument name or JSON Pointer -> condition. `document.schema` spells the conditions out, `match.conditions` judges them.
Conditions: TypeAlias = Annotated[
    dict[str, JsonValue],
    Field(description="Argument name, or JSON Pointer into the arguments -> condition; all of them must hold."),
]


def _exact(value: object) -> object:
    """Refuse ``True`` and ``1.0``, which are equal to 1 and therefore pass for it."""
    if type(value) is not int:
        raise ValueError("not an integer")
    return value


class Defaults(FrozenModel):
    """What is allowed where no rule matches (the category guards)."""

    allow_mutations: bool = Field(default=False, description="Operations with read_only: false may run.")
    allow_destructive: bool = Field(default=False, description="Operations with destructive: true may run.")
    allow_unclassified_remote: bool = Field(
        default=False, description="Remote operations that nobody classified may run."
    )


class Approval(FrozenModel):
    """Which calls need approval beside those that a rule sends there, and who is asked."""

    mode: Literal["never", "non_read_only", "all"] = Field(
        default="never",
        description="Beside what rules say: no call needs approval, every call that is not read-only, or every call.",
    )
    callback: Name | None = Field(
        default=None,
        description="Who is asked: a name, or `package.module:function`. The application supplies the callable.",
    )


class ClassifyEntry(FrozenModel):
    """Trusted local classification; the first entry that matches decides. It never sets `remote`."""

    operation: Patterns = Field(description="The operations that are classified: a pattern, or several.")
    read_only: bool | None = Field(default=None, description="Whether the operation changes nothing.")
    destructive: bool | None = Field(default=None, description="Whether the operation destroys something.")


class When(FrozenModel):
    """Predicates; what is left out matches anything."""

    remote: bool | None = Field(default=None, description="Only tools that are, or are not, remote.")
    read_only: bool | None = Field(default=None, description="Only operations with this value of read_only.")
    destructive: bool | None = Field(default=None, description="Only operations with this value of destructive.")
    unclassified: bool | None = Field(
        default=None, description="true: only operations whose read_only nobody set; false: only the others."
    )
    arguments: Conditions | None = None


class ExampleCall(FrozenModel):
    """A call in a rule's examples; an attribute that is left out stands for each of its values."""

    operation: Operation
    remote: bool | None = Field(default=None, description="Whether the tool is remote.")
    read_only: bool | None = Field(default=None, description="Whether the operation changes nothing.")
    destructive: bool | None = Field(default=None, description="Whether the operation destroys something.")
    unclassified: bool | None = Field(default=None, description="Whether nobody set read_only.")
    arguments: dict[str, JsonValue] | None = Field(default=None, description="The arguments of the call.")


class Examples(FrozenModel):
    """Calls that the rule decides, and calls that it does not; checked whenever the file is read."""

    decides: list[Operation | ExampleCall] = Field(
        default_factory=list, max_length=MAX_ITEMS, description="Operations or calls that this rule decides."
    )
    ignores: list[Operation | ExampleCall] = Field(
        default_factory=list, max_length=MAX_ITEMS, description="Operations or calls that this rule does not decide."
    )


class Rule(FrozenModel):
    """One rule. The first whose pattern and predicates all match decides."""

    name: Name | None = Field(default=None, description="Unique; decisions, errors and logs call the rule by it.")
    operation: Patterns = Field(description="The operations that the rule is about: a pattern, or several.")
    effect: Literal["allow", "deny", "require_approval"] = Field(
        description="What happens to a call that the rule matches. It is final: no later rule and no default is asked."
    )
    reason: Text | None = Field(default=None, description="One line for the people who read a decision.")
    when: When | None = None
    examples: Examples | None = None


class Invariant(FrozenModel):
    """A question that must never come true (SPEC 13)."""

    name: Name = Field(description="Unique among the invariants.")
    never: Text = Field(min_length=1, description="The question, as `schemarouter query` reads it.")
    reason: Text | None = Field(default=None, description="Why it must never come true.")


class Hooks(FrozenModel):
    """Names of hooks, in the order in which they run; the application supplies the callables."""

    before_call: list[Name] = Field(
        default_factory=list, max_length=MAX_ITEMS, description="Run before the invoker; they observe or veto."
    )
    after_call: list[Name] = Field(
        default_factory=list,
        max_length=MAX_ITEMS,
        description="Run after the invoker; they observe or withhold the result.",
    )


class PolicyDocument(FrozenModel):
    """A whole policy file."""

    version: Annotated[Literal[1], BeforeValidator(_exact)] = Field(description="The version of this file format.")
    name: Name | None = Field(default=None, description="What decisions and reports call this policy.")
    defaults: Defaults = Field(default_factory=Defaults)
    approval: Approval = Field(default_factory=Approval)
    classify: list[ClassifyEntry] = Field(
        default_factory=list,
        max_length=MAX_RULES,
        description="Trusted local classification, in order; the first entry that matches decides.",
    )
    rules: list[Rule] = Field(
        default_factory=list,
        max_length=MAX_RULES,
        description="Ordered: the first rule whose pattern and predicates all match decides.",
    )
    budget: ExecutionBudget | None = None
    retry: RetryPolicy | None = None
    hooks: Hooks = Field(default_factory=Hooks)
    invariants: list[Invariant] = Field(
        default_factory=list, max_length=MAX_ITEMS, description="Questions that must never come true."
    )
