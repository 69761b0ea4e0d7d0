"""What an HTTP method says about an operation, and how an application corrects it.

A method is a poor guide: a ``GET`` may run code, a ``POST`` may only read. What is said here is where a review starts;
``classify=`` and the policy file's ``classify`` are where it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from schemarouter.match.pattern import matches
from schemarouter.model.names import name_problem
from schemarouter.sources.openapi.files import shown
from schemarouter.sources.openapi.model import Classification, Classify, Operation, Select
from schemarouter.sources.problem import SourceError

#: ``QUERY`` (OpenAPI 3.2) is a safe method as ``GET`` is. What is not listed stays unclassified.
BY_METHOD: Final[Mapping[str, Classification]] = {
    **dict.fromkeys(("GET", "HEAD", "OPTIONS", "QUERY"), Classification(read_only=True, destructive=False)),
    **dict.fromkeys(("POST", "PUT", "PATCH"), Classification(read_only=False)),
    "DELETE": Classification(read_only=False, destructive=True),
}
_HELP: Final = "give `(read_only, destructive)`, each True, False or None"


class Classifier:
    """Applies ``classify=`` over the methods' own classification."""

    def __init__(self, classify: Classify | None) -> None:
        self._function: Callable[[Operation], Any] | None = None
        self._entries: list[tuple[str, Classification]] = []
        self._unused: set[str] = set()
        if isinstance(classify, Mapping):
            for pattern, value in classify.items():
                _check_pattern(pattern, "classify")
                self._entries.append((pattern, _checked(value, f"`classify` for `{shown(pattern)}`")))
            self._unused = {pattern for pattern, _ in self._entries}
        elif callable(classify):
            self._function = classify
        elif classify is not None:
            raise TypeError("`classify` takes a function, or a mapping from patterns")

    def of(self, operation: Operation) -> Classification:
        """The attributes of ``operation``. Raises ``SourceError`` for an answer that is none."""
        by_method = BY_METHOD.get(operation.method, Classification())
        if self._function is not None:
            answer = self._function(operation)
            return by_method if answer is None else _checked(answer, f"`classify` for `{shown(operation.name)}`")
        decided = None
        for pattern, classification in self._entries:
            if matches(pattern, operation.name):
                self._unused.discard(pattern)
                decided = decided or classification
        return decided or by_method

    def finish(self) -> None:
        """Refuse an entry that matched nothing: it was written for an operation that is not there."""
        if self._unused:
            pattern = min(self._unused)
            raise SourceError(
                f"`classify` has an entry for `{shown(pattern)}`, which matches no operation of the document",
                help="correct the name, or remove the entry",
            )


def selector(select: Select | None) -> Callable[[Operation], bool]:
    """The function that ``select=`` means."""
    if select is None:
        return lambda _operation: True
    if callable(select):
        function = select

        def chosen(operation: Operation) -> bool:
            answer = function(operation)
            if type(answer) is not bool:
                raise SourceError(
                    f"`select` gave no boolean for `{shown(operation.name)}`", help="return True or False"
                )
            return answer

        return chosen
    patterns = [select] if isinstance(select, str) else list(select)
    for pattern in patterns:
        _check_pattern(pattern, "select")
    return lambda operation: any(matches(pattern, operation.name) for pattern in patterns)


def _check_pattern(pattern: object, option: str) -> None:
    problem = name_problem(pattern) if isinstance(pattern, str) else "is no text"
    if problem is not None:
        raise SourceError(f"a pattern of `{option}` {problem}", help="write a pattern as in a policy's `operation`")


def _checked(value: Any, what: str) -> Classification:
    if isinstance(value, Mapping):
        if not set(value) <= {"read_only", "destructive"}:
            raise SourceError(f"{what} has a key that is none", help="the keys are `read_only` and `destructive`")
        value = (value.get("read_only"), value.get("destructive"))
    if not (isinstance(value, tuple) and len(value) == 2 and all(part is None or type(part) is bool for part in value)):
        raise SourceError(f"{what} is no classification", help=_HELP)
    return Classification(*value)
