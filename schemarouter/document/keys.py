"""Unknown keys: which key was meant, or where the key belongs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schemarouter.document.places import POLICY, homes, place_at
from schemarouter.document.v1 import Approval, ClassifyEntry, ExampleCall, Hooks, PolicyDocument, Rule, When
from schemarouter.document.words import closest, label, listed, shown
from schemarouter.model.diagnostic import Problem, Target
from schemarouter.model.limits import ExecutionBudget, RetryPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemarouter.document.places import Form, Model
    from schemarouter.document.source import Source
    from schemarouter.model.diagnostic import DocPath


def _same(meant: str, *words: str) -> dict[str, str]:
    return dict.fromkeys(words, meant)


_OPERATION = _same(
    "operation", "operations", "pattern", "patterns", "match", "matches", "tool", "tools", "op", "target", "resource",
    "resources", "endpoint", "endpoints", "action_name", "command", "on",
)  # fmt: skip
_READ_ONLY = _same("read_only", "readonly", "read_only_hint", "readonlyhint", "safe")
_DESTRUCTIVE = _same("destructive", "destructive_hint", "destructivehint", "dangerous")
_ARGUMENTS = _same("arguments", "args", "argument", "params", "parameters", "input", "inputs", "conditions")
#: Keys that say the opposite of one of ours: renaming them would turn a rule around.
_OPPOSITES = {
    "local": "remote",
    "classified": "unclassified",
    "mutating": "read_only",
    "mutates": "read_only",
    "write": "read_only",
}

#: What the same thing is called in other tools' policies, or what slips out: key as written, in lower case, to ours.
_SYNONYMS: dict[Model, dict[str, str]] = {
    PolicyDocument: {
        **_same("version", "apiversion", "api_version", "schema_version", "schemaversion", "v"),
        **_same("rules", "rule", "policy", "policies", "permissions", "statements"),
        **_same("defaults", "default", "fallback", "guards"),
        **_same("budget", "budgets", "limits", "limit", "quota", "quotas"),
        **_same("approval", "approvals", "approve"),
        **_same("retry", "retries", "retry_policy"),
        **_same("hooks", "hook", "callbacks"),
        **_same("classify", "classification", "classifications", "annotations"),
        **_same("invariants", "invariant", "assertions"),
        **_same("name", "id", "title"),
    },
    Rule: {
        **_OPERATION,
        **_same(
            "effect", "permission", "permissions", "action", "decision", "policy", "verdict", "outcome", "type",
            "access", "mode", "result",
        ),
        **_same("reason", "description", "comment", "message", "because", "why", "note", "justification"),
        **_same("when", "if", "condition", "conditions", "where", "with", "predicates", "predicate", "constraints"),
        **_same("name", "id", "title", "rule", "label"),
        **_same("examples", "example", "tests", "test"),
    },
    When: {
        **_READ_ONLY,
        **_DESTRUCTIVE,
        **_ARGUMENTS,
        **_same("unclassified", "unknown"),
        **_same("remote", "is_remote"),
    },
    ClassifyEntry: {**_OPERATION, **_READ_ONLY, **_DESTRUCTIVE},
    ExampleCall: {**_OPERATION, **_READ_ONLY, **_DESTRUCTIVE, **_ARGUMENTS},
    Approval: {
        **_same("callback", "approver", "approvers", "handler", "function", "hook", "by"),
        **_same("mode", "approval_mode", "when", "require", "required", "policy"),
    },
    Hooks: {
        **_same("before_call", "before", "pre", "pre_call", "before_hooks", "pretooluse", "on_start"),
        **_same("after_call", "after", "post", "post_call", "after_hooks", "posttooluse", "on_end"),
    },
    ExecutionBudget: {
        **_same("max_tool_calls", "max_calls", "calls", "tool_calls"),
        **_same("max_elapsed_seconds", "timeout", "timeout_seconds", "max_seconds", "max_time", "seconds", "duration"),
        **_same("max_cost_units", "max_cost", "cost", "max_units"),
        **_same("cost_units", "costs", "weights", "cost_weights"),
        **_same("per_tool_calls", "per_tool", "tools", "calls_per_tool"),
        **_same("max_attempts", "attempts"),
    },
    RetryPolicy: {
        **_same("max_attempts", "attempts", "retries", "max_retries", "count"),
        **_same("initial_backoff_seconds", "backoff", "backoff_seconds", "initial_backoff", "delay"),
        **_same("backoff_multiplier", "multiplier", "factor"),
        **_same("max_backoff_seconds", "max_backoff", "max_delay"),
    },
}  # fmt: skip


def unknown_key(path: DocPath, source: Source, form: Form = POLICY) -> Problem:
    """The problem of a key that does not exist in its place: SR101 with the key, or the place, that was meant."""
    model = _model(path, form)
    key = str(path[-1])
    target = Target(path, "key")
    message = f"unknown key {shown(key)} {form.in_words[model]}"
    if model is ClassifyEntry and key == "remote":
        return Problem("SR101", message, target, "remove it: whether a tool is remote is never a matter of policy")
    opposite = _OPPOSITES.get(key.lower())
    if opposite in model.model_fields:
        return Problem("SR101", message, target, f"write `{opposite}` with the opposite value")
    meant = meant_by(path, source, form)
    if meant is not None and meant in _siblings(path, source):
        return Problem("SR101", message, target, f"remove it: `{meant}` is there already")
    if meant is not None:
        return Problem("SR101", message, target, f"did you mean `{meant}`?", fix=("unsafe", ((target, meant),)))
    home = _home(key, path, form)
    if home is not None:
        return Problem("SR101", message, target, f"{shown(key)} belongs {home}")
    return Problem("SR101", message, target, f"the keys here are {listed(model.model_fields, 'and')}")


def meant_by(path: DocPath, source: Source, form: Form = POLICY) -> str | None:
    """The key that was probably meant by the unknown one at ``path``: one that is legal in the same mapping."""
    model = _model(path, form)
    key = str(path[-1])
    folded = key.strip().lower().replace("-", "_")
    if folded in model.model_fields:
        return folded
    if (own := form.synonyms.get(model, {}).get(folded)) is not None:
        return own
    if key in homes(form):
        return None  # the key exists, and belongs elsewhere
    if _OPPOSITES.get(key.lower()) in model.model_fields:
        return None
    siblings = _siblings(path, source)
    synonym = _SYNONYMS.get(model, {}).get(folded)
    if synonym is not None:
        return synonym
    return closest(key, (name for name in model.model_fields if name not in siblings))


def _model(path: DocPath, form: Form) -> Model:
    place = place_at(path[:-1], form)
    if place is None or place.model is None:
        raise LookupError(f"no model at {path[:-1]}")
    return place.model


def _siblings(path: DocPath, source: Source) -> Mapping[str, object]:
    data: Any = source.data
    for step in path[:-1]:
        data = data[step]
    return data if isinstance(data, dict) else {}


def _home(key: str, path: DocPath, form: Form) -> str | None:
    """Where ``key`` is legal, in words: below the place where it stands, else above it, else anywhere."""
    options = homes(form).get(key)
    if options is None:
        return None
    here = tuple(0 if isinstance(step, int) else step for step in path[:-1])

    def distance(home: DocPath) -> tuple[bool, bool, int]:
        return (home[: len(here)] != here, here[: len(home)] != home, len(home))

    home = min(options, key=distance)
    if not home:
        return "at the top level"
    if home == ("rules", 0):
        return "in a rule"
    if home == ("classify", 0):
        return "in an entry of `classify`"
    return f"under {label(tuple(step for step in home if step != 0))}"
