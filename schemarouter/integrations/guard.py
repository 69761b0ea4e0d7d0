"""Plain Python: a function that is called through the boundary."""

from __future__ import annotations

import functools
import inspect
import uuid
from collections.abc import Callable
from typing import Any, TypeVar, cast

from schemarouter.integrations.boundary import HostBoundary, HostTool
from schemarouter.runtime.callables import argument_binder, callable_tool

Function = TypeVar("Function", bound=Callable[..., Any])


def guard(
    function: Function,
    boundary: HostBoundary,
    *,
    name: str | None = None,
    remote: bool = False,
    read_only: bool | None = None,
    destructive: bool | None = None,
) -> Function:
    """``function``, sync or async, as it was, but for the boundary before and behind it.

    Arguments are bound by the signature first, so that the same call made by position, by keyword, or with a default left
    out is the same call for every rule. ``name`` is the host's name of the tool, by default the function's own.

    Raises :class:`~schemarouter.errors.RegistrationError` for a function that has no contract. What is returned raises the
    errors of the stages, and whatever ``function`` raises.
    """
    spec, _ = callable_tool(function, name=name, read_only=read_only, destructive=destructive)
    endpoint = spec.endpoints[0]
    host_name = spec.name
    schema = {
        "type": "object",
        "properties": {parameter.name: parameter.json_schema for parameter in endpoint.parameters},
        "required": [parameter.name for parameter in endpoint.parameters if parameter.required],
        "additionalProperties": False,
    }
    tool = HostTool(
        host_name,
        endpoint.input_schema or schema,
        endpoint.description,
        remote=remote,
        read_only=endpoint.read_only,
        destructive=endpoint.destructive,
    )
    boundary.add_tools([tool])
    bind = argument_binder(function)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def guarded_async(*args: Any, **kwargs: Any) -> Any:
            return await boundary.call(
                host_name, bind(*args, **kwargs), lambda arguments: function(**arguments), call_id=uuid.uuid4().hex
            )

        return cast("Function", guarded_async)

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        return boundary.call_sync(
            host_name, bind(*args, **kwargs), lambda arguments: function(**arguments), call_id=uuid.uuid4().hex
        )

    return cast("Function", guarded)
