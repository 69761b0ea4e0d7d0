"""Which codes exist, and the rules behind them: found by looking into ``lint/rules``, works from a zip as well."""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from schemarouter.analysis.changes import CHANGE_CODES
from schemarouter.document.codes import READER_CODES, Code
from schemarouter.lint import rules as _rules
from schemarouter.lint.rule import Rule
from schemarouter.lint.suppress import SUPPRESSION_CODES

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Codes of a diff that say that authority is given, by which it fails unless told otherwise.
WIDENING = frozenset({"SR801", "SR803", "SR805", "SR806", "SR807", "SR808"})

#: Codes of the reader that a lint rule reports as well, where it takes the analysis to see it.
ANALYSED = frozenset({"SR205"})

#: Codes that something else than a lint rule reports; their modules are documentation only and not imported to check.
DOCUMENTED_ONLY: Mapping[str, Code] = MappingProxyType(
    {
        **{code: entry for code, entry in READER_CODES.items() if code not in ANALYSED},
        **SUPPRESSION_CODES,
        **{code: Code(name, "error" if code in WIDENING else "info") for code, name in CHANGE_CODES.items()},
    }
)

_MODULE = re.compile(r"(sr\d{3})_([a-z0-9_]+)")


@cache
def modules() -> Mapping[str, str]:
    """Code -> module, for every code that is documented, in order; nothing is imported."""
    found = {}
    for module in pkgutil.iter_modules(_rules.__path__):
        match = _MODULE.fullmatch(module.name)
        if match:
            found[match[1].upper()] = f"{_rules.__name__}.{module.name}"
    return MappingProxyType(dict(sorted(found.items())))


@cache
def names() -> Mapping[str, str]:
    """Code -> name, for every code that is documented, in order; nothing is imported."""
    return MappingProxyType(
        {code: module.rpartition(".")[2].partition("_")[2].replace("_", "-") for code, module in modules().items()}
    )


@cache
def rules() -> tuple[Rule, ...]:
    """Every lint rule, in the order of the codes. Imports the rules' modules, and no others.

    A module without a rule is a mistake of this package: ``TypeError``.
    """
    found = []
    for code, name in modules().items():
        if code in DOCUMENTED_ONLY:
            continue
        candidates = [value for value in vars(import_module(name)).values() if isinstance(value, Rule)]
        if len(candidates) != 1:
            raise TypeError(f"{name} defines {len(candidates)} rules instead of one")
        found.append(candidates[0])
    return tuple(found)


@cache
def codes() -> Mapping[str, Code]:
    """Code -> name and severity, of the reader, the suppressions and the rules."""
    return MappingProxyType({**DOCUMENTED_ONLY, **{rule.code: Code(rule.name, rule.severity) for rule in rules()}})
