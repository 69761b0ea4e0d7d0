"""What names in a file of tests refer to: operations, rules and hooks that exist. A name that refers to nothing is an error."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.document.words import closest, shown
from schemarouter.match.pattern import literal, matches
from schemarouter.model.diagnostic import DocPath, Part, Problem, Target
from schemarouter.testkit.attributes import Values
from schemarouter.testkit.decisions import GUARDS

#: What a file of tests calls the category guards.
DEFAULT = "default"
#: A guess at what was meant looks at every name, so there are not many of them.
_GUESSES = 20
_WILD = frozenset("*?.")


class Names:
    """The names that one file of tests may use. What is wrong is gathered in ``problems``."""

    def __init__(self, graph: EvaluationGraph, operations: dict[str, Values] | None) -> None:
        #: Attributes by operation, where the file says which operations there are.
        self.operations = operations
        self.problems: list[Problem] = []
        self._graph = graph
        self._rules: dict[str, int] = {
            rule.name: index for index, rule in enumerate(graph.rules) if rule.name is not None
        }
        self._hooks = frozenset((*graph.hooks.before_call, *graph.hooks.after_call))
        self._left = _GUESSES

    def values(self, operation: str) -> Values:
        """What the file says of the attributes of ``operation``."""
        return (self.operations or {}).get(operation, Values())

    def operation(self, operation: str, path: DocPath, *, by_rule: bool, part: Part = "value") -> None:
        """Look at an operation; ``by_rule`` says that the test names the rule that decides about it.

        Where the file does not list the operations, one is known that somebody named: in the policy, by more than wildcards
        alone, or here, by naming the rule.
        """
        if self.operations is not None:
            if operation not in self.operations:
                self._unknown("operation", operation, path, self.operations, "add it to `operations`", part)
        elif not by_rule and not self._is_named(operation):
            help_ = "add it to `operations`, or write the `rule` that decides about it"
            message = f"no rule but for a wildcard is about {shown(operation)}"
            self._report("SR105", message, operation, path, self._literals(), help_, part)

    def rule(self, name: str, path: DocPath) -> None:
        """Look at the name of a rule."""
        if name == DEFAULT:
            if name in self._rules:
                message = "`default` stands for the category guards, and a rule of the policy has this name"
                self.problems.append(Problem("SR110", message, Target(path), "give the rule another name"))
        elif name not in self._rules:
            self._unknown("rule", name, path, self._rules, "the policy has no rule of this name")

    def index(self, name: str | None) -> int | None:
        """The index of the rule ``name``, :data:`GUARDS` for the word ``default``; ``None`` for no name, or an unknown one."""
        if name == DEFAULT:
            return GUARDS
        return None if name is None else self._rules.get(name)

    def tool(self, key: str, called: Collection[str], path: DocPath) -> None:
        """Look at the key of a tool, of which the run must call an operation."""
        if key not in called:
            self._report(
                "SR105",
                f"no call of this run is one of the tool {shown(key)}",
                key,
                path,
                called,
                "name the tool of one of its calls",
                "key",
            )

    def hook(self, name: str, path: DocPath) -> None:
        """Look at the name of a hook."""
        if name not in self._hooks:
            self._unknown("hook", name, path, self._hooks, "the policy names no such hook", "key")

    def _is_named(self, operation: str) -> bool:
        graph = self._graph
        patterns = [pattern for index in graph.matching(operation) for pattern in graph.rules[index].patterns]
        patterns += (pattern for entry in graph.classify for pattern in entry.patterns)
        if any(not _WILD.issuperset(pattern) and matches(pattern, operation) for pattern in patterns):
            return True
        budget = graph.budget
        keys = () if budget is None else (*budget.per_tool_calls, *budget.cost_units)
        return any(operation == key or operation.startswith(key + ".") for key in keys)

    def _literals(self) -> Iterable[str]:
        """Operations that patterns name, also where they go on with a wildcard."""
        every = (pattern.rstrip("*") for rule in self._graph.rules for pattern in rule.patterns)
        return [text for pattern in every if (text := literal(pattern)) is not None and text.rstrip(".")]

    def _unknown(
        self, kind: str, name: str, path: DocPath, known: Collection[str], otherwise: str, part: Part = "value"
    ) -> None:
        self._report("SR105", f"unknown {kind} {shown(name)}", name, path, known, otherwise, part)

    def _report(
        self, code: str, message: str, name: str, path: DocPath, known: Iterable[str], otherwise: str, part: Part
    ) -> None:
        meant = None
        if self._left:
            self._left -= 1
            meant = closest(name, known)
        help_ = otherwise if meant is None else f"did you mean {shown(meant)}?"
        self.problems.append(Problem(code, message, Target(path, part), help_))
