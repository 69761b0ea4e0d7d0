"""What a lint rule is: a function from a policy to problems, with a code, a name and a severity.

The module of the rule is its documentation (:mod:`schemarouter.lint.docs`), its place in ``lint/rules`` is its
registration (:mod:`schemarouter.lint.registry`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schemarouter.lint.context import LintContext
    from schemarouter.model.diagnostic import Problem, Severity

#: What a rule cannot run without; a rule whose need is not met is left out, and its suppressions are not judged.
Need = Literal["resolver", "catalog", "lock", "tests"]


class Rule(NamedTuple):
    """A lint rule. ``check`` yields problems with this ``code`` only; whatever it raises is an internal error."""

    code: str
    name: str
    severity: Severity
    check: Callable[[LintContext], Iterable[Problem]]
    needs: frozenset[Need] = frozenset()


def rule(
    code: str, name: str, severity: Severity, *, needs: Iterable[Need] = ()
) -> Callable[[Callable[[LintContext], Iterable[Problem]]], Rule]:
    """Make the decorated function a rule.

    ``name`` is kebab-case and names the defect, not the advice. ``severity``: ``error`` where nobody can have meant
    it, ``warning`` where somebody may have, ``info`` where it is a matter of taste (shown with ``--pedantic``).
    """

    def decorate(check: Callable[[LintContext], Iterable[Problem]]) -> Rule:
        return Rule(code, name, severity, check, frozenset(needs))

    return decorate
