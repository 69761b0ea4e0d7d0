"""A policy built in Python: ``PolicyRule`` and ``ExecutionPolicy`` (API "Policy, hooks, runs").

The other front end of the compiler: what is said here and in a policy file becomes the same graph and decides alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import JsonValue, field_validator

from schemarouter.compiler.decide import needs_approval, refusal
from schemarouter.compiler.graph import EvaluationGraph, remember
from schemarouter.compiler.records import NO_HOOKS, ApprovalGate, Content, GraphRule, Guards
from schemarouter.compiler.rules import make_rule
from schemarouter.model.base import FrozenModel
from schemarouter.model.decision import PolicyDecision

if TYPE_CHECKING:
    from schemarouter.compiler.rules import Wrong
    from schemarouter.model.call import ToolCall
    from schemarouter.model.tool import EndpointSpec, ToolSpec

_Effect = Literal["allow", "deny", "require_approval"]
_Mode = Literal["never", "non_read_only", "all"]


class _Compiled(FrozenModel):
    """A frozen model that is compiled once, when it is built, and again when a copy changes it."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with other values, which are checked like those of a new object."""
        if not update:
            return super().model_copy(deep=deep)
        return type(self)(**{name: getattr(self, name) for name in self.model_fields_set} | dict(update))

    def __setattr__(self, name: str, value: object) -> None:
        if name in type(self).model_fields:
            super().__setattr__(name, value)  # says that the model is frozen
        raise AttributeError(f"`{name}` cannot be set: the object is immutable")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"`{name}` cannot be deleted: the object is immutable")

    def __getstate__(self) -> dict[Any, Any]:
        """Fields only: what was compiled or remembered is made again."""
        state = super().__getstate__()
        return state | {"__dict__": {name: state["__dict__"][name] for name in type(self).model_fields}}


class PolicyRule(_Compiled):
    """One rule: the first of a policy whose pattern and predicates all match decides (SPEC 2).

    ``operation`` is one pattern or several. ``None`` asks nothing of an attribute; ``unclassified=True`` asks for an
    endpoint whose ``read_only`` nobody knows. ``arguments`` are conditions as in a policy file.

    Raises ``ValueError`` for illegal names and patterns, contradictory predicates and conditions that are no conditions.
    """

    effect: _Effect
    operation: str | tuple[str, ...] | list[str] = "*"
    name: str | None = None
    remote: bool | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    unclassified: bool | None = None
    arguments: dict[str, JsonValue] | None = None
    reason: str | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            effect: _Effect,
            operation: str | Sequence[str] = "*",
            name: str | None = None,
            remote: bool | None = None,
            read_only: bool | None = None,
            destructive: bool | None = None,
            unclassified: bool | None = None,
            arguments: Mapping[str, Any] | None = None,
            reason: str | None = None,
        ) -> None: ...

    else:

        def __init__(self, *args, **fields):
            if args:
                fields = _positional(type(self), args, fields)
            # All that pydantic's own __init__ does; thousands of rules are built at start-up.
            self.__pydantic_validator__.validate_python(fields, self_instance=self)
            _compile_rule(self.__dict__)


def _record(rule: PolicyRule) -> GraphRule:
    """What ``rule`` is in a graph: compiled when it is built, and kept beside its fields."""
    record: GraphRule | None = rule.__dict__.get("_record")
    return _compile_rule(rule.__dict__) if record is None else record


def _compile_rule(values: dict[str, Any]) -> GraphRule:
    operation = values["operation"]
    wrong: Wrong = []
    record = make_rule(
        values["name"],
        (operation,) if type(operation) is str else tuple(operation),
        values["effect"],
        values["reason"],
        (values["remote"], values["read_only"], values["destructive"], values["unclassified"]),
        values["arguments"],
        None,
        wrong,
    )
    if wrong:
        raise ValueError("; ".join(message for _, _, message in wrong))
    values["_record"] = record
    return record


