"""An executor with a lock: what the lock does not know, and what is not what it was, is not called."""

from __future__ import annotations

import asyncio

import pytest

from schemarouter import (
    ExecutionHooks,
    ExecutionPolicy,
    InMemoryRegistry,
    PolicyRule,
    RegistryExecutor,
    SchemaDriftError,
    SchemaRouter,
    ToolCall,
)
from schemarouter.catalog.building import catalog_of
from schemarouter.catalog.lock import make_lock, write_lock
from schemarouter.errors import ApprovalDeniedError, CatalogError, PolicyError, PolicyViolationError
from schemarouter.loading import load_policy
from schemarouter.model.plan import ExecutionPlan
from schemarouter.model.stages import STAGES
from schemarouter.model.tool import EndpointSpec, ToolSpec
from schemarouter.runtime.reload import PolicyReloader

POLICY = 'version: 1\nrules: [{name: files, operation: "files.*", effect: allow}]\n'
LOADED = load_policy(POLICY)


def tool(*names, description="", **fields):
    endpoints = [EndpointSpec(name=name, read_only=True, description=description) for name in names or ("read",)]
    return ToolSpec(name="files", endpoints=endpoints, remote=True, **fields)


LOCK = make_lock(LOADED.graph, catalog_of([tool("read", "stat")]))


class Server:
    """A registry with one bound tool, under a lock."""

    def __init__(self, spec, policy=LOADED, lock=LOCK, **options):
        self.ran = []
        self.registry = InMemoryRegistry()
        self.executor = RegistryExecutor(self.registry, policy=policy, lock=lock, **options)
        self.publish(spec)

    def publish(self, spec):
        self.registry.register(spec, replace=True)
        self.executor.bind("files", lambda endpoint, arguments: self.ran.append(endpoint))

    def call(self, name="read"):
        endpoint = self.registry.endpoint("files", name)
        return ToolCall(
            tool="files",
            endpoint=name,
            schema_fingerprint=endpoint.fingerprint,
            tool_fingerprint=self.registry.get("files").fingerprint,
        )

    def run(self, name="read"):
        return asyncio.run(self.executor.execute_call(self.call(name)))


def test_what_is_locked_runs():
    server = Server(tool("read", "stat"))
    server.run()
    server.run("stat")
    server.executor.validate_call(server.call())
    assert server.ran == ["read", "stat"]


def test_a_new_operation_is_refused_and_the_others_still_run():
    server = Server(tool("read", "stat", "export"))
    with pytest.raises(PolicyViolationError, match=r"`files\.export` is denied: it is not in the lock"):
        server.run("export")
    with pytest.raises(PolicyViolationError, match="not in the lock"):
        server.executor.validate_call(server.call("export"))
    server.run("read")
    assert server.ran == ["read"]


@pytest.mark.parametrize(
    "changed",
    [
        tool("read", "stat", description="sends it elsewhere too"),
        tool("read", "stat", execution_metadata={"server": "https://elsewhere.example"}),
        tool("read", "stat").model_copy(update={"remote": False}),
    ],
)
def test_a_contract_that_changed_is_refused(changed):
    server = Server(changed)
    with pytest.raises(SchemaDriftError, match=r"tool contract changed since `files\.read` was locked"):
        server.run()
    assert server.ran == []


def test_metadata_is_no_contract():
    server = Server(tool("read", "stat", metadata={"title": "Files"}))
    server.run()
    assert server.ran == ["read"]


def test_without_a_lock_everything_is_as_before():
    server = Server(tool("export"), lock=None)
    server.run("export")
    assert server.ran == ["export"]
    assert server.executor.lock is None


def test_a_change_during_the_call_is_seen():
    """The tool is registered anew, with another contract, by the first before-hook: stage 8 looks again."""
    server = Server(
        tool("read", "stat"),
        hooks=ExecutionHooks(before_call=[lambda *_: server.publish(tool("read", description="other"))]),
    )
    with pytest.raises(SchemaDriftError):
        server.run()
    assert server.ran == []


def test_a_lock_that_is_replaced_during_the_call_stops_it():
    other = make_lock(LOADED.graph, catalog_of([tool("read")]))
    server = Server(
        tool("read", "stat"),
        hooks=ExecutionHooks(before_call=[lambda *_: setattr(server.executor, "lock", other)]),
    )
    with pytest.raises(ApprovalDeniedError, match="execution policy changed"):
        server.run()
    assert server.ran == []
    server.executor.hooks = None
    server.run()
    with pytest.raises(PolicyViolationError, match="not in the lock"):
        server.run("stat")


class AtStage:
    """Does something as a call enters a stage."""

    def __init__(self, stage, action):
        self.stage, self.action = stage, action

    def entered(self, index, frame):
        if frame.stage == self.stage:
            self.action()

    def ended(self, index, frame, error):
        pass


