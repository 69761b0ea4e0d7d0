"""Python functions as tools: the contract comes from the signature and its type hints.

The tool is named after the function and has one endpoint, ``call``. It is local (``remote=False``) and unclassified
unless the author says otherwise. Arguments are JSON at the boundary; on the way in they become the Python types of
the signature, on the way out the return value becomes JSON by its annotation.
"""

from __future__ import annotations

import contextlib
import inspect
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticUndefined

from schemarouter.errors import NonRetryableInvocationError, RegistrationError, SchemaValidationError
from schemarouter.model.tool import EndpointSpec, FieldSpec, ParameterSpec, ToolSpec
from schemarouter.runtime.bindings import is_async_callable

#: The one endpoint of a function's tool.
ENDPOINT = "call"


#: The attribute of a function that :func:`tool` leaves its options in.
MARK = "__schemarouter_tool__"

Function = TypeVar("Function", bound=Callable[..., Any])


class CallableTool(NamedTuple):
    """A function's contract, and the invoker to bind to it."""

    spec: ToolSpec
    invoker: Callable[[str, dict[str, Any]], Any]


def tool(
    *,
    name: str | None = None,
    namespace: str | None = None,
    description: str | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
) -> Callable[[Function], Function]:
    """Mark a function as a tool: ``@tool(read_only=True)``. It stays the function that it was.

    The options are what ``callable_tool`` and ``add_callable`` take where they are not told otherwise.
    """
    options = {
        "name": name,
        "namespace": namespace,
        "description": description,
        "read_only": read_only,
        "destructive": destructive,
    }

    def mark(function: Function) -> Function:
        setattr(function, MARK, {key: value for key, value in options.items() if value is not None})
        return function

    return mark


