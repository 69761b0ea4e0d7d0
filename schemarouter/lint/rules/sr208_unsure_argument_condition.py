"""An argument condition leaves in doubt what its author probably has an answer to.

## What it does
Reports two kinds of conditions under `when.arguments`. First, an argument for which another rule with the same
pattern says, by `absent:`, that it can be missing, while this one does not say what that means. Second, an
alternative of `anyOf` without a `type`, beside alternatives that are about values of another type.

With `--catalog` it also reports, for each pattern of a rule: an argument that no operation has which the pattern
matches (in a condition with `absent:`, only if that holds for all patterns of the rule); an argument that is optional
in all of them, in a condition without `absent:`; and a condition about values of a type that the argument never has.

## Why it matters
A condition is indeterminate where it cannot tell: for a missing argument without `absent:`, and for a value of a type
that it is not about. The stricter outcome counts then. That is safe, and yet calls are denied, or people are asked,
for a reason that nobody wrote down: `anyOf: [{maximum: 5}, {enum: [none]}]` is no "no" for `all`, but a doubt.

## Example
```yaml
version: 1
rules:
  - name: small-pages
    operation: files.list
    effect: allow
    when:
      arguments:
        limit: {anyOf: [{maximum: 50}, {enum: [default]}]}
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: small-pages
    operation: files.list
    effect: allow
    when:
      arguments:
        limit: {anyOf: [{type: number, maximum: 50}, {type: string, enum: [default]}]}
budget: {max_tool_calls: 20}
```

## Limits
Without a catalog nobody knows which arguments a tool has and which of them are optional, so a condition without
`absent:` is only reported where the policy itself says otherwise. A condition whose keywords tell its type, such as
`{maximum: 5}`, needs no `type`. With a catalog a pattern is reported only where the doubt is there for every operation
that it matches, and of a JSON Pointer the first step alone is looked up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from schemarouter.document.words import closest, shown
from schemarouter.lint.catalogued import decided_by
from schemarouter.lint.predicates import operations
from schemarouter.lint.rule import rule
from schemarouter.match.keywords import FAMILIES, PLURALS, SINGULARS, TYPES
from schemarouter.match.values import family
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from schemarouter.catalog.records import Operation
    from schemarouter.document.v1 import Rule
    from schemarouter.lint.context import LintContext, PatternAt
    from schemarouter.model.diagnostic import DocPath


class _At(NamedTuple):
    """The condition for one argument of one rule."""

    rule: int
    argument: str
    condition: dict[str, object]

    @property
    def path(self) -> DocPath:
        return ("rules", self.rule, "when", "arguments", self.argument)


@rule("SR208", "unsure-argument-condition", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every condition of these kinds."""
    conditions = [
        _At(index, argument, {**condition})
        for index, entry in enumerate(policy.document.rules)
        if entry.when is not None and entry.when.arguments
        for argument, condition in entry.when.arguments.items()
        if isinstance(condition, dict)
    ]
    yield from _unsaid_absence(policy.document.rules, conditions)
    for at in conditions:
        yield from _untyped_alternatives(at.path, at.condition)
    if policy.catalog is not None:
        yield from _by_catalog(policy, conditions)


def _by_catalog(policy: LintContext, conditions: list[_At]) -> Iterator[Problem]:
    """At most one problem for each condition: for the first pattern of its rule that there is something to say about."""
    patterns: dict[int, list[tuple[PatternAt, tuple[Operation, ...]]]] = {}
    for pattern in policy.rule_patterns:
        patterns.setdefault(pattern.entry, []).append((pattern, decided_by(policy, pattern)))
    for at in conditions:
        there = [(pattern, found) for pattern, found in patterns.get(at.rule, ()) if found]
        if "absent" in at.condition and not all(_lacking(at, found) for _, found in there):
            # What a missing argument means is said, and some of the operations have it: the others leave no doubt.
            there = [(pattern, found) for pattern, found in there if not _lacking(at, found)]
        for pattern, found in there:
            problem = _of_schemas(at, pattern.text, found)
            if problem is not None:
                yield problem
                break


def _first_step(argument: str) -> str:
    """The name of the argument that a condition is about."""
    step = argument.split("/")[1] if argument.startswith("/") else argument
    return step.replace("~1", "/").replace("~0", "~") if argument.startswith("/") else step


def _lacking(at: _At, found: tuple[Operation, ...]) -> bool:
    """Whether none of the operations has the argument, or lets in arguments that it does not declare."""
    name = _first_step(at.argument)
    return not any(each.other_arguments or each.argument(name) is not None for each in found)


