"""Bindings: made for one contract, stale afterwards."""

from __future__ import annotations

import functools
import threading

import pytest

from schemarouter import BindingDriftError, EndpointSpec, InMemoryRegistry, ToolCall, ToolSpec
from schemarouter.runtime.bindings import Bindings, is_async_callable


def spec(**fields: object) -> ToolSpec:
    return ToolSpec(name="t", endpoints=[EndpointSpec(name="e")], **fields)


@pytest.fixture
def registry() -> InMemoryRegistry:
    registry = InMemoryRegistry()
    registry.register(spec())
    return registry


class Aware:
    def invoke_call(self, call: ToolCall) -> object:
        return ("call", call.endpoint, call.arguments)


class AsyncAware:
    async def invoke_call(self, call: ToolCall) -> object:
        return call


class AsyncCallable:
    async def __call__(self, endpoint: str, arguments: dict[str, object]) -> object:
        return endpoint


async def coroutine(endpoint: str, arguments: dict[str, object]) -> object:
    return endpoint


def plain(endpoint: str, arguments: dict[str, object]) -> object:
    return (endpoint, arguments)


CALL = ToolCall(tool="t", endpoint="e", arguments={"a": 1}, schema_fingerprint="f")


def test_invokers_of_both_kinds(registry: InMemoryRegistry) -> None:
    bindings = Bindings(registry)
    endpoint = registry.prepared("t", "e")
    bindings.bind("t", plain)
    assert bindings.lookup(endpoint).invoke(CALL) == ("e", {"a": 1})
    bindings.bind("t", Aware(), transient=[OSError], offload_sync=True)
    binding = bindings.lookup(endpoint)
    assert binding.invoke(CALL) == ("call", "e", {"a": 1})
    assert (binding.transient, binding.offload_sync, binding.call_aware, binding.is_async) == (
        (OSError,),
        True,
        True,
        False,
    )
    assert bindings.bound_keys() == ["t"]
    bindings.unbind("t")
    assert bindings.bound_keys() == []
    with pytest.raises(BindingDriftError, match="no invoker is bound to `t`"):
        bindings.lookup(endpoint)
    with pytest.raises(KeyError):
        bindings.unbind("t")


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (coroutine, True),
        (functools.partial(functools.partial(coroutine, "e")), True),
        (AsyncCallable(), True),
        (functools.partial(AsyncCallable()), True),
        (AsyncAware().invoke_call, True),
        (plain, False),
        (Aware().invoke_call, False),
        (print, False),
        (lambda: None, False),
    ],
)
def test_async_is_seen_through_wrappers(function: object, expected: bool) -> None:
    assert is_async_callable(function) is expected


def test_async_objects(registry: InMemoryRegistry) -> None:
    assert Bindings(registry).bind("t", AsyncAware()).is_async
    assert Bindings(registry).bind("t", AsyncCallable()).is_async


@pytest.mark.parametrize(
    ("invoker", "options", "error"),
    [
        (5, {}, TypeError),
        (None, {}, TypeError),
        (plain, {"transient": [5]}, TypeError),
        (plain, {"transient": [KeyboardInterrupt]}, TypeError),
        (plain, {"offload_sync": 1}, TypeError),
    ],
)
def test_bad_bindings(
    registry: InMemoryRegistry, invoker: object, options: dict[str, object], error: type[Exception]
) -> None:
    bindings = Bindings(registry)
    with pytest.raises(error):
        bindings.bind("t", invoker, **options)
    assert bindings.bound_keys() == []


def test_unknown_tool_and_expected_fingerprint(registry: InMemoryRegistry) -> None:
    bindings = Bindings(registry)
    with pytest.raises(KeyError):
        bindings.bind("u", plain)
    bindings.bind("t", plain, expected_fingerprint=spec().fingerprint)
    with pytest.raises(BindingDriftError, match=r"registry contract changed.*rebind"):
        bindings.bind("t", Aware(), expected_fingerprint=spec(remote=True).fingerprint)
    assert bindings.lookup(registry.prepared("t", "e")).invoker is plain


def test_a_changed_contract_makes_a_binding_stale(registry: InMemoryRegistry) -> None:
    bindings = Bindings(registry)
    bindings.bind("t", plain)
    registry.register(spec(metadata={"only": "described"}), replace=True)
    assert bindings.lookup(registry.prepared("t", "e")).invoker is plain
    registry.register(spec(remote=True), replace=True)
    with pytest.raises(BindingDriftError, match=r"registry contract changed.*rebind"):
        bindings.lookup(registry.prepared("t", "e"))
    bindings.bind("t", plain)
    assert bindings.lookup(registry.prepared("t", "e")).invoker is plain


def test_binding_from_many_threads() -> None:
    registry = InMemoryRegistry()
    keys = [registry.register(ToolSpec(name=f"t{n}", endpoints=[EndpointSpec(name="e")])) for n in range(64)]
    bindings = Bindings(registry)
    threads = [threading.Thread(target=bindings.bind, args=(key, plain)) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(bindings.bound_keys()) == sorted(keys)