def arguments_of(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Return the JSON arguments of ``function(*args, **kwargs)``; see :func:`argument_binder`."""
    return argument_binder(function)(*args, **kwargs)


def argument_binder(function: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """Return what turns a call of ``function`` into JSON arguments by parameter name: what the policy decides about.

    A call made by position and one made by keyword give the same arguments, and one that leaves out a default gives the
    same as one that passes it, so that no spelling of a call escapes a rule. (A default that its own annotation does not
    take, such as ``name: str = None``, stays out.) Raises ``RegistrationError`` as ``callable_tool`` does. What is
    returned raises ``TypeError`` for arguments that the signature does not take and ``SchemaValidationError`` for values
    that their annotations do not take; neither names a value.
    """
    name = getattr(_inner(function), "__name__", "<unnamed>")
    return _Arguments(_signature(function, name), name).of_call


class _Schema(GenerateJsonSchema):
    """Without titles, which repeat names, and without warnings about defaults that are not JSON."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - the base class declares it so

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base class passes it
        return False


def callable_tool(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    namespace: str | None = None,
    description: str | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
) -> CallableTool:
    """Return the contract of ``function``, sync or async, and an invoker for it.

    ``name`` defaults to the function's own, ``description`` to its docstring, everything else to what the mark of
    :func:`tool` says. Raises ``RegistrationError`` for what
    has no signature or no name, for ``*args`` and ``**kwargs``, for generators, and for parameters whose types have
    no JSON Schema. A return annotation without one leaves the output schema empty.
    """
    inner = _inner(function)
    marked: dict[str, Any] = getattr(inner, MARK, {})
    name = name if name is not None else str(marked.get("name") or getattr(inner, "__name__", "<unnamed>"))
    namespace = namespace if namespace is not None else marked.get("namespace")
    description = description if description is not None else marked.get("description")
    read_only = read_only if read_only is not None else marked.get("read_only")
    destructive = destructive if destructive is not None else marked.get("destructive")
    if name.startswith("<"):
        raise RegistrationError("a function without a name of its own needs `name`")
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise RegistrationError(f"the generator function `{name}` cannot be a tool: it returns no single value")
    signature = _signature(function, name)
    arguments = _Arguments(signature, name)
    returned = _Returned(signature.return_annotation)
    endpoint = EndpointSpec(
        name=ENDPOINT,
        description=description if description is not None else inspect.getdoc(inner) or "",
        parameters=arguments.parameters(),
        input_schema=arguments.schema,
        output_fields=returned.fields(),
        output_schema=returned.schema,
        read_only=read_only,
        destructive=destructive,
    )
    spec = ToolSpec(
        name=name, namespace=namespace, endpoints=[endpoint], description=endpoint.description, source_type="python"
    )
    return CallableTool(spec, _invoker(function, arguments, returned, name))


def _inner(function: Any) -> Any:
    """Return what a partial is made of, else the function itself: the one with a name and a docstring."""
    while hasattr(function, "func") and hasattr(function, "keywords"):
        function = function.func
    return function


def _signature(function: Any, name: str) -> inspect.Signature:
    try:
        return inspect.signature(function, eval_str=True)
    except Exception as error:  # evaluating annotations runs expressions of the application
        raise RegistrationError(
            f"the signature of `{name}` cannot be read ({type(error).__name__}): its type hints must be importable names"
        ) from error


class _Arguments:
    """The parameters of a signature as a model: JSON Schema of the arguments, and their way into Python types."""

    def __init__(self, signature: inspect.Signature, name: str) -> None:
        self._signature = signature
        self._name = name
        fields: dict[str, Any] = {}
        for index, parameter in enumerate(signature.parameters.values()):
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise RegistrationError(f"`{name}` takes `{parameter}`, so that its arguments cannot be declared")
            annotation = Any if parameter.annotation is parameter.empty else parameter.annotation
            default = PydanticUndefined if parameter.default is parameter.empty else parameter.default
            # Numbered fields with aliases: a parameter may have any name, also one that a model reserves.
            fields[f"field_{index}"] = (annotation, Field(default=default, alias=parameter.name))
        try:
            self._model: type[BaseModel] = create_model("Arguments", __config__=ConfigDict(extra="forbid"), **fields)
            self.schema = self._model.model_json_schema(schema_generator=_Schema)
        except PydanticUserError as error:
            if error.code == "typed-dict-version":
                raise RegistrationError(
                    f"a parameter of `{name}` is a `typing.TypedDict`: before Python 3.12 take that of typing_extensions"
                ) from None
            raise RegistrationError(f"a parameter of `{name}` has a type that has no JSON Schema") from error
        del self.schema["title"]

    def parameters(self) -> list[ParameterSpec]:
        """The same as the schema says, for readers and the planner."""
        required = self.schema.get("required", ())
        return [
            ParameterSpec(name=name, required=name in required, description=properties.get("description", ""))
            for name, properties in self.schema["properties"].items()
        ]

    def bind(self, arguments: dict[str, Any]) -> inspect.BoundArguments:
        """Return Python values for JSON arguments; what is left out takes the function's own default."""
        try:
            model = self._model.model_validate(arguments)
        except ValidationError:
            raise NonRetryableInvocationError(
                f"`{self._name}` refuses an argument: its Python type does not take it"
            ) from None
        given = {
            parameter.name: getattr(model, f"field_{index}")
            for index, parameter in enumerate(self._signature.parameters.values())
            if f"field_{index}" in model.model_fields_set
        }
        return inspect.BoundArguments(self._signature, OrderedDict(given))

    def of_call(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the JSON arguments of a call from Python."""
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"`{self._name}`: {error}") from None  # it tells names and counts
        try:
            model = self._model.model_validate(bound.arguments)
            given = model.model_dump(mode="json", by_alias=True, exclude_unset=True)
        except ValidationError:
            raise SchemaValidationError(
                f"`{self._name}` refuses an argument: its Python type does not take it"
            ) from None
        except (ValueError, TypeError):  # pydantic's, for a value without a way to JSON
            raise SchemaValidationError(f"`{self._name}` refuses an argument: it cannot be written as JSON") from None
        return {**self._defaults, **given}

    @cached_property
    def _defaults(self) -> dict[str, Any]:
        """The defaults that are JSON and fit their own annotation."""
        found: dict[str, Any] = {}
        for index, (name, described) in enumerate(self.schema["properties"].items()):
            if "default" in described:
                field = self._model.model_fields[f"field_{index}"]
                with contextlib.suppress(ValidationError):
                    TypeAdapter(field.rebuild_annotation()).validate_python(described["default"])
                    found[name] = described["default"]
        return found


class _Returned:
    """A return annotation: the JSON Schema of the output, and the way out of Python types."""

    def __init__(self, annotation: Any) -> None:
        self.schema: dict[str, Any] = {}
        self._adapter: TypeAdapter[Any] | None = None
        if annotation is inspect.Signature.empty:
            return
        try:
            adapter: TypeAdapter[Any] = TypeAdapter(annotation)
            self.schema = adapter.json_schema(mode="serialization", by_alias=True, schema_generator=_Schema)
            self._adapter = adapter
        except (PydanticUserError, TypeError):
            self.schema = {}  # a type that is not JSON: what is returned has to be

    def fields(self) -> list[FieldSpec]:
        """The properties of an object that is returned, as fields that can be asked for."""
        schema = self.schema
        reference = schema.get("$ref", "")
        if reference.startswith("#/$defs/"):
            schema = schema["$defs"].get(reference.removeprefix("#/$defs/"), {})
        return [
            FieldSpec(name=name, description=properties.get("description", ""))
            for name, properties in schema.get("properties", {}).items()
        ]

    def dump(self, value: Any) -> Any:
        """Return ``value`` as JSON, or unchanged where it does not fit the annotation: the output check says so."""
        if self._adapter is None:
            return value
        try:
            return self._adapter.dump_python(value, mode="json", by_alias=True, warnings=False)
        except Exception:  # noqa: BLE001 - whatever goes wrong, a value that cannot be written is no failure of the call
            return value


def _invoker(
    function: Callable[..., Any], arguments: _Arguments, returned: _Returned, name: str
) -> Callable[[str, dict[str, Any]], Any]:
    async def finish(awaitable: Any) -> Any:
        return returned.dump(await awaitable)

    def invoke(_endpoint: str, given: dict[str, Any]) -> Any:
        bound = arguments.bind(given)
        result = function(*bound.args, **bound.kwargs)
        return finish(result) if inspect.isawaitable(result) else returned.dump(result)

    async def ainvoke(_endpoint: str, given: dict[str, Any]) -> Any:
        bound = arguments.bind(given)
        return returned.dump(await function(*bound.args, **bound.kwargs))

    invoker: Callable[[str, dict[str, Any]], Any] = ainvoke if is_async_callable(function) else invoke
    invoker.__name__ = name
    return invoker
