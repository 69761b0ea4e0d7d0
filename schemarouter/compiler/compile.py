"""From a policy document to its evaluation graph: a few pure passes in a fixed order, :data:`PASSES`."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.compiler.digest import number
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.compiler.records import (
    ANY,
    ApprovalGate,
    Budget,
    Classification,
    Content,
    GraphInvariant,
    GraphRule,
    Guards,
    HookNames,
    Location,
    Locations,
    Retry,
)
from schemarouter.compiler.rules import as_patterns, check_name, check_patterns, make_rule
from schemarouter.document.collector import collector_paused
from schemarouter.document.findings import to_findings
from schemarouter.document.v1 import PolicyDocument
from schemarouter.errors import PolicyError
from schemarouter.model.diagnostic import Problem, Span, Target
from schemarouter.model.frozen import FrozenMap

if TYPE_CHECKING:
    from schemarouter.compiler.rules import Wrong
    from schemarouter.document.source import Source
    from schemarouter.model.diagnostic import DocPath


class Compiling:
    """A document while it is compiled. A pass reads ``document`` and gives back the parts of the graph that it made."""

    __slots__ = ("document", "locations", "problems")

    def __init__(self, document: PolicyDocument, locations: Locations | None) -> None:
        self.document = document
        self.locations = locations
        self.problems: list[Problem] = []

    def report(self, part: str, index: int, wrong: Wrong) -> None:
        """Take over what is ``wrong`` with an entry of ``part``, at the entry's place where that is known."""
        for code, path, message in wrong:
            place: Target | Span = Target((part, index, *path))
            if part == "rules" and self.locations is not None:
                line, column = self.locations.rules[index]
                place = Span(line, column, line, column)
            self.problems.append(Problem(code, message, place))
        wrong.clear()

    def check_name(self, path: DocPath, name: str | None) -> None:
        """Report a name that is not legible (SPEC 1)."""
        wrong: Wrong = []
        if name is not None:
            check_name("name", name, (), wrong)
        self.problems += (Problem(code, message, Target(path)) for code, _, message in wrong)


class Pass(NamedTuple):
    """One pass: its name, what it does, and why it stands after the one above it."""

    name: str
    run: Callable[[Compiling], dict[str, object]]
    because: str


def _settings(work: Compiling) -> dict[str, object]:
    document = work.document
    defaults, approval = document.defaults, document.approval
    work.check_name(("name",), document.name)
    work.check_name(("approval", "callback"), approval.callback)
    return {
        "name": document.name,
        "defaults": Guards(defaults.allow_mutations, defaults.allow_destructive, defaults.allow_unclassified_remote),
        "approval": ApprovalGate(approval.mode, approval.callback),
    }


def _classify(work: Compiling) -> dict[str, object]:
    entries = []
    wrong: Wrong = []
    for index, entry in enumerate(work.document.classify):
        patterns = as_patterns(entry.operation)
        check_patterns(patterns, wrong)
        entries.append(Classification(patterns, entry.read_only, entry.destructive))
        if wrong:
            work.report("classify", index, wrong)
    return {"classify": tuple(entries)}


def _rules(work: Compiling) -> dict[str, object]:
    rules: list[GraphRule] = []
    names: dict[str, int] = {}
    wrong: Wrong = []
    places = work.locations
    location = None
    for index, rule in enumerate(work.document.rules):
        name, when = rule.name, rule.when
        if places is not None:
            location = Location(places.path, *places.rules[index])
        rules.append(
            make_rule(
                name,
                as_patterns(rule.operation),
                rule.effect,
                rule.reason,
                ANY if when is None else (when.remote, when.read_only, when.destructive, when.unclassified),
                None if when is None else when.arguments,
                location,
                wrong,
            )
        )
        if name is not None and names.setdefault(name, index) != index:
            wrong.append(
                ("SR106", ("name",), f"the rule name `{name}` is used by rule number {names[name] + 1} already")
            )
        if wrong:
            work.report("rules", index, wrong)
    return {"rules": tuple(rules)}


