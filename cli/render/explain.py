"""Explanations for people: the outcome, the rules that were tried, and the stages; equal results once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from schemarouter.compiler.explain import Considered, Explanation
from schemarouter.compiler.explain_stages import NOT_REACHED
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter_cli.render.console import render
from schemarouter_cli.render.plain import DESTRUCTIVE_WORDS, READ_ONLY_WORDS, attributes_text
from schemarouter_cli.text import count, printable

_OUTCOMES = {
    "allow": ("allowed", "bold green"),
    "approval": ("allowed after approval", "bold yellow"),
    "deny": ("denied", "bold red"),
}
_MATCHED = {True: ("yes", "bold green"), False: ("no", "dim"), "indeterminate": ("perhaps", "bold yellow")}
#: A run of rules whose pattern does not match is shown as one line if it is longer than this.
SHOWN_RUN = 3


def render_explanations(
    graph: EvaluationGraph,
    explanations: Sequence[Explanation],
    path: str,
    *,
    all_rules: bool,
    color: bool,
    width: int,
    unicode: bool,
) -> str:
    """Every explanation; those that differ in nothing but the call's attributes are one."""
    groups: dict[object, list[Explanation]] = {}
    for one in explanations:
        tried = tuple((step.rule_index, step.matched) for step in one.considered)
        groups.setdefault((one.decision, one.approval_because, tried, one.stages), []).append(one)
    parts = list(_head(graph, explanations, path))
    above: Explanation | None = None
    for group in groups.values():
        parts += [Text(), *_group(graph, group, above, all_rules=all_rules, unicode=unicode)]
        above = above or group[0]
    return render(parts, color=color, width=width)


def _head(graph: EvaluationGraph, explanations: Sequence[Explanation], path: str) -> Iterator[RenderableType]:
    call = explanations[0].call
    yield Text.assemble((printable(call.operation), "bold"))
    name = f"{printable(graph.name)} in " if graph.name else ""
    yield Text.assemble(("policy: ", "dim"), f"{name}{printable(path)}, {count(len(graph.rules), 'rule')}")
    yield Text.assemble(("digest: ", "dim"), graph.digest)
    if call.arguments is None and any(
        step.matched == "indeterminate" for one in explanations for step in one.considered
    ):
        yield Text.assemble(("note: ", "bold"), "the arguments are not known; say them with --arguments")


def _group(
    graph: EvaluationGraph, group: list[Explanation], above: Explanation | None, *, all_rules: bool, unicode: bool
) -> Iterator[RenderableType]:
    """One result. Of its stages only those are shown that differ from the result ``above``, which shows all."""
    one = group[0]
    word, style = _OUTCOMES[one.outcome]
    yield Text.assemble((f"{word}: ", style), (_classes(group), "bold"))
    if one.classified_by is not None:
        yield _fact("classified", _classified(group, one.classified_by))
    yield _fact("decision", printable(one.decision.reason))
    index = one.decision.rule_index
    location = graph.rules[index].location if index is not None else None
    if location is not None:
        yield Text.assemble(("  --> ", "blue"), f"{printable(location.path)}:{location.line}:{location.column}")
    if one.approval_required:
        yield _fact("approval", _approval(graph, one))
    if one.considered:
        yield Text()
        yield _rules(graph, group, all_rules=all_rules, unicode=unicode)
    yield Text()
    yield from _stages(one, above, unicode=unicode)


def _fact(word: str, text: str) -> Text:
    return Text.assemble((f"  {word}: ", "dim"), text)


def _classified(group: list[Explanation], entry: int) -> str:
    effective = dict.fromkeys(
        f"{READ_ONLY_WORDS[read_only]}, {DESTRUCTIVE_WORDS[destructive]}"
        for _, read_only, destructive in (member.effective for member in group)
    )
    return f"by `classify` entry {entry + 1}, as {'; or '.join(effective)}"


