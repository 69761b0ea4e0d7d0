"""Questions about a policy: can any call of this kind happen? (SPEC 13)

A question is a few words joined by ``and``, each of which ``not`` may precede. It is no language: there is no ``or`` and
there are no parentheses. Attributes are the effective ones, as ``classify`` leaves them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal, NamedTuple

from schemarouter.analysis.decided import find_word, show
from schemarouter.analysis.doubt import doubtful_pairs
from schemarouter.analysis.reach import Cell, cells, required
from schemarouter.analysis.search import Empty, Found, Undecided, Work, search
from schemarouter.analysis.view import PolicyView, build_views
from schemarouter.analysis.words import lies_within, may_overlap
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.errors import SchemaRouterError
from schemarouter.match.classes import ALL_CLASSES, class_mask
from schemarouter.model.diagnostic import Call
from schemarouter.model.names import name_problem

if TYPE_CHECKING:
    from schemarouter.model.decision import Outcome

#: Steps for one question.
STEPS = 20_000_000

#: After so many rules it is looked whether any call of the question is left, and so many steps that may take in each cell.
_LOOKS = frozenset(1 << number for number in range(1, 18, 2))
_EXHAUSTION_STEPS = 20_000

#: Words about attributes, with the classes that they leave.
_CLASSES = {
    "remote": class_mask(remote=True),
    "local": class_mask(remote=False),
    "read-only": class_mask(read_only=True),
    "mutating": class_mask(read_only=False),
    "unclassified": class_mask(unclassified=True),
    "destructive": class_mask(destructive=True),
}
#: Words about what happens.
_OUTCOMES: dict[str, Outcome] = {"allow": "allow", "approval": "approval", "deny": "deny"}
_SPELLINGS = {
    "read_only": "read-only",
    "readonly": "read-only",
    "allowed": "allow",
    "approved": "approval",
    "denied": "deny",
}
_WORDS = (*_CLASSES, *_OUTCOMES, "operation:PATTERN")
_TOKEN = re.compile(r"\S+")


class QuestionError(SchemaRouterError, ValueError):
    """A question cannot be read. ``position`` counts characters of the question from 0."""

    def __init__(self, message: str, position: int, help: str) -> None:  # noqa: A002 - the name that messages use
        super().__init__(message)
        self.position = position
        self.help = help


class Question(NamedTuple):
    """Calls of ``classes`` (a mask), of operations that match all of ``operations``, that end in one of ``outcomes``."""

    classes: int
    operations: tuple[str, ...]
    outcomes: frozenset[Outcome]


class QueryAnswer(NamedTuple):
    """``yes`` with the deciding rule (``None`` is the category guards) and a call, ``no``, or ``undecided`` with a reason.

    ``conditional``: the call depends on argument conditions; ``witness`` has no arguments (``None``) then, if none could
    be constructed.
    """

    answer: Literal["yes", "no", "undecided"]
    witness: Call | None = None
    rule: int | None = None
    conditional: bool = False
    reason: str | None = None


def parse_question(text: str) -> Question:
    """Read a question. Raises :class:`QuestionError` with the place of the first mistake.

    Where no word says what happens, calls that run are meant: at once, or after approval. ``not approval`` alone leaves
    those that run at once.
    """
    classes = ALL_CLASSES
    operations: list[str] = []
    positive: set[Outcome] = set()
    negative: set[Outcome] = set()
    negated = False
    wants_word = True
    position = 0
    for token in _TOKEN.finditer(text):
        word, position = token.group(), token.start()
        if word == "and":
            if wants_word:
                raise QuestionError("`and` has nothing before it", position, _usage())
            wants_word = True
            continue
        if not wants_word:
            raise QuestionError(f"there is no `and` before `{word}`", position, "join words by `and`")
        if word == "not" and not negated:
            negated = True
            continue
        word = _SPELLINGS.get(word, word)
        if word in _CLASSES:
            classes &= ~_CLASSES[word] if negated else _CLASSES[word]
        elif word in _OUTCOMES:
            (negative if negated else positive).add(_OUTCOMES[word])
        elif word.startswith("operation:") and not negated:
            pattern = word.removeprefix("operation:")
            problem = name_problem(pattern)
            if problem is not None:
                raise QuestionError(f"the pattern {problem}", position, "write a pattern, such as `operation:jobs.*`")
            operations.append(pattern)
        else:
            raise QuestionError(f"unknown word `{word}`", position, _guess(word))
        negated, wants_word = False, False
    if wants_word or negated:
        raise QuestionError(
            "the question ends too early" if text.strip() else "the question is empty", position, _usage()
        )
    running: set[Outcome] = {"allow", "approval"}
    outcomes = frozenset((positive or running) - negative)
    if len(positive) > 1 or not outcomes:
        raise QuestionError("no call has such an outcome", 0, "a call ends in one of `allow`, `approval` and `deny`")
    return Question(classes & ALL_CLASSES, tuple(operations), outcomes)


def _usage() -> str:
    return "write words joined by `and`, such as `destructive and remote and not approval`"


def _guess(word: str) -> str:
    close = get_close_matches(word, _WORDS, 1)
    return f"did you mean `{close[0]}`?" if close else f"the words are {', '.join(f'`{one}`' for one in _WORDS)}"


def ask(
    graph: EvaluationGraph,
    question: str | Question,
    *,
    steps: int = STEPS,
    cancelled: Callable[[], bool] | None = None,
) -> QueryAnswer:
    """Answer a question exactly, with a call that shows a ``yes``.

    Raises :class:`QuestionError`, and ``WitnessError`` if a call does not show what it should, which is a defect.
    """
    if isinstance(question, str):
        question = parse_question(question)
    (view,) = build_views(graph, patterns=question.operations)
    work = Work(steps, cancelled=cancelled)
    gap: Undecided | None = None
    open_answer: QueryAnswer | None = None
    for rule, cell in _candidates(view, question, work):
        patterns = (None,) if rule is None else view.rules[rule].patterns
        answer = find_word(view, rule, cell, patterns, question.operations, work)
        if isinstance(answer, Undecided):
            gap = answer
        elif isinstance(answer, Found):
            decided = show(view, rule, cell, answer.word)
            found = QueryAnswer("yes", decided.call, rule, decided.conditional)
            if found.witness is not None:
                return found
            open_answer = open_answer or found
    if open_answer is not None:
        return open_answer
    if gap is not None:
        return QueryAnswer("undecided", reason=gap.reason)
    if "allow" not in question.outcomes and any(doubtful_pairs(view, work)):
        return QueryAnswer("undecided", reason="some rules count only when argument conditions are in doubt")
    return QueryAnswer("no")


def _candidates(view: PolicyView, question: Question, work: Work) -> Iterator[tuple[int | None, Cell]]:
    """The rules that might decide such a call, with the cells; none behind rules that take every call of the question."""
    taken = looked = 0
    for rule in (*range(len(view.rules)), None):
        if not question.classes & ~taken:
            return
        if rule is not None and question.operations and not _may_match(view, rule, question):
            continue
        for cell in cells(view, rule, question.classes):
            wanted = view.outcomes[-1 if rule is None else rule][cell.effective] in question.outcomes
            if wanted and not taken >> cell.effective & 1:
                yield rule, cell
        if rule is None:
            return
        if _takes_all(view, rule, question):
            taken |= view.masks[rule]
        looked += 1
        if looked in _LOOKS:
            taken |= _exhausted(view, question, rule + 1, taken, work)


def _exhausted(view: PolicyView, question: Question, end: int, taken: int, work: Work) -> int:
    """The classes in which the rules before ``end`` together take every call of the question, as a mask."""
    left: dict[int, bool] = {}
    for cell in cells(view, None, question.classes & ~taken):
        group = view.group_of[cell.effective]
        forbidden = view.before(end, cell.effective, None) | cell.piece.before
        answer = search(
            view.automaton, required(view, cell, *question.operations), forbidden, work.part(_EXHAUSTION_STEPS)
        )
        left[group] = left.get(group, False) or not isinstance(answer, Empty)
    return sum(1 << index for index, group in view.group_of.items() if left.get(group) is False)


def _takes_all(view: PolicyView, rule: int, question: Question) -> bool:
    """Whether a rule plainly matches all operations of the question, whatever the arguments are."""
    if view.rules[rule].conditions is not None:
        return False
    return any(
        lies_within(operation, pattern)
        for operation in question.operations or ("*",)
        for pattern in view.rules[rule].patterns
    )


def _may_match(view: PolicyView, rule: int, question: Question) -> bool:
    return any(all(may_overlap(mine, pattern) for pattern in question.operations) for mine in view.rules[rule].patterns)
