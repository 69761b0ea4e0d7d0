"""Which rules of one policy its tests are decided by: what lint code SR701 asks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.reading import read_bounded
from schemarouter.testkit.collect import Collection, legible_path

if TYPE_CHECKING:
    from schemarouter.model.diagnostic import Finding


class Tested(NamedTuple):
    """``rules`` are the indices of the rules that decide a test; ``None`` if the policy or its tests cannot be used.

    ``findings`` and ``texts`` are those of the files of tests.
    """

    rules: frozenset[int] | None
    findings: tuple[Finding, ...]
    texts: dict[str, str]


def tested_rules(path: str, raw: bytes) -> Tested:
    """Run the tests beside the policy ``path``, of which ``raw`` is the text, and the examples of its rules.

    Raises :class:`~schemarouter.testkit.collect.CollectionError` if a file of tests cannot be read.
    """
    own = os.path.realpath(path)

    def read(name: str, limit: int) -> bytes:
        return raw if os.path.realpath(name) == own else read_bounded(name, limit)

    collection = Collection(read)
    collection.add(path)
    shown = legible_path(path)
    findings = tuple(finding for finding in collection.findings if finding.path != shown)
    texts = {name: text for name, text in collection.texts.items() if name != shown}
    policy = next((policy for policy in collection.policies if policy.path == shown), None)
    if policy is None:
        return Tested(None, findings, texts)
    rows = policy.suite.run().coverage.rules
    return Tested(frozenset(row.number for row in rows if row.covered), findings, texts)
