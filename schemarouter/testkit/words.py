"""What messages about a file of tests say: its places in words, and the keys and words that people write for ours."""

from __future__ import annotations

from schemarouter.document.places import Form
from schemarouter.model.limits import ExecutionBudget, RetryPolicy
from schemarouter.testkit.model import (
    Answer,
    Attempt,
    Attributes,
    Case,
    Cell,
    Counters,
    Ending,
    HookScript,
    RunCall,
    ScriptedRun,
    Table,
    TestDocument,
)

_OPERATION = dict.fromkeys(("op", "call", "tool_call", "operations", "pattern", "endpoint"), "operation")
_OUTCOME = dict.fromkeys(
    ("effect", "decision", "expect", "expected", "expectation", "result", "verdict", "want", "is"), "outcome"
)
_RULE = dict.fromkeys(("by", "decided_by", "rule_name", "deciding_rule"), "rule")
_ARGUMENTS = dict.fromkeys(("args", "argument", "params", "parameters", "input", "with"), "arguments")
_NAME = dict.fromkeys(("id", "title", "description", "it", "test"), "name")
_OUTCOMES = {
    **dict.fromkeys(("allowed", "allows", "accept", "pass", "permit", "yes", "run", "runs"), "allow"),
    **dict.fromkeys(
        ("require_approval", "approve", "requires_approval", "ask", "review", "needs_approval"), "approval"
    ),
    **dict.fromkeys(("denied", "denies", "block", "blocked", "forbid", "reject", "refuse", "no"), "deny"),
}
_ANSWERS = {
    **dict.fromkeys(("yes", "true", "approved", "allow", "accept", "grant"), "approve"),
    **dict.fromkeys(("no", "false", "refused", "deny", "denied", "reject", "rejected"), "refuse"),
    **dict.fromkeys(("raises", "error", "fail", "exception"), "raise"),
    **dict.fromkeys(("timeout", "times_out", "silence", "never", "none"), "time_out"),
}
_ATTEMPTS = {
    **dict.fromkeys(("returns", "succeed", "success", "ok", "result"), "return"),
    **dict.fromkeys(("transient_failure", "retry", "flaky", "transientinvocationerror"), "transient"),
    **dict.fromkeys(("fails", "failure", "error", "raise", "raises", "other"), "fail"),
}
_HOOKS = {
    **dict.fromkeys(("passes", "ok", "none"), "pass"),
    **dict.fromkeys(("raises", "fail", "fails", "error", "veto"), "raise"),
    **dict.fromkeys(("returns",), "return"),
}

TEST_FILE = Form(
    TestDocument,
    "a file of tests",
    {
        TestDocument: "at the top level",
        Attributes: "in a set of attributes",
        Case: "in a case",
        Cell: "in a cell of a table",
        Table: "in a table",
        ScriptedRun: "in a run",
        RunCall: "in a call of a run",
        Answer: "in `approval`",
        Attempt: "in an attempt",
        HookScript: "in what a hook does",
        Ending: "in `expect`",
        Counters: "in `counters`",
        ExecutionBudget: "in `budget`",
        RetryPolicy: "in `retry`",
    },
    synonyms={
        TestDocument: {
            **dict.fromkeys(("tests", "case", "test", "examples"), "cases"),
            **dict.fromkeys(("table", "matrix", "matrices"), "tables"),
            **dict.fromkeys(("run", "scripts", "scenarios", "sequences"), "runs"),
            **dict.fromkeys(("tools", "operation"), "operations"),
            **dict.fromkeys(("file", "for", "subject"), "policy"),
        },
        Case: {**_OPERATION, **_OUTCOME, **_RULE, **_ARGUMENTS, **_NAME},
        Cell: {**_OUTCOME, **_RULE},
        Table: {
            **_ARGUMENTS,
            **_NAME,
            **dict.fromkeys(("attributes", "column", "header"), "columns"),
            **dict.fromkeys(("operations", "cells", "row", "expect", "outcomes"), "rows"),
        },
        ScriptedRun: {**_NAME, **dict.fromkeys(("steps", "script", "call"), "calls"), "counter": "counters"},
        RunCall: {
            **_OPERATION,
            **_ARGUMENTS,
            **dict.fromkeys(("outcome", "result", "expected", "ends", "end"), "expect"),
            **dict.fromkeys(("invoker", "results", "attempt", "invocations"), "attempts"),
            **dict.fromkeys(("approvals", "callback", "answer", "approve"), "approval"),
            **dict.fromkeys(("advance", "sleep", "clock", "after", "seconds"), "wait"),
            **dict.fromkeys(("repeat", "count"), "times"),
            "hook": "hooks",
        },
        Ending: {**_RULE, **dict.fromkeys(("raises", "error_class", "exception"), "error")},
        Counters: {
            **dict.fromkeys(("calls", "max_tool_calls"), "tool_calls"),
            **dict.fromkeys(("cost", "max_cost_units"), "cost_units"),
            **dict.fromkeys(("elapsed", "seconds", "max_elapsed_seconds"), "elapsed_seconds"),
            "max_attempts": "attempts",
            "max_remote_attempts": "remote_attempts",
        },
    },
    values={
        "outcome": _OUTCOMES,
        "answer": _ANSWERS,
        "attempt": _ATTEMPTS,
        "step of a hook": _HOOKS,
        "ending": dict.fromkeys(
            ("ok", "success", "succeeds", "runs", "allow", "allowed", "delivers", "result"), "delivered"
        ),
    },
    missing={
        "operation": "say which call it is about, for example `jobs.create`",
        "outcome": "write what must happen to the call: `allow`, `approval` or `deny`",
        "expect": "write how the call must end: `delivered`, or a mapping with `error` or `limit`",
        "rows": "write a row for each operation, such as `jobs.list: [allow, deny]`",
        "calls": "write the calls of the run, one after the other",
        "answer": "write `approve`, `refuse`, `raise` or `time_out`",
        "does": "write what it does there",
    },
    nouns={
        "rows": "outcome",
        "approval": "answer",
        "attempts": "attempt",
        "hooks": "step of a hook",
        "expect": "ending",
        "does": "step",
    },
)
