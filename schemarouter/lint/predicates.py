"""Questions about predicates that several rules ask. Static: what the file says, not what the graph decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.patterns import covers_everything

if TYPE_CHECKING:
    from schemarouter.document.v1 import Rule, When


def is_unrestricted(when: When | None) -> bool:
    """Whether ``when`` narrows nothing: it is absent or empty."""
    return when is None or (
        when.remote is None
        and when.read_only is None
        and when.destructive is None
        and when.unclassified is None
        and not when.arguments
    )


def can_match(
    when: When | None, *, remote: bool | None = None, read_only: bool | None = None, destructive: bool | None = None
) -> bool:
    """Whether the predicates leave room for calls with the given attributes; ``None`` stands for any value."""
    if when is None:
        return True
    if read_only is not None and when.unclassified is True:
        return False
    pairs = ((when.remote, remote), (when.read_only, read_only), (when.destructive, destructive))
    return all(wanted is None or given is None or wanted is given for wanted, given in pairs)


def can_match_unclassified(when: When | None) -> bool:
    """Whether the predicates leave room for remote calls that nobody classified."""
    return when is None or (when.read_only is None and when.unclassified is not False and when.remote is not False)


def operations(rule: Rule) -> tuple[str, ...]:
    """The patterns of ``rule``."""
    return (rule.operation,) if isinstance(rule.operation, str) else tuple(rule.operation)


def denies_everything(rule: Rule) -> bool:
    """Whether ``rule`` denies every call, whatever the operation, its attributes and its arguments."""
    return (
        rule.effect == "deny"
        and is_unrestricted(rule.when)
        and any(covers_everything(pattern) for pattern in operations(rule))
    )
