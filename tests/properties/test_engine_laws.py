"""Laws of the execution boundary, by their names, and the model of SPEC 3 to 7."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle.run_model import Call, Setting, run_plan
from schemarouter.compiler.policy import ExecutionPolicy
from schemarouter.engine.budget import Limits, MemoryLedger
from schemarouter.engine.drivers import asynchronous, sync
from schemarouter.engine.drivers.world import World
from schemarouter.engine.frame import Authority, Frame, Run, View
from schemarouter.engine.retry import Retry
from schemarouter.errors import ExecutionBudgetExceededError, SchemaRouterError, TransientInvocationError
from schemarouter.model.call import ToolCall
from schemarouter.model.hooks import ExecutionHooks
from schemarouter.model.limits import ExecutionBudget, RetryPolicy
from schemarouter.model.plan import ExecutionPlan
from schemarouter.model.tool import EndpointSpec, ToolSpec
from schemarouter.runtime.bindings import Bindings
from schemarouter.runtime.executor import RegistryExecutor
from schemarouter.runtime.registry import InMemoryRegistry

letters = st.sampled_from("oooooxw")
seconds = st.sampled_from([0, 0, 0, 1, 3])
behaviours = st.tuples(letters, seconds)
attempts = st.tuples(st.sampled_from("oooottttxwb"), seconds)
TOOLS = [
    ToolSpec(
        name=f"{'r' if remote else 'l'}{name}",
        remote=remote,
        endpoints=[EndpointSpec(name="act", read_only=read_only, output_schema={"type": "integer"})],
    )
    for remote in (False, True)
    for name, read_only in (("yes", True), ("no", False), ("none", None))
]
REGISTRY = InMemoryRegistry()
for tool in TOOLS:
    REGISTRY.register(tool)
CALLS = {
    tool.key: ToolCall(
        tool=tool.key,
        endpoint="act",
        schema_fingerprint=tool.endpoints[0].fingerprint,
        tool_fingerprint=tool.fingerprint,
    )
    for tool in TOOLS
}


@st.composite
def model_calls(draw: st.DrawFn) -> Call:
    tool = draw(st.sampled_from(TOOLS))
    hooks = st.lists(behaviours, max_size=2).map(tuple)
    tries = st.lists(attempts, min_size=3, max_size=3).map(tuple)
    read_only = tool.endpoints[0].read_only
    return Call(tool.key, tool.remote, read_only, draw(behaviours), draw(hooks), draw(tries), draw(hooks))


limit = st.none() | st.integers(0, 4)
weights = st.dictionaries(st.sampled_from(["*", "lyes", "ryes.act", "rnone"]), st.sampled_from(["0.1", "0.7", "2"]))
settings_of_a_run = st.builds(
    Setting,
    allow_mutations=st.sampled_from([True, True, False]),
    allow_unclassified_remote=st.sampled_from([True, True, False]),
    mode=st.sampled_from(["never", "non_read_only", "all"]),
    max_tool_calls=limit,
    max_attempts=limit,
    max_remote_attempts=limit,
    max_cost=st.none() | st.sampled_from([Fraction(3, 10), Fraction(2)]),
    per_tool=st.dictionaries(st.sampled_from(list(CALLS)), st.integers(0, 2), max_size=2),
    weights=weights.map(lambda found: {key: Fraction(text) for key, text in found.items()}),
    seconds=st.none() | st.integers(1, 9),
    tries=st.integers(1, 3),
    retry_all=st.booleans(),
    backoff=st.integers(0, 2),
)


class Played:
    """The real engine in the model's world. ``code`` says whether user code is async."""

    def __init__(self, plan: list[Call], setting: Setting, driver: str, code: str) -> None:
        self.now = 0.0
        self.log: list[str] = []
        self.ledger = MemoryLedger()
        self.code = code
        self.done = 0
        self.error: Exception | None = None
        bindings = Bindings(REGISTRY)
        policy = ExecutionPolicy(
            allow_mutations=setting.allow_mutations,
            allow_unclassified_remote=setting.allow_unclassified_remote,
            approval_mode=setting.mode,
        )
        budget = ExecutionBudget(
            max_tool_calls=setting.max_tool_calls,
            max_attempts=setting.max_attempts,
            max_remote_attempts=setting.max_remote_attempts,
            max_cost_units=None if setting.max_cost is None else float(setting.max_cost),
            per_tool_calls=setting.per_tool,
            cost_units={key: float(weight) for key, weight in setting.weights.items()},
            max_elapsed_seconds=None if setting.seconds is None else float(setting.seconds),
        )
        retry = Retry(setting.tries, setting.backoff, 2.0, None, setting.retry_all)
        first: Run | None = None
        for call in plan:
            pending = iter(call.attempts)
            bindings.bind(call.tool, self.user("invoke", lambda pending=pending: next(pending), 1))
            # The graph decides and is the same for the whole run; only the scripted code differs from call to call.
            authority = Authority(
                policy.graph,
                self.user("approve", lambda call=call: call.approval, True),
                tuple(self.user("before", lambda hook=hook: hook, None) for hook in call.before),
                tuple(self.user("after", lambda hook=hook: hook, None) for hook in call.after),
            )
            run = Run(authority, Limits.of(budget), retry, self.ledger)
            if first is not None and first.deadline is not None:
                run.start_clock(first.deadline - setting.seconds)
            first = first or run
            frame = Frame(CALLS[call.tool], run)
            try:
                self.drive(frame, World(self.looking(bindings, authority), self.clock, self.sleep), driver)
            except Exception as error:  # noqa: BLE001 - whatever it is, the model must have foretold it
                self.error = error
                return
            self.done += 1

    def looking(self, bindings: Bindings, authority: Authority) -> Any:
        return lambda tool, endpoint: View(REGISTRY.prepared(tool, endpoint), bindings.get(tool), authority)

    def clock(self) -> float:
        return self.now

    def sleep(self, wait: float) -> None:
        self.now += wait

    def drive(self, frame: Frame, world: World, driver: str) -> None:
        if driver == "sync":
            sync.drive(frame, world)
            return
        try:
            real, asynchronous.asyncio.sleep = asyncio.sleep, self.asleep  # type: ignore[attr-defined]
            coroutine = asynchronous.drive(frame, world)
            asyncio.run(coroutine)
        finally:
            asynchronous.asyncio.sleep = real  # type: ignore[attr-defined]

    async def asleep(self, wait: float, _: None) -> None:
        self.now += wait

    def user(self, name: str, behaviour: Any, good: Any) -> Any:
        def act(*_: Any) -> Any:
            letter, takes = behaviour()
            self.log.append(name)
            self.now += takes
            if letter == "x":
                raise KeyError(name)
            if letter == "t":
                raise TransientInvocationError(name)
            return good if letter == "o" else "wrong"

        async def act_async(*_: Any) -> Any:
            return act()

        return act_async if self.code == "async" else act


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(model_calls(), min_size=1, max_size=5), settings_of_a_run)
def test_the_engine_does_what_the_model_says_under_every_driver(plan: list[Call], setting: Setting) -> None:
    world, done, stop = run_plan(plan, setting)
    for driver, code in (("sync", "sync"), ("async", "sync"), ("async", "async")):
        played = Played(plan, setting, driver, code)
        assert played.log == world.log
        assert played.done == done
        assert played.now == world.now
        used = {counter: amount for counter, amount in played.ledger.used.items() if amount}
        foretold = {counter: amount for counter, amount in world.used.items() if amount}
        if not setting.weights and setting.max_cost is None:
            foretold.pop("cost", None)
        assert used == foretold
        if stop is None:
            assert played.error is None
        else:
            assert type(played.error).__name__ == stop.kind
            assert stop.during in str(played.error)


LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "max_tool_calls": st.integers(0, 70),
        "max_attempts": st.integers(0, 90),
        "max_remote_attempts": st.integers(0, 90),
        "max_cost_units": st.sampled_from([0.3, 2.0, 6.1]),
    },
)


@settings(max_examples=25, deadline=None)
@given(LIMITS, st.randoms(use_true_random=False))
def test_counters_never_exceed_limits_under_64_parallel_calls(limits: dict[str, Any], random: Any) -> None:
    """Random failures, retries and interleavings: what really ran never exceeds what was allowed."""
    ran = 0
    executor = RegistryExecutor(REGISTRY, policy=ExecutionPolicy(allow_unclassified_remote=True))

    async def invoker(endpoint: str, arguments: dict[str, Any]) -> int:
        nonlocal ran
        ran += 1
        for _ in range(random.randrange(3)):
            await asyncio.sleep(0)
        if random.random() < 0.4:
            raise TransientInvocationError("x")
        if random.random() < 0.1:
            raise KeyError("x")
        return 1

    executor.bind("ryes", invoker)
    budget = ExecutionBudget(**limits, cost_units={"*": 0.1})
    run = executor.start_run(budget=budget, retry=RetryPolicy(max_attempts=3))

    async def main() -> list[Any]:
        frames = [Frame(CALLS["ryes"], run) for _ in range(64)]
        world = World(
            lambda tool, endpoint: View(REGISTRY.prepared(tool, endpoint), executor._bindings.get(tool), run.authority),
            lambda: 0.0,
        )
        return await asyncio.gather(*(asynchronous.drive(frame, world) for frame in frames), return_exceptions=True)

    outcomes = asyncio.run(main())
    used = run.ledger.used  # type: ignore[attr-defined]
    assert used.get("attempts", 0) == used.get("remote attempts", 0) == ran
    assert ran <= min(limits.get("max_attempts", 192), limits.get("max_remote_attempts", 192))
    assert used.get("calls", 0) <= limits.get("max_tool_calls", 64)
    assert used.get("cost", 0) == ran * Decimal("0.1")
    assert used.get("cost", 0) <= Decimal(str(limits.get("max_cost_units", 100)))
    kinds = {type(outcome) for outcome in outcomes} - {type(None)}
    assert kinds <= {TransientInvocationError, KeyError, ExecutionBudgetExceededError}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def spoil(value: Any) -> None:
    """Change everything that can be changed in a value."""
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value.clear()
        value["spoilt"] = True
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value[:] = ["spoilt"]


