"""Stage 4 with an approver: asked with the whole question, and like any callback only believed for the literal `True`."""

from __future__ import annotations

import pytest

from schemarouter.compiler.policy import ExecutionPolicy, PolicyRule
from schemarouter.engine.budget import NO_LIMITS, Limits
from schemarouter.engine.frame import Frame
from schemarouter.errors import ApprovalDeniedError, ExecutionBudgetExceededError
from schemarouter.model.approval import Approver, Denied, Question
from support.boundary import CANARY, Boundary

DRIVERS = pytest.mark.parametrize("driver", ["sync", "async"])


class Says(Approver):
    """Answers the same to everything, and keeps what it was asked."""

    def __init__(self, verdict: object) -> None:
        self.verdict = verdict
        self.asked: list[tuple[str, Question]] = []

    def ask(self, question: Question) -> bool | Denied:
        return self._say("sync", question)

    async def ask_async(self, question: Question) -> bool | Denied:
        return self._say("async", question)

    def _say(self, driver: str, question: Question) -> bool | Denied:
        self.asked.append((driver, question))
        question.arguments["secret"] = "changed"
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return self.verdict  # type: ignore[return-value]


def boundary(approver: Approver, policy: ExecutionPolicy | None = None) -> Boundary:
    made = Boundary(policy=policy or ExecutionPolicy(approval_mode="all"))
    made.govern(approval=approver)
    return made


@DRIVERS
def test_the_question_says_everything(driver: str) -> None:
    rule = PolicyRule(name="look", operation="ns.tool.*", effect="require_approval")
    approver = Says(True)
    made = boundary(approver, ExecutionPolicy(rules=(rule,)))
    seen: list[str] = []
    made.bind(lambda endpoint, arguments: seen.append(arguments["secret"]) or {"value": 1})
    run = made.run(Limits(max_elapsed_seconds=30))
    run.run_id = "run"
    made.drive(Frame(made.call(), run, "call"), driver)
    asked_by, question = approver.asked[0]
    assert asked_by == driver
    assert question == (
        *("ns.tool.act", False, True, False, {"secret": "changed"}, made.authority.graph.digest, "look"),
        *("rule `look` requires approval for `ns.tool.act`", "run", "call", 30.0),
    )
    assert seen == [CANARY], "what was approved is what runs"


@DRIVERS
def test_a_mode_is_a_reason_and_no_limit_is_none(driver: str) -> None:
    approver = Says(True)
    made = boundary(approver)
    made.drive(Frame(made.call(), made.run(NO_LIMITS)), driver)
    question = approver.asked[0][1]
    assert question.reason.startswith("approval mode `all`: ")
    assert question[-3:] == (None, None, None)


@DRIVERS
@pytest.mark.parametrize("verdict", [False, 1, "yes", None, [True], object(), Denied("x")])
def test_only_true_approves(driver: str, verdict: object) -> None:
    made = boundary(Says(verdict))
    with pytest.raises(ApprovalDeniedError, match="was not approved"):
        made.drive(Frame(made.call(), made.run()), driver)
    assert made.ran == 0
    assert made.ledger.used == {}


@DRIVERS
def test_a_reason_is_one_visible_line(driver: str) -> None:
    made = boundary(Says(Denied("no\n\x1b[2J" + "x" * 1000)))
    with pytest.raises(ApprovalDeniedError) as caught:
        made.drive(Frame(made.call(), made.run()), driver)
    assert str(caught.value).startswith("`ns.tool.act` was not approved: no\\n\\x1b[2Jxxx")
    assert len(str(caught.value)) < 300


@DRIVERS
def test_what_it_raises_is_its_failure(driver: str) -> None:
    made = boundary(Says(RuntimeError(CANARY)))
    with pytest.raises(ApprovalDeniedError, match=r"failed closed \(RuntimeError\)") as caught:
        made.drive(Frame(made.call(), made.run()), driver)
    assert CANARY not in str(caught.value)


def test_time_that_is_over_asks_nobody() -> None:
    approver = Says(True)
    made = boundary(approver)
    run = made.run(Limits(max_elapsed_seconds=5))
    run.start_clock(made.clock.now)
    made.clock.now += 6
    with pytest.raises(ExecutionBudgetExceededError):
        made.drive(Frame(made.call(), run), "sync")
    assert approver.asked == []