class ExecutionPolicy(_Compiled):
    """The trusted local gate of side effects: rules, and category guards for what no rule matches.

    Immutable; decides through :attr:`graph`. Raises ``ValueError`` for values of a wrong type.
    """

    allow_mutations: bool = False
    allow_destructive: bool = False
    allow_unclassified_remote: bool = False
    approval_mode: _Mode = "never"
    rules: tuple[PolicyRule, ...] = ()

    if TYPE_CHECKING:

        def __init__(
            self,
            allow_mutations: bool = False,
            allow_destructive: bool = False,
            allow_unclassified_remote: bool = False,
            approval_mode: _Mode = "never",
            rules: Sequence[PolicyRule] = (),
        ) -> None: ...

    else:

        def __init__(self, *args, **fields):
            super().__init__(**(_positional(type(self), args, fields) if args else fields))
            # In front of the method: two look-ups less at every call, and whatever is wrong is said here.
            self.__dict__["evaluate"] = _evaluator(self.graph)

    @field_validator("rules", mode="before")
    @classmethod
    def _rules_to_tuple(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @property
    def graph(self) -> EvaluationGraph:
        """The compiled policy: equal to that of a policy file that says the same."""
        graph: EvaluationGraph | None = self.__dict__.get("_graph")
        if graph is None:
            guards = Guards(self.allow_mutations, self.allow_destructive, self.allow_unclassified_remote)
            rules = tuple(map(_record, self.rules))
            gate = ApprovalGate(self.approval_mode, None)
            graph = EvaluationGraph(Content(None, guards, gate, (), rules, None, None, NO_HOOKS, ()))
            self.__dict__["_graph"] = graph
        return graph

    def evaluate(self, tool: ToolSpec, endpoint: EndpointSpec, call: ToolCall | None) -> PolicyDecision:
        """Decide one call: whether it may run, and which rule or guard says so.

        Without a ``call`` the arguments are unknown. Never raises: attributes of a wrong type, and any error on the
        way, are a deny. The cost for an operation that was seen before does not depend on the number of rules.
        """
        evaluate = self.__dict__["evaluate"] = _evaluator(self.graph)
        return evaluate(tool, endpoint, call)

    def requires_approval(
        self, endpoint: EndpointSpec, *, tool: ToolSpec | None = None, call: ToolCall | None = None
    ) -> bool:
        """Whether a call that is not denied needs approval: by a rule, if ``tool`` is given, or by the mode (SPEC 2.5).

        ``False`` for a call that the policy denies; ``True`` where no decision could be made.
        """
        try:
            if tool is None:
                return needs_approval(self.graph.approval, "allow", endpoint.read_only)
            return self.graph.requires_approval(*_attributes(tool, endpoint), arguments=_arguments(call))
        except Exception:  # noqa: BLE001 - whatever went wrong, somebody has to look at the call
            return True


def _evaluator(graph: EvaluationGraph) -> Callable[[ToolSpec, EndpointSpec, ToolCall | None], PolicyDecision]:
    """``evaluate`` of the policy that ``graph`` is compiled from, with its own memory of operations seen before."""
    #: Decisions that do not depend on arguments, by namespace, tool, endpoint and attributes.
    seen: dict[tuple[object, ...], PolicyDecision] = {}

    def evaluate(tool: ToolSpec, endpoint: EndpointSpec, call: ToolCall | None) -> PolicyDecision:
        try:
            remote: object = tool.remote
            read_only: object = endpoint.read_only
            destructive: object = endpoint.destructive
            # Equal is not enough for a key: 1 == True. Only the three objects themselves are attributes.
            if (
                (remote is True or remote is False)
                and (read_only is True or read_only is False or read_only is None)
                and (destructive is None or destructive is False or destructive is True)
            ):
                return seen[tool.namespace, tool.name, endpoint.name, remote, read_only, destructive]
        except KeyError:
            pass
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the answer is a deny
            return refusal(None, f"{type(error).__name__} while reading the attributes of the call")
        return first_sight(tool, endpoint, call)

    def first_sight(tool: ToolSpec, endpoint: EndpointSpec, call: ToolCall | None) -> PolicyDecision:
        try:
            attributes = _attributes(tool, endpoint)
            decision = graph.settled(*attributes)
            if decision is None:
                return graph.decide(*attributes, arguments=_arguments(call))
            operation, *rest = attributes
            remember(seen, (tool.namespace, tool.name, endpoint.name, *rest), decision, len(operation))
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the answer is a deny
            return refusal(None, f"{type(error).__name__} while deciding")
        return decision

    return evaluate


def _attributes(tool: ToolSpec, endpoint: EndpointSpec) -> tuple[str, bool, bool | None, bool | None]:
    """The operation and its contract attributes. Raises ``TypeError`` for a name that is not exactly text.

    A subclass may answer for itself what it equals, and what is remembered of it would be believed of others.
    """
    names = (tool.name, endpoint.name) if tool.namespace is None else (tool.namespace, tool.name, endpoint.name)
    if any(type(name) is not str for name in names):
        raise TypeError("a name is no text")
    return ".".join(names), tool.remote, endpoint.read_only, endpoint.destructive


def _arguments(call: ToolCall | None) -> dict[str, Any] | None:
    return None if call is None else call.arguments


def _positional(model: type[FrozenModel], values: tuple[object, ...], fields: dict[str, object]) -> dict[str, object]:
    """``fields`` with positional ``values`` under the names of the model's fields, in their order."""
    names = tuple(model.model_fields)
    if len(values) > len(names):
        raise TypeError(f"{model.__name__} takes at most {len(names)} values")
    given = dict(zip(names, values, strict=False))
    twice = given.keys() & fields.keys()
    if twice:
        raise TypeError(f"{model.__name__} got more than one value for `{min(twice)}`")
    return given | fields
