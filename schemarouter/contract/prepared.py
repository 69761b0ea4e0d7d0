"""Contracts prepared once, when a tool is registered, so that a call pays only for its own checks.

A prepared contract is never changed and is shared between threads: nothing of it is handed out but detached copies.
Messages name the operation, declared names, paths of declared names and schema keywords, and never a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemarouter.contract.detach import Template
from schemarouter.contract.projection import OutputError, Projection
from schemarouter.contract.scan import Path, SchemaError
from schemarouter.contract.schema import CompiledSchema, Violation, render_path, shown
from schemarouter.contract.snapshot import Snapshots
from schemarouter.errors import PlanValidationError, RegistrationError, SchemaValidationError
from schemarouter.model.json_value import JsonValueError, checked_copy
from schemarouter.model.tool import EndpointSpec, ToolSpec

#: Projections that one endpoint keeps ready, by the fields that were asked for.
_PROJECTIONS = 64


class PreparedTool:
    """A registered tool: its key, fingerprint and endpoints by name.

    ``head_fingerprint`` is that of the tool without its endpoints: it stays when the tool gets another one.
    """

    __slots__ = ("_head", "_snapshots", "_spec", "endpoints", "fingerprint", "head_fingerprint", "key", "remote")

    def __init__(self, spec: ToolSpec) -> None:
        """``spec`` must be a private copy of a checked shape (:func:`~schemarouter.contract.admission.admit`).

        Raises ``RegistrationError`` for a schema that cannot be used.
        """
        self._spec = spec
        head = spec.model_copy(update={"endpoints": []})
        self._head = Template(head)
        self._snapshots = Snapshots(spec)
        self.key = spec.key
        self.remote = spec.remote
        self.fingerprint = spec.fingerprint
        self.head_fingerprint = head.fingerprint
        self.endpoints: dict[str, PreparedEndpoint] = {
            endpoint.name: PreparedEndpoint(self, endpoint) for endpoint in spec.endpoints
        }

    @property
    def spec(self) -> ToolSpec:
        """The private contract, for reading inside this package. Never hand it out: see :meth:`detached`."""
        return self._spec

    def detached(self) -> ToolSpec:
        """Return a copy that the receiver may change."""
        return self._with([endpoint.detached() for endpoint in self.endpoints.values()])

    def snapshot(self, endpoint: PreparedEndpoint) -> tuple[ToolSpec, EndpointSpec]:
        """Return copies of the tool and of one endpoint, which is that of the copied tool, for one receiver.

        As :meth:`detached`, but only what the receiver looks into is copied.
        """
        own = endpoint.snapshot()

        def whole() -> ToolSpec:
            return self._with([own if each is endpoint else each.snapshot() for each in self.endpoints.values()])

        return self._snapshots.take(whole), own

    def _with(self, endpoints: list[EndpointSpec]) -> ToolSpec:
        tool = self._head.copy()
        tool.__dict__["endpoints"] = endpoints
        return tool


class PreparedEndpoint:
    """A registered operation with everything that its calls are checked against.

    ``projects`` says whether output fields are declared, so that calls must name theirs. The object stays the same
    one for as long as its tool's registration does.
    """

    __slots__ = (
        "__weakref__",
        "_declared",
        "_fields",
        "_input",
        "_output",
        "_parameters",
        "_projections",
        "_required",
        "_snapshots",
        "_spec",
        "_template",
        "destructive",
        "fingerprint",
        "name",
        "operation",
        "projects",
        "read_only",
        "remote",
        "tool",
        "tool_fingerprint",
        "tool_key",
    )

    def __init__(self, tool: PreparedTool, spec: EndpointSpec) -> None:
        self._spec = spec
        self._template = Template(spec)
        self._snapshots = Snapshots(spec)
        self.tool = tool
        self.tool_key = tool.key
        self.name = spec.name
        self.operation = f"{tool.key}.{spec.name}"
        self.remote = tool.remote
        self.read_only = spec.read_only
        self.destructive = spec.destructive
        self.fingerprint = spec.fingerprint
        self.tool_fingerprint = tool.fingerprint
        self.projects = bool(spec.output_fields)
        self._input = self._compile(spec.input_schema, "input_schema")
        self._output = self._compile(spec.output_schema, "output_schema")
        self._parameters = {
            parameter.name: self._compile(parameter.json_schema, f"parameters.{parameter.name}")
            for parameter in spec.parameters
        }
        self._fields = {
            field.name: (field, self._compile(field.json_schema, f"output_fields.{field.name}"))
            for field in spec.output_fields
        }
        self._required = self._required_arguments()
        self._declared = self._declared_names()
        self._projections: dict[tuple[str, ...], Projection] = {}

    def _compile(self, schema: dict[str, Any], where: str) -> CompiledSchema | None:
        if not schema:
            return None
        try:
            return CompiledSchema(schema)
        except SchemaError as problem:
            steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in problem.path)
            raise RegistrationError(
                f"the contract of `{self.operation}` cannot be used: `{shown(where + steps)}` {problem.reason}"
            ) from None

    def _required_arguments(self) -> tuple[str, ...]:
        names = dict.fromkeys(parameter.name for parameter in self._spec.parameters if parameter.required)
        required = self._spec.input_schema.get("required")
        if isinstance(required, list):  # draft 4 has another meaning of it elsewhere, never at the top
            names.update(dict.fromkeys(required))
        return tuple(names)

    def _declared_names(self) -> frozenset[str]:
        names = set(self._parameters)
        for field, schema in self._fields.values():
            names.update(field.projection_path, schema.declared if schema else ())
        for schema in (self._input, self._output, *self._parameters.values()):
            names.update(schema.declared if schema else ())
        return frozenset(names)

    @property
    def argument_names(self) -> frozenset[str]:
        """Names of arguments that the contract declares."""
        properties = self._spec.input_schema.get("properties")
        return frozenset(self._parameters).union(properties if isinstance(properties, dict) else ())

    @property
    def spec(self) -> EndpointSpec:
        """The private contract, for reading inside this package. Never hand it out: see :meth:`detached`."""
        return self._spec

    def detached(self) -> EndpointSpec:
        """Return a copy that the receiver may change."""
        return self._template.copy()

    def snapshot(self) -> EndpointSpec:
        """Return a copy that the receiver may change, made when it looks into it."""
        return self._snapshots.take(self._template.copy)

    def copy_arguments(self, arguments: object) -> dict[str, Any]:
        """Return a detached copy of a call's arguments; raise ``SchemaValidationError`` if they are not JSON."""
        if type(arguments) is not dict:
            raise SchemaValidationError(f"arguments for {self.operation} are no object")
        try:
            copy: dict[str, Any] = checked_copy(arguments)
        except JsonValueError as error:
            raise self._mismatch("arguments for", "are", Violation(error.path, None, error.reason)) from None
        return copy

    def missing_arguments(self, arguments: dict[str, Any]) -> list[str]:
        """Return the names of required arguments that are absent, in declaration order."""
        return [name for name in self._required if name not in arguments]

    def check_arguments(self, arguments: dict[str, Any]) -> None:
        """Check a detached copy of a call's arguments against the contract.

        Raises ``PlanValidationError`` for missing required and for undeclared arguments, ``SchemaValidationError``
        for values that do not fit.
        """
        for name in self._required:
            if name not in arguments:
                names = ", ".join(f"`{name}`" for name in self.missing_arguments(arguments))
                raise PlanValidationError(f"missing required arguments for {self.operation}: {names}")
        if self._input is not None:
            violation = self._input.violation(arguments)
            if violation is not None:
                raise self._mismatch("arguments for", "are", violation)
            return
        if not arguments.keys() <= self._parameters.keys():
            raise PlanValidationError(
                f"undeclared arguments for {self.operation}: it declares {_list(self._parameters)}"
            )
        for name, value in arguments.items():
            schema = self._parameters[name]
            violation = schema.violation(value) if schema is not None else None
            if violation is not None:
                raise self._mismatch("arguments for", "are", violation, prefix=(name,))

    def check_fields(self, fields: Sequence[str]) -> None:
        """Check the fields that a call asks for; raise ``PlanValidationError``."""
        if not fields:
            if self.projects:
                raise PlanValidationError(
                    f"{self.operation} needs an explicit output projection: it declares {_list(self._fields)}"
                )
        elif not all(type(name) is str and name in self._fields for name in fields):
            raise PlanValidationError(
                f"undeclared output fields for {self.operation}: it declares {_list(self._fields)}"
            )

    def check_output(self, value: object) -> Any:
        """Return a detached copy of what an invoker returned, checked; raise ``SchemaValidationError``."""
        try:
            output = checked_copy(value)
        except JsonValueError as error:
            raise self._mismatch("output from", "is", Violation(error.path, None, error.reason)) from None
        violation = self._output.violation(output) if self._output is not None else None
        if violation is not None:
            raise self._mismatch("output from", "is", violation)
        return output

    def project(self, output: Any, fields: Sequence[str]) -> Any:
        """Return what crosses the boundary of a checked output, which the result may share parts with.

        ``fields`` must have been checked. Without declared fields it is the output itself. Raises
        ``SchemaValidationError`` where the output does not have the declared shape.
        """
        if not self.projects:
            return output
        wanted = tuple(fields)
        projection = self._projections.get(wanted)
        if projection is None:
            projection = Projection(self._fields[name] for name in dict.fromkeys(wanted))
            if len(self._projections) >= _PROJECTIONS:
                self._projections.clear()
            self._projections[wanted] = projection
        try:
            return projection.apply(output)
        except OutputError as error:
            raise self._mismatch("output from", "is", error.violation) from None

    def _mismatch(self, what: str, verb: str, violation: Violation, prefix: Path = ()) -> SchemaValidationError:
        place = render_path((*prefix, *violation.path), self._declared)
        says = f"keyword '{violation.keyword}'" if violation.keyword else violation.reason
        return SchemaValidationError(f"{what} {self.operation} {verb} not valid at `{place}`: {says}")


def _list(names: dict[str, Any]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"
