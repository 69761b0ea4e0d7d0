"""What a contract must be like before anything is prepared from it."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import ValidationError

from schemarouter.contract.prepared import PreparedTool
from schemarouter.contract.schema import shown
from schemarouter.errors import RegistrationError
from schemarouter.model.json_value import JsonValueError, checked_copy
from schemarouter.model.names import name_problem
from schemarouter.model.tool import EndpointSpec, ToolSpec

#: Characters of one name: far more than real ones have, and a bound for the index of collisions.
MAX_NAME = 512


def admit(spec: ToolSpec) -> PreparedTool:
    """Take a private copy of ``spec``, check all of it, and prepare it.

    Raises ``RegistrationError``, which names the place, for wrong types that were assigned later, values that are
    not JSON, illegal or repeated names, and schemas that cannot be used.
    """
    if not isinstance(spec, ToolSpec):
        raise RegistrationError(f"expected a `ToolSpec`, not a `{type(spec).__name__}`")
    copy = _private_copy(spec)
    _check_name("the name", copy.name)
    if copy.namespace is not None:
        _check_name("the namespace", copy.namespace)
    key = copy.key
    _check_names(f"the endpoint of `{key}`", (endpoint.name for endpoint in copy.endpoints))
    for endpoint in copy.endpoints:
        _check_endpoint(f"`{key}.{endpoint.name}`", endpoint)
    return PreparedTool(copy)


def _private_copy(spec: ToolSpec) -> ToolSpec:
    try:
        contents = checked_copy(spec.model_dump(warnings=False), contract=True)
        return ToolSpec.model_validate(contents)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise RegistrationError(f"the contract is not valid: `{shown(place)}`: {first['msg']}") from None
    except JsonValueError as error:
        place = ".".join(map(str, error.path)) or "the whole"
        raise RegistrationError(f"the contract is not JSON: `{shown(place)}` {error.reason}") from None
    except (RecursionError, ValueError, TypeError, AttributeError):
        raise RegistrationError("the contract is not JSON: it cannot be written as such") from None


def _check_endpoint(operation: str, endpoint: EndpointSpec) -> None:
    _check_names(f"the parameter of {operation}", (parameter.name for parameter in endpoint.parameters))
    _check_names(f"the output field of {operation}", (field.name for field in endpoint.output_fields))


def _check_names(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        _check_name(what, name)
        if name in seen:
            raise RegistrationError(f"{what} `{name}` is declared twice")
        seen.add(name)


def _check_name(what: str, name: str) -> None:
    if len(name) > MAX_NAME:
        raise RegistrationError(f"{what} is longer than {MAX_NAME} characters")
    problem = name_problem(name)
    if problem is not None:
        raise RegistrationError(f"{what} `{shown(name)}` {problem}")