def _limits(work: Compiling) -> dict[str, object]:
    budget, retry = work.document.budget, work.document.retry
    for part in ("per_tool_calls", "cost_units"):
        for key in getattr(budget, part, ()):
            work.check_name(("budget", part, key), key)
    return {
        "budget": None
        if budget is None
        else _budget(
            Budget(
                budget.max_tool_calls,
                budget.max_attempts,
                budget.max_remote_attempts,
                None if budget.max_elapsed_seconds is None else number(budget.max_elapsed_seconds),
                None if budget.max_cost_units is None else decimal_text(budget.max_cost_units),
                FrozenMap(budget.per_tool_calls),
                FrozenMap({key: decimal_text(weight) for key, weight in budget.cost_units.items()}),
            )
        ),
        "retry": None
        if retry is None
        else Retry(
            retry.max_attempts,
            number(retry.initial_backoff_seconds),
            number(retry.backoff_multiplier),
            None if retry.max_backoff_seconds is None else number(retry.max_backoff_seconds),
            retry.retry_non_read_only,
        ),
    }


def _budget(budget: Budget) -> Budget | None:
    """A budget that limits nothing says the same as none."""
    return budget if any(limit is not None for limit in budget[:5]) or budget[5] or budget[6] else None


def _hooks(work: Compiling) -> dict[str, object]:
    hooks = work.document.hooks
    for event in HookNames._fields:
        for index, name in enumerate(getattr(hooks, event)):
            work.check_name(("hooks", event, index), name)
    return {"hooks": HookNames(tuple(hooks.before_call), tuple(hooks.after_call))}


def _invariants(work: Compiling) -> dict[str, object]:
    for index, invariant in enumerate(work.document.invariants):
        work.check_name(("invariants", index, "name"), invariant.name)
    return {
        "invariants": tuple(
            GraphInvariant(invariant.name, invariant.never, invariant.reason) for invariant in work.document.invariants
        )
    }


#: The order in which a call meets what the passes make; problems are reported in this order, too.
PASSES: tuple[Pass, ...] = (
    Pass("settings", _settings, "first: what holds wherever nothing more specific speaks"),
    Pass("classify", _classify, "the attributes of a call are settled before a rule asks for them"),
    Pass("rules", _rules, "rules are read against classified attributes, and decide before anything is counted"),
    Pass("limits", _limits, "only calls that the rules let through are counted and repeated"),
    Pass("hooks", _hooks, "hooks run for calls that are counted already"),
    Pass("invariants", _invariants, "last: questions about everything above"),
)


def compile_policy(document: PolicyDocument, *, locations: Locations | None = None) -> EvaluationGraph:
    """Compile ``document``. Pure: equal documents give equal graphs. ``locations`` say where its rules stand.

    Raises :class:`~schemarouter.errors.PolicyError` with everything that is wrong, where the document was built in
    Python and not read by ``read_policy``, which reports the same and more.
    """
    if not isinstance(document, PolicyDocument):
        raise TypeError("compile_policy takes a PolicyDocument; load_policy takes a path or text")
    work = Compiling(document, locations)
    parts: dict[str, object] = {}
    with collector_paused():
        for one in PASSES:
            parts |= one.run(work)
        if not work.problems:
            return EvaluationGraph(Content(**parts))  # type: ignore[arg-type]  # the passes give every part, by name
    findings = to_findings(work.problems, None, "<document>" if locations is None else locations.path)
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    raise PolicyError(f"the policy cannot be compiled: {findings[0].message}{more}", findings)


def locations_of(document: PolicyDocument, source: Source) -> Locations:
    """Where each rule of ``document`` stands in the text that it was read from."""
    found = []
    for index in range(len(document.rules)):
        span = source.locate(Target(("rules", index), "entry"))
        found.append((span.line, span.column))
    return Locations(source.path, tuple(found))


def decimal_text(value: float | Decimal) -> str:
    """A weight as the shortest text of the decimal number that its own text says: ``0.250`` is ``0.25``, ``1e2`` is ``100``."""
    _, digits, exponent = Decimal(str(value)).as_tuple()
    if not isinstance(exponent, int):
        raise TypeError("a weight is a finite number")
    text = "".join(map(str, digits))
    stripped = text.rstrip("0")
    if not stripped:
        return "0"
    exponent += len(text) - len(stripped)
    exact = Decimal((0, tuple(map(int, stripped)), exponent))
    return f"{exact:f}" if -40 <= exponent <= 40 else str(exact)
