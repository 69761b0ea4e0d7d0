"""Which renderer writes the result of policy tests, and the format for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from schemarouter_cli.outcome import Outcome
from schemarouter_cli.render.outcome import deliver
from schemarouter_cli.render.plain import call_text
from schemarouter_cli.replay import explain_command
from schemarouter_cli.terminal import screen_width, wants_color
from schemarouter_cli.text import count, printable

if TYPE_CHECKING:
    from rich.text import Text

    from schemarouter.testkit.mutation import MutantResult, MutationReport
    from schemarouter.testkit.results import CaseResult
    from schemarouter.testkit.run import PolicyReport, TestReport
    from schemarouter_cli.testing import Shortfall, TestRun, Thresholds


#: The lint code of a rule that no test is decided by.
UNCOVERED = "SR701[uncovered-rule]"


def show_tests(run: TestRun, thresholds: Thresholds, output_format: str, color: str, output_file: str | None) -> None:
    """Write the result to standard output, or to ``output_file``."""
    missed = thresholds.missed(run.report)
    if output_format == "full":
        colored = output_file is None and wants_color(color)
        text = render_full(run, missed, color=colored, width=screen_width())
    elif output_format == "junit":
        from schemarouter_cli.render.junit import render_junit

        text = render_junit(run.report, thresholds, missed)
    else:
        from schemarouter_cli.render import testing_machine as machine

        renderers = {"concise": machine.render_concise, "json": machine.render_json, "github": machine.render_github}
        text = renderers[output_format](run.report, missed)
    deliver(text, output_file)


def render_full(run: TestRun, missed: list[Shortfall], *, color: bool, width: int) -> str:
    """Errors in files, then what failed, what is not covered and what was not noticed, and a summary."""
    from schemarouter_cli.render.console import render

    broken = ""
    if run.report.findings:
        from schemarouter_cli.render.full import render_full as render_findings

        outcome = Outcome({one.path: None for one in run.report.findings}, run.report.findings)
        outcome.texts = run.texts
        broken = render_findings(outcome, color=color, width=width) + "\n"
    return broken + render(_lines(run.report, missed), color=color, width=width)


def _lines(report: TestReport, missed: list[Shortfall]) -> Iterator[Text]:
    from rich.text import Text

    for policy in report.policies:
        for result in policy.results:
            if not result.ok:
                yield from _failed(result, policy.path)
        for rule in policy.coverage.uncovered:
            head = ("warning", "bold yellow")
            yield Text.assemble(head, (f": {UNCOVERED} no test is decided by {_rule(rule.rule)}", "bold"))
            yield _place(rule.path, rule.line, rule.column)
        if policy.mutation is not None:
            for mutant in policy.mutation.unnoticed:
                yield from _mutant(mutant)
    if report.policies:
        yield from _table(report)
    for short in missed:
        yield Text.assemble(("error: ", "bold red"), shortfall_text(short))
    if not report.policies and not report.findings:
        return
    yield Text(summary(report), "bold green" if report.ok and not missed else "bold red")


def _rule(name: str) -> str:
    return name if name.startswith("rule number ") else f"rule `{printable(name)}`"


def _failed(result: CaseResult, policy: str) -> Iterator[Text]:
    from rich.text import Text

    yield Text.assemble(("failed: ", "bold red"), (printable(result.name), "bold"))
    yield _place(result.path, result.line, result.column)
    yield _fact("expected", result.expected)
    yield _fact("actual", result.actual)
    if result.witness is not None:
        yield _fact("call", call_text(result.witness))
        yield _fact("explain", explain_command(policy, result.witness))


def _mutant(mutant: MutantResult) -> Iterator[Text]:
    from rich.text import Text

    word, style = ("survived", "bold yellow") if mutant.fate == "survived" else ("undecided", "bold yellow")
    yield Text.assemble((f"{word}: ", style), (f"{mutant.kind}: {printable(mutant.description)}", "bold"))
    yield _place(mutant.path, mutant.span.line, mutant.span.column)
    if mutant.reason is not None:
        yield _fact("because", mutant.reason)
    change = mutant.change
    if change is not None:
        yield _fact("changes", f"{change.before} becomes {change.after}")
        if change.witness is not None:
            yield _fact("call", call_text(change.witness))


def _place(path: str, line: int, column: int) -> Text:
    from rich.text import Text

    return Text.assemble(("  --> ", "blue"), f"{printable(path)}:{line}:{column}")


def _fact(word: str, text: str) -> Text:
    from rich.text import Text

    return Text.assemble((f"  {word}: ", "dim"), printable(text))


def _table(report: TestReport) -> Iterator[Text]:
    from rich.text import Text

    for policy in report.policies:
        yield Text(f"{printable(policy.path)}: {policy_text(policy)}")


def policy_text(policy: PolicyReport) -> str:
    """One policy in one line."""
    from schemarouter.testkit.results import permille_text

    coverage = policy.coverage
    passed = sum(result.ok for result in policy.results)
    parts = [f"{passed} passed", f"{len(policy.results) - passed} failed"]
    share = permille_text(coverage.covered, len(coverage.rules))
    parts.append(f"{coverage.covered} of {count(len(coverage.rules), 'rule')} covered ({share})")
    if policy.mutation is not None:
        parts.append(mutation_text(policy.mutation))
    return ", ".join(parts)


def mutation_text(mutation: MutationReport) -> str:
    """The mutants of one policy in one line."""
    from schemarouter.testkit.results import permille_text

    share = permille_text(mutation.killed, mutation.counted)
    text = f"{mutation.killed} of {count(mutation.counted, 'mutant')} noticed ({share})"
    if mutation.equivalent:
        text += f", {mutation.equivalent} equivalent"
    if mutation.skipped:
        text += f", {mutation.skipped} not tried"
    return text


def shortfall_text(short: Shortfall) -> str:
    """What falls short, in words."""
    from schemarouter.testkit.results import permille_text

    does = "decide a test" if short.what == "rules" else "are noticed"
    share = permille_text(short.part, short.whole)
    return (
        f"{printable(short.path)}: {short.part} of {short.whole} {short.what} {does}, which is {share} and not the "
        f"{short.wanted:f}% that are wanted"
    )


def summary(report: TestReport) -> str:
    """Everything in one line."""
    text = f"{report.passed} passed, {report.failed} failed"
    if report.errors:
        files = len({finding.path for finding in report.errors})
        text += f", {count(len(report.errors), 'error')} in {count(files, 'file')} of which nothing was run"
    return text
