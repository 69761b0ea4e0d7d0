"""The answer to a question about a policy, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from schemarouter_cli.render.diff_words import OUTCOMES, place_text, witness_text
from schemarouter_cli.render.plain import call_record, dump
from schemarouter_cli.replay import explain_command
from schemarouter_cli.text import printable

if TYPE_CHECKING:
    from rich.text import Text

    from schemarouter.analysis.query import QueryAnswer
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.model.decision import Outcome

_STYLES = {"no": "bold green", "yes": "bold red", "undecided": "bold yellow"}


def render_json(graph: EvaluationGraph, question: str, answer: QueryAnswer) -> str:
    """The document that ``schemas/query.v1.schema.json`` describes."""
    rule = graph.rules[answer.rule] if answer.rule is not None else None
    place = rule.location if rule is not None else None
    document = {
        "version": 1,
        "digest": graph.digest,
        "question": question,
        "answer": answer.answer,
        "conditional": answer.conditional,
        "outcome": _outcome(graph, answer),
        "witness": call_record(answer.witness) if answer.witness is not None else None,
        "rule": rule.name if rule is not None else None,
        "rule_index": answer.rule,
        "location": place._asdict() if place is not None else None,
        "reason": answer.reason,
    }
    return dump(document, indent=2) + "\n"


def render_full(
    graph: EvaluationGraph, question: str, answer: QueryAnswer, path: str, *, color: bool, width: int
) -> str:
    """The answer, a call, the deciding rule with its place, and the command that replays the call."""
    from schemarouter_cli.render.console import render

    return render(_lines(graph, question, answer, path), color=color, width=width)


def _lines(graph: EvaluationGraph, question: str, answer: QueryAnswer, path: str) -> Iterator[Text]:
    from rich.text import Text

    yield Text.assemble((answer.answer, _STYLES[answer.answer]), f": {printable(question)}")
    if answer.answer == "undecided":
        yield _fact("because", answer.reason or "the bound on work was reached")
    if answer.answer != "yes":
        return
    call, outcome = answer.witness, _outcome(graph, answer)
    if call is not None:
        yield _fact("call", witness_text(call))
    if outcome is not None:
        yield _fact("outcome", OUTCOMES[outcome])
    rule = graph.rules[answer.rule] if answer.rule is not None else None
    if rule is None or rule.name is not None:
        who = "the category guards" if rule is None else f"rule `{rule.name}`"
    else:
        who = f"rule number {(answer.rule or 0) + 1}"
    where = place_text(rule.location if rule is not None else None)
    yield _fact("decided by", f"{who}{', ' if where else ''}{where}")
    if answer.conditional:
        note = "not every such call is meant" if call is not None else "no example could be constructed"
        yield _fact("note", f"depends on arguments: {note}")
    if call is not None:
        yield _fact("replay", explain_command(path, call))


def _fact(word: str, text: str) -> Text:
    from rich.text import Text

    return Text.assemble((f"  {word}: ", "bold"), printable(text))


def _outcome(graph: EvaluationGraph, answer: QueryAnswer) -> Outcome | None:
    call = answer.witness
    if call is None:
        return None
    return graph.outcome(call.operation, call.remote, call.read_only, call.destructive, call.arguments)
