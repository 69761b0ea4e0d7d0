"""SPEC 3 to 7 as one page of plain code: what a sequential plan does, in an imagined world.

A tool always exists, fits and is bound; every behaviour of user code is written down beforehand as a letter. Nothing of
the package is imported, so that agreement with it means something. Costs are fractions, time is whole seconds.
"""

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Call:
    """One logical call. Each behaviour is (letter, seconds it takes).

    Letters: ``o`` fine, ``x`` raises, ``w`` wrong value; of an invoker also ``t`` transient error, ``b`` bad output.
    """

    tool: str
    remote: bool
    read_only: bool | None
    approval: tuple[str, int]
    before: tuple[tuple[str, int], ...]
    attempts: tuple[tuple[str, int], ...]
    after: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Setting:
    """Policy, limits and retries of the run. ``None`` is no limit."""

    allow_mutations: bool
    allow_unclassified_remote: bool
    mode: str
    max_tool_calls: int | None
    max_attempts: int | None
    max_remote_attempts: int | None
    max_cost: Fraction | None
    per_tool: dict[str, int]
    weights: dict[str, Fraction]
    seconds: int | None
    tries: int
    retry_all: bool
    backoff: int


@dataclass
class World:
    """What can be observed: events in order, counters, the clock."""

    log: list[str] = field(default_factory=list)
    used: dict[str, Fraction] = field(default_factory=dict)
    now: int = 0
    started: int | None = None


class Stop(Exception):  # noqa: N818 - it is an outcome of the model, not an error
    """A call ended: ``kind`` is the name of the error class, ``during`` a fragment of its message."""

    def __init__(self, kind: str, during: str = "") -> None:
        super().__init__(kind)
        self.kind, self.during = kind, during


def run_plan(calls: list[Call], setting: Setting) -> tuple[World, int, Stop | None]:
    """Return the world afterwards, how many calls were completed, and how the plan stopped, if it did."""
    world = World()
    for done, call in enumerate(calls):
        try:
            run_call(call, setting, world)
        except Stop as stop:
            return world, done, stop
    return world, len(calls), None


def run_call(call: Call, setting: Setting, world: World) -> None:
    """The stages in their order."""

    def expired() -> bool:
        return setting.seconds is not None and world.now >= world.started + setting.seconds

    def check_time(during: str) -> None:
        if expired():
            raise Stop("ExecutionBudgetExceededError", during)

    def user_code(name: str, behaviour: tuple[str, int], during: str) -> str:
        check_time(during)
        world.log.append(name)
        world.now += behaviour[1]
        if behaviour[0] not in "xt":
            check_time(during)  # what raises has failed by itself, however late
        return behaviour[0]

    def reserve(limits: dict[str, tuple[Fraction, Fraction | int | None, str]]) -> None:
        for counter, (amount, limit, name) in limits.items():
            if limit is not None and world.used.get(counter, 0) + amount > limit:
                raise Stop("ExecutionBudgetExceededError", name)
        for counter, (amount, _, _) in limits.items():
            world.used[counter] = world.used.get(counter, Fraction(0)) + amount

    # 2 validate
    if call.read_only is False and not setting.allow_mutations:
        raise Stop("PolicyViolationError", "allow_mutations")
    if call.read_only is None and call.remote and not setting.allow_unclassified_remote:
        raise Stop("PolicyViolationError", "unclassified")
    # 3 clock
    if world.started is None:
        world.started = world.now
    check_time("validation")
    # 4 approval, 5 revalidate
    if setting.mode == "all" or (setting.mode == "non_read_only" and call.read_only is not True):
        answer = user_code("approve", call.approval, "approval callback")
        if answer != "o":
            raise Stop("ApprovalDeniedError", "failed closed" if answer == "x" else "was not approved")
    # 6 budget
    limits = {"calls": (Fraction(1), setting.max_tool_calls, "max_tool_calls=")}
    if call.tool in setting.per_tool:
        limits[f"calls of {call.tool}"] = (Fraction(1), setting.per_tool[call.tool], "per_tool_calls")
    reserve(limits)
    # 7 before hooks, 8 revalidate
    for behaviour in call.before:
        if user_code("before", behaviour, "before execution hook") != "o":
            raise Stop("ExecutionHookError", "before execution hook")
    # 9 attempts
    weight = setting.weights.get(
        f"{call.tool}.act", setting.weights.get(call.tool, setting.weights.get("*", Fraction(0)))
    )
    for attempt in range(1, setting.tries + 1):
        check_time("invocation")
        limits = {"attempts": (Fraction(1), setting.max_attempts, "max_attempts=")}
        if call.remote:
            limits["remote attempts"] = (Fraction(1), setting.max_remote_attempts, "max_remote_attempts=")
        reserve(limits | {"cost": (weight, setting.max_cost, "max_cost_units=")})
        outcome = user_code("invoke", call.attempts[attempt - 1], "invocation")
        if outcome == "x":
            raise Stop("KeyError")
        if outcome != "t":
            break
        if attempt == setting.tries or not (call.read_only is True or setting.retry_all):
            raise Stop("TransientInvocationError")
        wait = setting.backoff * 2 ** (attempt - 1)
        if setting.seconds is not None and world.now + wait >= world.started + setting.seconds:
            raise Stop("ExecutionBudgetExceededError", "during retry backoff")
        world.now += wait
    # 10 output, 11 project
    if outcome in "wb":
        raise Stop("SchemaValidationError", "output from")
    # 12 after hooks, 13 result
    for behaviour in call.after:
        if user_code("after", behaviour, "after execution hook") != "o":
            raise Stop("ExecutionHookError", "after execution hook")