@pytest.mark.parametrize("stage", [stage.name for stage in STAGES])
def test_a_lock_that_is_replaced_at_any_stage_fails_closed(stage):
    """Before the attempts nothing ran; behind them the result is withheld."""
    server = Server(tool("read", "stat"))
    other = make_lock(LOADED.graph, catalog_of([tool("stat")]))
    plan = ExecutionPlan(query="", registry_version=server.registry.version, calls=[server.call()])
    observer = AtStage(stage, lambda: setattr(server.executor, "lock", other))
    with pytest.raises(ApprovalDeniedError) as caught:
        asyncio.run(server.executor.execute(plan, observer=observer))
    order = [each.name for each in STAGES]
    reached = order.index(stage) >= order.index("attempts")
    assert server.ran == (["read"] if reached else [])
    assert caught.value.completed == ()


def test_an_equal_lock_is_the_same_lock():
    again = make_lock(LOADED.graph, catalog_of([tool("stat", "read")]))
    server = Server(
        tool("read", "stat"),
        hooks=ExecutionHooks(before_call=[lambda *_: setattr(server.executor, "lock", again)]),
    )
    server.run()
    assert server.ran == ["read"]


def test_a_lock_of_another_policy_is_refused():
    other = load_policy(POLICY.replace("files.*", "files.r*"))
    with pytest.raises(CatalogError, match="the lock was written for the policy") as caught:
        Server(tool(), policy=other)
    assert "schemarouter check --lock" in caught.value.help
    server = Server(tool("read", "stat"))
    with pytest.raises(PolicyError):
        server.executor.policy = other
    with pytest.raises(CatalogError):
        server.executor.replace_policy(other, expected=LOADED)
    with pytest.raises(CatalogError):
        server.executor.govern_by(other, lock=LOCK)
    assert server.executor.policy is LOADED
    assert server.executor.lock == LOCK
    server.executor.govern_by(other, lock=make_lock(other.graph, catalog_of([tool("read", "stat")])))
    server.run()
    assert server.executor.policy is other


def test_a_lock_from_a_file(tmp_path):
    path = tmp_path / "policy.lock"
    path.write_bytes(write_lock(LOCK))
    for given in (path, str(path)):
        assert Server(tool("read", "stat"), lock=given).executor.lock == LOCK
        assert SchemaRouter(policy=LOADED, lock=given).executor.lock == LOCK
    (tmp_path / "policy.yaml").write_text(POLICY)
    router = SchemaRouter.from_policy(tmp_path / "policy.yaml", lock=path)
    assert router.executor.lock == LOCK
    path.write_bytes(write_lock(LOCK)[:-9])
    with pytest.raises(CatalogError, match="the lock is no JSON"):
        SchemaRouter(policy=LOADED, lock=path)
    with pytest.raises(CatalogError, match="cannot be read"):
        SchemaRouter(policy=LOADED, lock=tmp_path / "missing.lock")
    with pytest.raises(TypeError, match="lock must be a Lock or the path of one"):
        SchemaRouter(policy=LOADED, lock=7)


def test_a_policy_in_code_can_be_locked():
    policy = ExecutionPolicy(rules=(PolicyRule(effect="allow", operation="files.*"),))
    server = Server(tool("read"), policy=policy, lock=make_lock(policy.graph, catalog_of([tool("read")])))
    server.run()
    assert server.ran == ["read"]


def test_callback_and_hooks_can_still_be_assigned():
    server = Server(tool("read", "stat"))
    server.executor.approval_callback = lambda *_: True
    server.executor.hooks = ExecutionHooks()
    assert server.executor.lock == LOCK
    server.executor.lock = None
    assert server.executor.lock is None


def test_a_plan_through_the_router_is_held_to_the_lock(tmp_path):
    router = SchemaRouter(policy=LOADED, lock=LOCK)
    ran = []
    router.add_bound_tool(tool("read", "stat"), lambda endpoint, arguments: ran.append(endpoint))
    asyncio.run(router.execute(router.plan("files read")))
    assert ran
    router.add_bound_tool(tool("export"), lambda endpoint, arguments: ran.append(endpoint), replace=True)
    ran.clear()
    with pytest.raises(PolicyViolationError, match="not in the lock"):
        asyncio.run(router.execute(router.plan("files export")))
    assert ran == []


def test_a_reload_does_not_get_round_the_lock(tmp_path):
    """A policy that only narrows would be taken in; but the lock is of the old one."""
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY)
    server = Server(tool("read", "stat"))
    path.write_text(POLICY.replace("effect: allow", "effect: deny"))
    reload = PolicyReloader(server.executor, path, settle_seconds=0).poll()
    assert (reload.status, type(reload.error)) == ("refused", CatalogError)
    assert server.executor.policy is LOADED
    server.run()