def _approval(graph: EvaluationGraph, one: Explanation) -> str:
    reason = (
        "the rule asks for it" if one.approval_because == "rule" else f"the approval mode is `{graph.approval.mode}`"
    )
    callback = graph.approval.callback
    asked = f"`{printable(callback)}` is asked" if callback is not None else "the policy names no callback"
    return f"{reason}; {asked}"


def _classes(group: list[Explanation]) -> str:
    """The attribute classes of a group: in one phrase if they are all combinations of some values, else one by one."""
    calls = [one.call for one in group]
    remote, reads, harm = (
        list(dict.fromkeys(values))
        for values in zip(*((call.remote, call.read_only, call.destructive) for call in calls), strict=True)
    )
    if len(calls) == len(remote) * len(reads) * len(harm):
        return ", ".join(
            (
                " or ".join("remote" if value else "local" for value in remote),
                " or ".join(READ_ONLY_WORDS[value] for value in reads) if len(reads) < 3 else "read-only or not",
                " or ".join(DESTRUCTIVE_WORDS[value] for value in harm) if len(harm) < 3 else "destructive or not",
            )
        )
    return "; ".join(attributes_text(call.remote, call.read_only, call.destructive) for call in calls)


def _table(unicode: bool, *columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD if unicode else box.ASCII2, header_style="dim", show_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _rules(graph: EvaluationGraph, group: list[Explanation], *, all_rules: bool, unicode: bool) -> Table:
    table = _table(unicode, "rule", "effect", "line", "matches", "why not")
    matching = frozenset(graph.matching(group[0].call.operation))
    steps = list(zip(*(one.considered for one in group), strict=True))
    for by_pattern, run in groupby(steps, key=lambda step: step[0].rule_index in matching):
        shown = list(run)
        if not by_pattern and not all_rules and len(shown) > SHOWN_RUN:
            first, last = shown[0][0].rule_index + 1, shown[-1][0].rule_index + 1
            table.add_row(
                Text(f"rules {first} to {last}", "dim"), "", "", Text("no", "dim"), "no pattern of theirs matches"
            )
            continue
        for step in shown:
            table.add_row(*_rule_row(graph, step))
    return table


def _rule_row(graph: EvaluationGraph, step: tuple[Considered, ...]) -> list[Text]:
    """One rule, as all members of the group tried it: their reasons may differ, their answers do not."""
    one = step[0]
    rule = graph.rules[one.rule_index]
    word, style = _MATCHED[one.matched]
    return [
        Text(
            printable(rule.name) if rule.name is not None else f"number {one.rule_index + 1}",
            "bold" if one.matched else "",
        ),
        Text(rule.effect),
        Text(str(rule.location.line) if rule.location is not None else "-"),
        Text(word, style),
        Text(_reasons(step)),
    ]


def _reasons(step: tuple[Considered, ...]) -> str:
    """Why a rule does not match, for all members of a group: what their reasons begin with is said once."""
    heads: dict[str, dict[str, None]] = {}
    for one in step:
        if one.why_not:
            head, middle, tail = printable(one.why_not).partition(": the call is ")
            heads.setdefault(head + middle, {})[tail] = None
    return "; ".join(head + ", or ".join(tails) for head, tails in heads.items())


def _stages(one: Explanation, above: Explanation | None, *, unicode: bool) -> Iterator[RenderableType]:
    table = _table(unicode, "", "stage", "does")
    numbered = [
        (number, note) for number, note in enumerate(one.stages, 1) if above is None or note not in above.stages
    ]
    for reached, run in groupby(numbered, key=lambda each: each[1].does != NOT_REACHED):
        shown = list(run)
        if not reached and len(shown) > 1:
            table.add_row(Text(f"{shown[0][0]} to {shown[-1][0]}", "dim"), "", Text(NOT_REACHED, "dim"))
            continue
        for number, note in shown:
            table.add_row(Text(str(number), "dim"), Text(note.stage), Text(printable(note.does)))
    if numbered:
        yield table
    if len(numbered) < len(one.stages):
        yield Text("  the other stages are as above" if numbered else "  the stages are as above", "dim")
