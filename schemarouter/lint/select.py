"""Which findings are wanted: ``--select``, ``--ignore`` and ``--pedantic``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import closest, shown
from schemarouter.errors import SchemaRouterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schemarouter.model.diagnostic import Severity


class UnknownSelectorError(SchemaRouterError, ValueError):
    """A selector fits no code. ``help`` says what to write instead."""

    def __init__(self, selector: str, help: str) -> None:  # noqa: A002 - the name that the rest of the package uses
        super().__init__(f"{shown(selector)} selects no code")
        self.selector = selector
        self.help = help

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.selector, self.help))


class Selection:
    """What to report. A selector is a code (``SR306``), the beginning of codes (``SR3``), or a name (``no-limit``).

    Everything is selected if nothing is. What is ignored is ignored even if selected. Infos are reported with
    ``pedantic``, or if selected by their full code or name. Raises :class:`UnknownSelectorError`.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        select: Iterable[str] = (),
        ignore: Iterable[str] = (),
        *,
        pedantic: bool = False,
    ) -> None:
        select = tuple(select)
        self._selected = _codes(names, select) if select else frozenset(names)
        self._ignored = _codes(names, ignore)
        self._infos = None if pedantic else frozenset(code for code in names if {code, names[code]} & set(select))

    def wants(self, code: str, severity: Severity) -> bool:
        """Whether findings of ``code`` are reported."""
        if code not in self._selected or code in self._ignored:
            return False
        return severity != "info" or self._infos is None or code in self._infos


def _codes(names: Mapping[str, str], selectors: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for selector in selectors:
        if selector.startswith("SR"):
            fitting = [code for code in names if code.startswith(selector)]
        else:
            fitting = [code for code, name in names.items() if name == selector]
        if not fitting:
            guess = closest(selector, [*names, *names.values()])
            advice = f"did you mean `{guess}`?" if guess else "`schemarouter rule` lists the codes"
            raise UnknownSelectorError(selector, advice)
        found.update(fitting)
    return frozenset(found)
