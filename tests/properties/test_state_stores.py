"""The store on disk does what the store in memory does, whatever is asked of them, in whatever order."""

from __future__ import annotations

import shutil
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from schemarouter.engine.budget import Charge
from schemarouter.errors import StateStoreError
from schemarouter.state.limits import KEEP_SECONDS
from schemarouter.state.memory import MemoryStore
from schemarouter.state.port import Answer, Entry, Grant
from schemarouter.state.sqlite import SqliteStore
from support.stores import WallClock, request

RUNS = st.sampled_from(["a", "b", "ü 'x'"])
ENTRIES = st.builds(Entry, st.sampled_from(["k", "l"]), st.sampled_from(["h", "i", "j"]), st.sampled_from([1.0, 30.0]))
LIMITS = st.sampled_from([None, 0, 1, 3, 7])
COUNTS = st.builds(Charge, st.sampled_from(["calls", "attempts"]), st.integers(0, 3), LIMITS, st.just("max"))
COSTS = st.builds(
    Charge,
    st.just("cost"),
    st.sampled_from([Decimal("0.1"), Decimal("0"), Decimal("1E+3"), Decimal("0.30"), Decimal("1E-400")]),
    st.sampled_from([None, Decimal("0.3"), Decimal(2000)]),
    st.just("max_cost_units"),
)
CHARGES = st.lists(COUNTS | COSTS, min_size=1, max_size=4).map(tuple)
NUMBERS = st.integers(0, 3)
STEPS = st.sampled_from([0.0, 0.4, 1.5, 29.0, 31.0, 899.0, 901.0, -0.5, -3.0, -60.0, KEEP_SECONDS + 1.0])


class Stores(RuleBasedStateMachine):
    """Every step is taken on both; what they return, or that they refuse, must be the same."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = WallClock()
        self.memory = MemoryStore(clock=self.clock)
        self.disk = SqliteStore(self.folder / "state.db", clock=self.clock)
        self.requests: list[str] = []
        self.grants: list[str] = []

    def teardown(self) -> None:
        self.disk.close()
        shutil.rmtree(self.folder)

    def both(self, name: str, *arguments: Any) -> Any:
        outcomes = []
        for store in (self.memory, self.disk):
            try:
                outcomes.append(("gave", getattr(store, name)(*arguments)))
            except StateStoreError as error:
                outcomes.append(("refused", str(error).rpartition("cannot be used: ")[2]))
        assert outcomes[0] == outcomes[1], name
        return outcomes[0][1]

    @rule(seconds=STEPS)
    def pass_time(self, seconds: float) -> None:
        self.clock.now += seconds

    @rule()
    def recover_time(self) -> None:
        self.clock.now += 100.0

    @rule()
    def reopen(self) -> None:
        self.disk.close()
        self.disk = SqliteStore(self.folder / "state.db", clock=self.clock)

    @rule(run=RUNS)
    def begin(self, run: str) -> None:
        self.both("begin", run)

    @rule(run=RUNS, charges=CHARGES, entry=ENTRIES | st.none())
    def enter(self, run: str, charges: Any, entry: Entry | None) -> None:
        self.both("enter", run, charges, entry)

    @rule(run=RUNS, charges=CHARGES, entry=ENTRIES | st.none())
    def commit(self, run: str, charges: Any, entry: Entry | None) -> None:
        self.both("commit", run, charges, entry)

    @rule(run=RUNS, entry=ENTRIES)
    def release(self, run: str, entry: Entry) -> None:
        self.both("release", run, entry)

    @rule(
        call=st.sampled_from(["1", "2"]),
        nonce=NUMBERS,
        reason=st.sampled_from(["why", "because"]),
        flag=st.booleans() | st.none(),
    )
    def file(self, call: str, nonce: int, reason: str, flag: bool | None) -> None:
        now = int(self.clock.now)
        made = request(
            call_id=call, nonce=str(nonce), reason=reason, read_only=flag, rule=None, created=now, deadline=now + 900
        )
        self.both("file", made)
        self.both("requests_like", made)
        self.requests.append(made.id)

    @rule(which=NUMBERS, approved=st.booleans())
    def answer(self, which: int, approved: bool) -> None:
        self.both("answer", Answer(self._request(which), approved, 5, "key", "signature"))

    @rule(which=NUMBERS)
    def spend(self, which: int) -> None:
        self.both("spend", self._request(which))

    @rule(which=NUMBERS)
    def expire(self, which: int) -> None:
        self.both("expire", self._request(which))

    @rule(operation=st.sampled_from(["x.y", "x.z"]), number=NUMBERS, seconds=st.sampled_from([1, 1000]))
    def grant(self, operation: str, number: int, seconds: int) -> None:
        now = int(self.clock.now)
        self.both("grant", Grant(f"{operation}{number}", operation, None, "d", now, now + seconds, 2, "key", "sig"))
        self.grants.append(f"{operation}{number}")

    @rule(which=NUMBERS, uses=NUMBERS)
    def use(self, which: int, uses: int) -> None:
        self.both("use", self._grant(which), uses)

    @rule(which=NUMBERS)
    def revoke(self, which: int) -> None:
        self.both("revoke", self._grant(which))

    @invariant()
    def nothing_differs(self) -> None:
        self.both("now")
        for run in ("a", "b", "ü 'x'"):
            self.both("used", run)
        self.both("requests")
        self.both("grants")
        self.both("grants", "x.y")
        for id_ in self.requests[-4:]:
            self.both("request", id_)

    def _request(self, which: int) -> str:
        return self.requests[-1 - which] if which < len(self.requests) else "none"

    def _grant(self, which: int) -> str:
        return self.grants[-1 - which] if which < len(self.grants) else "none"


TestStores = Stores.TestCase
TestStores.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
