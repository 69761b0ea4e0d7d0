"""Which code runs a tool's operations, and for which contract it was bound."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

from schemarouter.contract.prepared import PreparedEndpoint
from schemarouter.errors import BindingDriftError
from schemarouter.model.call import ToolCall
from schemarouter.runtime.registry import InMemoryRegistry


class Binding(NamedTuple):
    """An invoker and the fingerprint of the contract that it was bound for. Never changed.

    ``call_aware``: the invoker has ``invoke_call(call)``, else it takes ``(endpoint_name, arguments)``.
    ``is_async``: calling it gives an awaitable, as far as can be told beforehand. ``transient``: exception classes
    of this invoker after which a retry makes sense. ``offload_sync``: run it on a thread, unless it is async.
    """

    tool_key: str
    fingerprint: str
    invoker: Any
    call_aware: bool
    is_async: bool
    transient: tuple[type[Exception], ...]
    offload_sync: bool

    def invoke(self, call: ToolCall) -> Any:
        """Run the invoker for ``call``, which it may keep and change. Returns a value or an awaitable of one."""
        if self.call_aware:
            return self.invoker.invoke_call(call)
        return self.invoker(call.endpoint, call.arguments)


class Bindings:
    """The invokers of one registry's tools. Safe to use from several threads."""

    def __init__(self, registry: InMemoryRegistry) -> None:
        self._registry = registry
        self._lock = threading.Lock()
        self._by_key: dict[str, Binding] = {}

    def bind(
        self,
        tool_key: str,
        invoker: Any,
        *,
        expected_fingerprint: str | None = None,
        transient: Iterable[type[Exception]] = (),
        offload_sync: bool = False,
    ) -> Binding:
        """Bind ``invoker`` to the tool as it is registered now, in place of an earlier one.

        Raises ``KeyError`` for an unknown tool, ``TypeError`` for what is no invoker or no exception class, and
        ``BindingDriftError`` if the registered contract is not the one of ``expected_fingerprint``.
        """
        target = getattr(invoker, "invoke_call", None)
        call_aware = callable(target)
        if not call_aware and not callable(invoker):
            raise TypeError(
                f"an invoker must be callable or have `invoke_call`; `{type(invoker).__name__}` has neither"
            )
        classes = tuple(transient)
        for kind in classes:
            if not (_is_exception_class(kind)):
                raise TypeError("`transient` takes exception classes")
        if type(offload_sync) is not bool:
            raise TypeError("`offload_sync` takes a boolean")
        is_async = is_async_callable(target if call_aware else invoker)
        with self._lock:
            fingerprint = self._registry.snapshot().tools[tool_key].fingerprint
            if expected_fingerprint is not None and expected_fingerprint != fingerprint:
                raise BindingDriftError(
                    f"the registry contract changed: `{tool_key}` is not the contract that this invoker expects; rebind"
                )
            binding = Binding(tool_key, fingerprint, invoker, call_aware, is_async, classes, offload_sync)
            self._by_key = {**self._by_key, tool_key: binding}
        return binding

    def unbind(self, tool_key: str) -> None:
        """Remove a binding; raise ``KeyError`` if there is none."""
        with self._lock:
            rest = dict(self._by_key)
            del rest[tool_key]
            self._by_key = rest

    def bound_keys(self) -> list[str]:
        """Return the keys of tools that have an invoker, in the order in which they were first bound."""
        return list(self._by_key)

    def get(self, tool_key: str) -> Binding | None:
        """Return the binding of a tool, whether it still fits or not, or ``None``."""
        return self._by_key.get(tool_key)

    def lookup(self, endpoint: PreparedEndpoint) -> Binding:
        """Return the binding of an operation's tool.

        Raises ``BindingDriftError`` if there is none, or if it was made for another contract.
        """
        binding = self._by_key.get(endpoint.tool_key)
        if binding is None:
            raise BindingDriftError(f"no invoker is bound to `{endpoint.tool_key}`")
        if binding.fingerprint != endpoint.tool_fingerprint:
            raise BindingDriftError(
                f"the registry contract changed after an invoker was bound to `{endpoint.tool_key}`: rebind it"
            )
        return binding


def _is_exception_class(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Exception)


def is_async_callable(function: Any) -> bool:
    """Whether calling ``function`` gives a coroutine: also through ``functools.partial`` and ``async __call__``."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.iscoroutinefunction(function):
        return True
    return not inspect.isroutine(function) and inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004 - the method itself is looked at
