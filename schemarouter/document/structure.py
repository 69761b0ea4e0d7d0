"""Keys and types: the document against the models of its version. pydantic judges; the words are ours."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from pydantic import ValidationError

from schemarouter.document.findings import MAX_PROBLEMS, START
from schemarouter.document.scalars import scalar_problems
from schemarouter.document.v1 import PolicyDocument
from schemarouter.document.walk import entries
from schemarouter.match.conditions import condition_problems
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.document.source import Source
    from schemarouter.model.diagnostic import Part

#: Kinds of problems with a condition, and their codes here.
_CONDITION_CODES = {
    "unknown-keyword": "SR101",
    "wrong-type": "SR103",
    "bad-value": "SR110",
}
#: pydantic has several errors for one place where a type is a union.
_ERRORS_PER_PROBLEM = 4


def read_structure(source: Source) -> tuple[PolicyDocument | None, list[Problem]]:
    """The typed document, and what is wrong with keys, types and scalars; ``None`` where the models refuse it.

    A clean file pays for one walk over its values and for pydantic, nothing else.
    """
    if source.data is None and source.scalar(()) in (None, ("", True)):
        line = "version: 1" if source.format == "yaml" else "version = 1"
        return None, [Problem("SR104", "the file is empty", START, f"a policy begins with `{line}`")]
    problems = scalar_problems(source)
    problems += islice(_condition_problems(source), MAX_PROBLEMS + 1)
    try:
        return PolicyDocument.model_validate(source.data), problems
    except ValidationError as error:
        from schemarouter.document.explain import explain  # here, because a clean file needs none of it

        errors = error.errors(include_url=False)[: _ERRORS_PER_PROBLEM * (MAX_PROBLEMS + 1)]
        taken = {problem.at.path for problem in problems if isinstance(problem.at, Target)}
        return None, problems + list(explain(errors, source, taken))


def _condition_problems(source: Source) -> Iterator[Problem]:
    """What `match.conditions` has to say about the conditions of every rule, at their places."""
    for index, rule in entries(source.data, "rules"):
        when = rule.get("when")
        if not isinstance(when, dict) or not isinstance(when.get("arguments"), dict):
            continue
        for found in condition_problems(when["arguments"]):
            part: Part = "key" if found.kind == "unknown-keyword" else "value"
            target = Target(("rules", index, "when", "arguments", *found.path), part)
            yield Problem(_CONDITION_CODES[found.kind], found.message, target, found.help)
