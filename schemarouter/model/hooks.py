"""Trusted local hooks around a call (SPEC 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


class ExecutionHooks:
    """Ordered callables around every call: ``before(tool, endpoint, call)`` and ``after(tool, endpoint, call, result)``.

    Sync or async; each is awaited before the next starts. They observe, or veto by raising; they must return ``None``.
    They receive arguments and results: do not register callables that are not trusted with those. Immutable.

    Raises ``TypeError`` for what is not callable.
    """

    __slots__ = ("after_call", "before_call")
    before_call: tuple[Callable[..., Any], ...]
    after_call: tuple[Callable[..., Any], ...]

    def __init__(
        self, *, before_call: Iterable[Callable[..., Any]] = (), after_call: Iterable[Callable[..., Any]] = ()
    ) -> None:
        put = object.__setattr__
        put(self, "before_call", _callables("before_call", before_call))
        put(self, "after_call", _callables("after_call", after_call))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"`{name}` cannot be set: hooks are immutable")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExecutionHooks):
            return NotImplemented
        return self.before_call == other.before_call and self.after_call == other.after_call

    def __hash__(self) -> int:
        return hash((self.before_call, self.after_call))

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.before_call, self.after_call))

    def __repr__(self) -> str:
        return f"ExecutionHooks(before_call={list(self.before_call)!r}, after_call={list(self.after_call)!r})"


def _rebuild(before: tuple[Callable[..., Any], ...], after: tuple[Callable[..., Any], ...]) -> ExecutionHooks:
    return ExecutionHooks(before_call=before, after_call=after)


def _callables(name: str, hooks: object) -> tuple[Callable[..., Any], ...]:
    if not isinstance(hooks, Iterable):
        given = "one callable" if callable(hooks) else f"`{type(hooks).__name__}`"
        raise TypeError(f"{name} hooks must be a list of callables, not {given}")
    found = tuple(hooks)
    for hook in found:
        if not callable(hook):
            raise TypeError(f"{name} hooks must be callable, not `{type(hook).__name__}`")
    return found