def _of_schemas(at: _At, pattern: str, found: tuple[Operation, ...]) -> Problem | None:
    """What the schemas of the operations say against a condition, if all of them say so."""
    name, whole = _first_step(at.argument), not at.argument.startswith("/")
    declared = [argument for each in found if (argument := each.argument(name)) is not None]
    if _lacking(at, found):
        known = {argument.name for each in found for argument in each.arguments}
        near = closest(name, sorted(known)[:1000])
        return Problem(
            "SR208",
            f"no operation that {shown(pattern)} matches has an argument {shown(name)}",
            Target(at.path, "key"),
            help=f"did you mean {shown(near)}?" if near else "take the condition out: it only leaves the rule in doubt",
        )
    if len(declared) < len(found):
        return None
    if whole and "absent" not in at.condition and not any(argument.required for argument in declared):
        return Problem(
            "SR208",
            f"{shown(name)} is optional in what {shown(pattern)} matches, this does not say what a missing one means",
            Target(at.path, "key"),
            help="add `absent: true` if a missing argument satisfies the condition, `absent: false` if it fails it",
        )
    about = _families(at.condition) if whole else frozenset()
    having = [frozenset(TYPES[kind] for kind in argument.types) for argument in declared]
    if about and all(having) and not any(about & each for each in having):
        kinds = sorted(frozenset().union(*having))
        return Problem(
            "SR208",
            f"this condition is about {_either(PLURALS[kind] for kind in sorted(about))}, and {shown(name)} is "
            f"{_either(SINGULARS[kind] for kind in kinds)}",
            Target(at.path),
            help="write the condition for the type that the argument has",
        )
    return None


def _either(words: Iterable[str]) -> str:
    return " or ".join(words)


def _unsaid_absence(rules: Sequence[Rule], conditions: list[_At]) -> Iterator[Problem]:
    optional: dict[tuple[str, str], _At] = {}
    for at in conditions:
        if at.condition.get("absent") is True:
            for pattern in operations(rules[at.rule]):
                optional.setdefault((pattern, at.argument), at)
    for at in conditions:
        if not optional or "absent" in at.condition:
            continue
        elsewhere = [optional.get((pattern, at.argument)) for pattern in operations(rules[at.rule])]
        first = next((one for one in elsewhere if one is not None), None)
        if first is not None:
            yield Problem(
                "SR208",
                f"another rule says that {shown(at.argument)} can be missing, this one does not say what that means",
                Target(at.path, "key"),
                help="add `absent: true` if a missing argument satisfies the condition, `absent: false` if it fails it",
                related=(("it can be missing here", Target((*first.path, "absent"), "entry")),),
            )


def _untyped_alternatives(path: DocPath, condition: object) -> Iterator[Problem]:
    """Walk ``condition`` and yield its untyped alternatives. Its depth is limited when the file is read."""
    if not isinstance(condition, dict):
        return
    alternatives = condition.get("anyOf")
    if isinstance(alternatives, list):
        families = [_families(alternative) for alternative in alternatives]
        every = frozenset[str]().union(*families)
        for index, alternative in enumerate(alternatives):
            if families[index] and not every <= families[index] and not _says_type(alternative):
                yield Problem(
                    "SR208",
                    "this alternative has no `type`, values that only the others are about leave it in doubt",
                    Target((*path, "anyOf", index)),
                    help=f"add `type: {_type_name(families[index])}`; inside `anyOf` it is an ordinary test",
                )
    for keyword, inner in condition.items():
        if keyword in {"anyOf", "allOf"} and isinstance(inner, list):
            for index, one in enumerate(inner):
                yield from _untyped_alternatives((*path, keyword, index), one)
        elif keyword in {"not", "items", "contains"}:
            yield from _untyped_alternatives((*path, keyword), inner)
        elif keyword == "properties" and isinstance(inner, dict):
            for name, one in inner.items():
                yield from _untyped_alternatives((*path, keyword, name), one)


def _says_type(condition: object) -> bool:
    """Whether ``condition``, or one of the conditions that all have to hold, has a ``type``."""
    if not isinstance(condition, dict):
        return False
    parts = condition.get("allOf")
    return "type" in condition or (isinstance(parts, list) and any(_says_type(part) for part in parts))


def _families(condition: object) -> frozenset[str]:
    """The kinds of values that ``condition`` is about; empty if it does not say."""
    if not isinstance(condition, dict):
        return frozenset()
    listed = condition.get("type", [])
    types = [listed] if isinstance(listed, str) else listed if isinstance(listed, list) else []
    if types:
        return frozenset(TYPES[name] for name in types if isinstance(name, str))
    found = {FAMILIES[keyword] for keyword in condition if keyword in FAMILIES}
    members = condition.get("enum", [])
    values = [*members] if isinstance(members, list) else []
    if "const" in condition:
        values.append(condition["const"])
    found.update(kind for kind in map(family, values) if kind is not None)
    inner = [condition.get("not"), *_listed(condition.get("anyOf")), *_listed(condition.get("allOf"))]
    return frozenset(found).union(*map(_families, inner))


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _type_name(families: frozenset[str]) -> str:
    return min(families) if len(families) == 1 else "[" + ", ".join(sorted(families)) + "]"
