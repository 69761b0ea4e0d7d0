"""`classify` calls an operation harmless that is known to change or destroy something.

## What it does
Reports two kinds of `classify` entries. First, an entry that says `read_only: true` or `destructive: false` of
operations whose name begins or ends with a verb that says otherwise, such as `delete_file`. Second, an entry that
comes before another one which matches the same operation and classifies it more strictly, so that the stricter one is
lost.

With `--catalog` also an entry that makes an operation harmless which its contract calls destructive or mutating.

## Why it matters
`classify` is trusted: category guards, the approval mode, retries and predicates go by what it says. An operation
that is wrongly called read-only runs without approval, and is retried.

## Example
```yaml
version: 1
classify:
  - {operation: "files.*", read_only: true, destructive: false}
  - {operation: files.shred, read_only: false, destructive: true}
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
classify:
  - {operation: files.shred, read_only: false, destructive: true}
  - {operation: "files.*", read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Limits
Without a catalog nothing is known of an operation but its name and the other entries. Names are English: the first
and the last word of the last part count, and a name that begins with a reading verb (`get_deleted_files`) is left
alone. Only whole words count, and `files.*` is not suspected although it covers `files.delete`. Of two entries,
overlaps are found by a sample operation of the later one: what is reported is real, but not every overlap is found.
With a catalog, an operation of an OpenAPI document that is mutating only because of its method (a search by POST) may
be called read-only without a word; one that is destructive may not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.catalog.verbs import contradicting_verb
from schemarouter.document.words import shown
from schemarouter.lint.catalogued import call_of
from schemarouter.lint.patterns import endpoint_words, sample_operation
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.catalog.records import Catalog
    from schemarouter.document.v1 import ClassifyEntry
    from schemarouter.lint.context import LintContext, PatternAt


@rule("SR406", "classification-loosened", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every suspicious pattern, and for every entry that takes calls from a stricter one."""
    entries = policy.document.classify
    for pattern in policy.classify_patterns:
        problem = _by_name(pattern, entries[pattern.entry])
        if problem is not None:
            yield problem
    if len(entries) > 1:
        yield from _by_order(policy)
    if policy.catalog is not None:
        yield from _by_contract(policy, policy.catalog)


def _by_contract(policy: LintContext, catalog: Catalog) -> Iterator[Problem]:
    """A problem for each entry and attribute, with the first operation whose contract says otherwise."""
    imported = frozenset(tool.key for tool in catalog.tools if tool.source_type == "openapi")
    reported: set[tuple[int, str]] = set()
    for each in catalog:
        entry = policy.graph.classification(each.operation)
        if entry is None:
            continue
        _, read_only, destructive = policy.graph.effective(each.operation, *each.attributes)
        by_method = each.tool in imported and each.destructive is not True
        for key, loosened, says in (
            ("destructive", each.destructive is True and destructive is False, "destructive"),
            ("read_only", each.read_only is False and read_only is True and not by_method, "mutating"),
        ):
            if loosened and (entry, key) not in reported:
                reported.add((entry, key))
                yield Problem(
                    "SR406",
                    f"the contract of {shown(each.operation)} calls it {says}, and this entry does not",
                    Target(("classify", entry, key)),
                    help="name it in an entry of its own, before this one; or leave the attribute out",
                    witness=call_of(each),
                )


def _by_name(pattern: PatternAt, entry: ClassifyEntry) -> Problem | None:
    said = "`read_only: true`" if entry.read_only else "`destructive: false`"
    words = endpoint_words(pattern.text)
    verb = contradicting_verb(words, read_only=entry.read_only, destructive=entry.destructive)
    if verb is None:
        return None
    return Problem(
        "SR406",
        f"{shown(pattern.text)} is classified as {said}, and its name says `{verb}`",
        pattern.target,
        help="classify what it does, not what is convenient; a rule can allow one operation by name",
    )


def _by_order(policy: LintContext) -> Iterator[Problem]:
    entries = policy.document.classify
    reported: set[int] = set()
    for pattern in policy.classify_patterns:
        later = entries[pattern.entry]
        if later.read_only is not False and later.destructive is not True:
            continue
        operation = sample_operation(pattern.text)
        first = policy.graph.classification(operation) if operation is not None else None
        if operation is None or first is None or first >= pattern.entry or first in reported:
            continue
        key = _loosened(entries[first], later)
        if key is None:
            continue
        reported.add(first)
        yield Problem(
            "SR406",
            f"this entry classifies {shown(operation)} first, and a later one that is stricter never does",
            Target(("classify", first, key)),
            help="put the stricter entry first; the first entry that matches decides",
            related=(("the stricter entry", pattern.target),),
        )


def _loosened(earlier: ClassifyEntry, later: ClassifyEntry) -> str | None:
    """The attribute that ``earlier`` calls harmless and ``later`` does not."""
    if earlier.destructive is False and later.destructive is True:
        return "destructive"
    return "read_only" if earlier.read_only is True and later.read_only is False else None
