"""The codes that reading a policy file can end in: what each is called and how severe it is. Standard library only.

Codes are never reused. Lint rules bring their own codes; whoever turns problems into findings passes a table of this
shape for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemarouter.model.diagnostic import Severity


class Code(NamedTuple):
    """What a code is called, and how severe a finding with it is."""

    name: str
    severity: Severity


READER_CODES: Mapping[str, Code] = {
    "SR001": Code("syntax-error", "error"),
    "SR002": Code("duplicate-key", "error"),
    "SR003": Code("unquoted-wildcard", "error"),
    "SR004": Code("alias-or-anchor", "warning"),
    "SR005": Code("merge-key", "error"),
    "SR006": Code("ambiguous-scalar", "error"),
    "SR007": Code("multiple-documents", "error"),
    "SR008": Code("custom-tag", "error"),
    "SR009": Code("hidden-character", "error"),
    "SR010": Code("limit-exceeded", "error"),
    "SR101": Code("unknown-key", "error"),
    "SR102": Code("missing-key", "error"),
    "SR103": Code("wrong-type", "error"),
    "SR104": Code("unsupported-version", "error"),
    "SR105": Code("unknown-value", "error"),
    "SR106": Code("duplicate-rule-name", "error"),
    "SR109": Code("failed-example", "error"),
    "SR110": Code("invalid-value", "error"),
    "SR205": Code("impossible-predicates", "error"),
}