@settings(max_examples=100, deadline=None)
@given(json_values, json_values)
def test_what_was_approved_is_what_runs(argument: Any, output: Any) -> None:
    """Mutation of any object in the hands of caller, hooks or invoker changes nothing."""
    spec = ToolSpec(name="any", endpoints=[EndpointSpec(name="act", read_only=True, input_schema={"type": "object"})])
    registry = InMemoryRegistry()
    registry.register(spec)
    seen: list[Any] = []
    held: list[Any] = []

    def invoker(endpoint: str, arguments: dict[str, Any]) -> Any:
        seen.append(repr(arguments))
        spoil(arguments)
        if len(seen) < 5:
            raise TransientInvocationError("x")
        held.append([output])
        return held[0]

    def hook(tool: ToolSpec, endpoint: EndpointSpec, call: ToolCall, *results: Any) -> None:
        seen.append(repr(call.arguments))
        spoil(call.arguments)
        spoil(given_call.arguments)
        spoil(spec.endpoints[0].input_schema)
        spoil(endpoint.input_schema)
        for result in results:
            seen.append(repr(result.data))
            spoil(result.data)
            spoil(held[0])

    executor = RegistryExecutor(registry, hooks=ExecutionHooks(before_call=[hook, hook], after_call=[hook, hook]))
    executor.bind("any", invoker)
    arguments = {"value": argument}
    wanted, wanted_data = repr(arguments), repr([output])
    given_call = ToolCall(
        tool="any", endpoint="act", arguments=arguments, schema_fingerprint=spec.endpoints[0].fingerprint
    )
    plan = ExecutionPlan(query="q", registry_version=1, calls=[given_call])
    (result,) = asyncio.run(executor.execute(plan, retry=RetryPolicy(max_attempts=3)))
    assert repr(result.data) == wanted_data
    assert seen == [*[wanted] * 5, *[wanted, wanted_data] * 2]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TOOLS), st.booleans(), st.booleans(), st.booleans())
def test_denied_call_runs_nothing(tool: ToolSpec, mutations: bool, unclassified: bool, is_async: bool) -> None:
    ran: list[str] = []

    def note(*_: Any) -> Any:
        ran.append("user code")

    async def note_async(*_: Any) -> Any:
        ran.append("user code")

    code = note_async if is_async else note
    policy = ExecutionPolicy(allow_mutations=mutations, allow_unclassified_remote=unclassified, approval_mode="all")
    executor = RegistryExecutor(
        REGISTRY, policy=policy, approval_callback=code, hooks=ExecutionHooks(before_call=[code], after_call=[code])
    )
    executor.bind(tool.key, code)
    endpoint = tool.endpoints[0]
    decision = policy.graph.decide(f"{tool.key}.act", tool.remote, endpoint.read_only, endpoint.destructive)
    run = executor.start_run()
    try:
        asyncio.run(executor.execute_call(CALLS[tool.key]))
    except SchemaRouterError as error:
        denied = type(error).__name__ == "PolicyViolationError"
    assert denied == (decision.effect == "deny")
    assert ran == ([] if denied else ["user code"])  # approval is asked, and its None is no approval
    assert run.ledger.used == {}  # type: ignore[attr-defined]
