"""The registry: collisions, versions, detached copies, threads."""

from __future__ import annotations

import threading

import pytest

from schemarouter import EndpointSpec, InMemoryRegistry, RegistrationError, ToolSpec


def tool(key: str, *endpoints: str, **fields: object) -> ToolSpec:
    return ToolSpec(name=key, endpoints=[EndpointSpec(name=name) for name in endpoints or ("run",)], **fields)


def test_register_get_and_version() -> None:
    registry = InMemoryRegistry()
    assert (registry.version, registry.keys(), registry.tools()) == (0, [], [])
    assert registry.register(tool("a", "x", "y")) == "a"
    assert registry.register(ToolSpec(namespace="n", name="b", endpoints=[EndpointSpec(name="z")])) == "n.b"
    assert registry.version == 2
    assert registry.keys() == ["a", "n.b"]
    assert registry.get("a") == tool("a", "x", "y")
    assert registry.endpoint("n.b", "z") == EndpointSpec(name="z")
    assert [each.key for each in registry.tools()] == ["a", "n.b"]
    for key, name in (("b", "z"), ("a", "z")):
        with pytest.raises(KeyError):
            registry.endpoint(key, name)
        with pytest.raises(KeyError):
            registry.prepared(key, name)
    with pytest.raises(KeyError):
        registry.get("b")


def test_copies_are_detached() -> None:
    registry = InMemoryRegistry()
    original = tool("a")
    registry.register(original)
    for copy in (original, registry.get("a"), registry.tools()[0]):
        copy.remote = True
        copy.endpoints.append(EndpointSpec(name="more"))
    registry.endpoint("a", "run").input_schema["type"] = "object"
    assert registry.get("a") == tool("a")
    assert registry.prepared("a", "run") is registry.prepared("a", "run")


def test_replacing_and_removing() -> None:
    registry = InMemoryRegistry()
    registry.register(tool("a"))
    with pytest.raises(RegistrationError, match="already registered"):
        registry.register(tool("a", "other"))
    assert registry.version == 1
    registry.register(tool("a", "other"), replace=True)
    assert registry.version == 2
    assert [endpoint.name for endpoint in registry.get("a").endpoints] == ["other"]
    registry.register(tool("b"), replace=True)
    registry.unregister("a")
    assert registry.version == 4
    assert registry.keys() == ["b"]
    with pytest.raises(KeyError):
        registry.unregister("a")
    assert registry.version == 4
    registry.register(tool("a"))


COLLISIONS = [
    pytest.param(("a.b", "c"), ("a", "b.c"), id="the same operation"),
    pytest.param(("corp", "db.read"), ("corp.db", "write"), id="an operation inside another tool"),
    pytest.param(("corp", "db"), ("corp.db", "read"), id="an operation that is another tool's key"),
    pytest.param(("corp", "db.read.all"), ("corp.db.read", "x"), id="deeper"),
]


@pytest.mark.parametrize(("first", "second"), COLLISIONS)
@pytest.mark.parametrize("swapped", [False, True])
def test_names_that_run_into_each_other(first: tuple[str, str], second: tuple[str, str], swapped: bool) -> None:
    registry = InMemoryRegistry()
    order = (second, first) if swapped else (first, second)
    registry.register(tool(*order[0]))
    for replace in (False, True):
        with pytest.raises(RegistrationError):
            registry.register(tool(*order[1]), replace=replace)
    assert registry.keys() == [order[0][0]]
    assert registry.version == 1
    registry.unregister(order[0][0])
    registry.register(tool(*order[1]))


def test_like_beginnings_are_no_collision() -> None:
    registry = InMemoryRegistry()
    for key, endpoint in (("a.b", "c"), ("a.bc", "c"), ("a.b2", "c"), ("ab", "c"), ("A.b", "c"), ("x", "a.b.c")):
        registry.register(tool(key, endpoint))
    registry.register(tool("y", "run", "run.fast", "run.fast.now"))
    assert len(registry.keys()) == 7


def test_replacing_looks_at_the_others_only() -> None:
    registry = InMemoryRegistry()
    registry.register(tool("a", "b.c"))
    registry.register(tool("a", "b.c", "b.d"), replace=True)
    with pytest.raises(RegistrationError):
        registry.register(tool("a.b", "x"))
    registry.register(tool("a", "x"), replace=True)
    registry.register(tool("z", "x"))
    registry.register(tool("p.q", "y"))
    with pytest.raises(RegistrationError):
        registry.register(tool("a.x", "y"))
    with pytest.raises(RegistrationError):
        registry.register(tool("p", "q.z"), replace=True)
    registry.unregister("p.q")
    registry.register(tool("p", "q.z"), replace=True)


def test_invalid_contracts_change_nothing() -> None:
    registry = InMemoryRegistry()
    bad = ToolSpec(name="a", endpoints=[EndpointSpec(name="e", input_schema={"type": "nothing"})])
    with pytest.raises(RegistrationError):
        registry.register(bad)
    assert (registry.version, registry.keys()) == (0, [])
    registry.register(tool("a.e", "x"))


@pytest.mark.timeout(60)
def test_look_ups_and_registration_do_not_slow_down_with_size() -> None:
    registry = InMemoryRegistry()
    for number in range(3000):
        registry.register(ToolSpec(namespace="big", name=f"t{number}", endpoints=[EndpointSpec(name="run")]))
    for _ in range(20_000):
        registry.prepared("big.t2999", "run")


def test_threads_see_whole_states() -> None:
    """Eight writers race for keys that collide, while readers look; no state is half of one."""
    registry = InMemoryRegistry()
    wins: list[str] = []
    stop = threading.Event()
    broken: list[object] = []

    def write(number: int) -> None:
        for round_ in range(20):
            key, endpoint = (("k", f"{round_}.x"), (f"k.{round_}", "x"))[number % 2]
            try:
                wins.append(registry.register(tool(key, endpoint), replace=True))
            except RegistrationError:
                continue

    def read() -> None:
        while not stop.is_set():
            version, tools = registry.snapshot()
            operations = [each.operation for one in tools.values() for each in one.endpoints.values()]
            if len(set(operations)) != len(operations) or (version == 0) != (not tools):
                broken.append(operations)
            if any(
                operation == key or operation.startswith(f"{key}.")
                for key in tools
                for operation in operations
                if not any(operation == f"{key}.{name}" for name in tools[key].endpoints)
            ):
                broken.append((list(tools), operations))

    writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert broken == []
    assert registry.version == len(wins) > 0
