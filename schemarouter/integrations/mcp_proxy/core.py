"""The boundary of a proxy: all servers' contracts, one policy, one run. Whatever passes, passes :meth:`Core.execute`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from schemarouter.errors import PlanValidationError
from schemarouter.integrations.mcp_proxy.entered import ENTERED, Entered
from schemarouter.integrations.mcp_proxy.tickets import Bound, Ticket, TicketError, Tickets
from schemarouter.integrations.mcp_proxy.verdicts import Attributes
from schemarouter.loading import LoadedPolicy
from schemarouter.model.call import ToolCall
from schemarouter.model.json_value import JsonValueError, checked_copy
from schemarouter.runtime.executor import RegistryExecutor
from schemarouter.runtime.governance import graph_of
from schemarouter.runtime.registry import InMemoryRegistry

if TYPE_CHECKING:
    from schemarouter.audit.log import DecisionLog
    from schemarouter.contract.prepared import PreparedTool
    from schemarouter.integrations.mcp_proxy.client import ClientInFront
    from schemarouter.integrations.mcp_proxy.gate import ProxyGate
    from schemarouter.runtime.governance import PolicyLike
    from schemarouter.state.kill_switch import KillSwitch
    from schemarouter.state.port import StateStore

#: The protocol has no id that a call keeps when it is sent again, so within a run the same operation with the same
#: arguments *is* the same call until it reaches the server: counted once, and an approver's answer finds it.
CALL_ID = "mcp"


class Core:
    """Executes operations of the servers behind. The gate takes the place of an approval callback that the policy names.

    Raises ``PolicyError`` for a policy that names hooks which were not loaded with it.
    """

    def __init__(
        self,
        policy: PolicyLike,
        gate: ProxyGate,
        store: StateStore,
        run_id: str,
        *,
        kill_switch: KillSwitch | None = None,
        decision_log: DecisionLog | None = None,
    ) -> None:
        self.graph, callables = graph_of(policy)
        named = self.graph.approval.callback
        self.registry = InMemoryRegistry()
        self.run_id = run_id
        self.tickets = Tickets(store)
        self.executor = RegistryExecutor(
            self.registry,
            policy=policy if named is None else LoadedPolicy(self.graph, {**callables, named: gate}),
            approval_callback=gate if named is None else None,
            store=store,
            kill_switch=kill_switch,
            decision_log=decision_log,
        )

    def attributes(self, key: str, endpoint: str) -> Attributes | None:
        """An operation with its attributes, as it is registered now."""
        tool = self.registry.snapshot().tools.get(key)
        found = None if tool is None else tool.endpoints.get(endpoint)
        if found is None:
            return None
        return Attributes(found.operation, found.remote, found.read_only, found.destructive)

    async def enter(
        self,
        client: ClientInFront,
        key: str,
        endpoint: str,
        arguments: object,
        *,
        state: str | None = None,
        answers: dict[str, Any] | None = None,
        **more: Any,
    ) -> Entered:
        """Take a request in. ``state`` and ``answers`` are what a client sends that was asked something before.

        Raises ``PlanValidationError`` for an unknown operation, arguments that are none, and answers to no question.
        """
        tool = self._tool(key, endpoint)
        if not isinstance(arguments, dict):
            raise PlanValidationError(f"the arguments for {key}.{endpoint} are no object")
        try:
            copied = checked_copy(arguments)
        except JsonValueError as error:
            raise PlanValidationError(f"the arguments for {key}.{endpoint} cannot be read: {error.reason}") from None
        bound = Bound(f"{key}.{endpoint}", copied, self.graph.digest, tool.fingerprint, self.run_id)
        entered = Entered(client, bound, **more)
        if state is not None or answers is not None:
            entered.answers = answers or {}
            entered.ticket = await self._redeem(state, bound, entered.answers)
        return entered

    async def _redeem(self, state: str | None, bound: Bound, answers: dict[str, Any]) -> Ticket:
        try:
            ticket = await asyncio.to_thread(self.tickets.redeem, state, bound)
            if set(answers) != set(ticket.keys):
                raise TicketError("the answers are not those that were asked for")
        except TicketError as error:
            raise PlanValidationError(f"{error}; send the call again without an answer") from None
        return ticket

    async def execute(self, key: str, endpoint: str, entered: Entered) -> Any:
        """Run a request through all stages, and return its data. Raises the errors of the stages."""
        tool = self._tool(key, endpoint)
        call = ToolCall(
            tool=key,
            endpoint=endpoint,
            arguments=entered.bound.arguments,
            schema_fingerprint=tool.endpoints[endpoint].fingerprint,
            tool_fingerprint=entered.bound.contract,
        )
        token = ENTERED.set(entered)
        try:
            return (await self.executor.execute_call(call, run_id=self.run_id, call_id=CALL_ID)).data
        finally:
            ENTERED.reset(token)

    def _tool(self, key: str, endpoint: str) -> PreparedTool:
        tool = self.registry.snapshot().tools.get(key)
        if tool is None or endpoint not in tool.endpoints:
            raise PlanValidationError(f"unknown tool `{ascii(endpoint)[1:-1][:200]}` of the server `{key}`")
        return tool
