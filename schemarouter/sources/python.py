"""A Python module as a source of tools: which of its functions are tools, and their contracts.

A module says so itself. Functions of it that are marked with ``@tool(...)`` are its tools, and then no others; where none is
marked, the functions that ``__all__`` names are. A module that does neither is refused: what somebody forgot to hide is
no tool. The contracts are those that ``SchemaRouter.add_callable`` registers, so a catalog fits what runs.

Importing a module runs it. That is up to the application: nothing here imports anything.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from schemarouter.errors import RegistrationError
from schemarouter.model.tool import ToolSpec
from schemarouter.runtime.callables import MARK, CallableTool, callable_tool
from schemarouter.runtime.callables import arguments_of as arguments_of
from schemarouter.runtime.callables import tool as tool
from schemarouter.runtime.router import SchemaRouter
from schemarouter.sources.problem import SourceError


def tools_of_module(module: ModuleType, *, namespace: str | None = None) -> list[ToolSpec]:
    """Return the contracts of the tools of ``module``, in the order in which the module defines or lists them.

    ``namespace`` is for functions whose mark names none. Raises ``SourceError``, and refuses the module whole, if it
    does not say which functions are tools, if one of them cannot be one, and if two have the same key.
    """
    return [found.spec for found in callables_of_module(module, namespace=namespace)]


def callables_of_module(module: ModuleType, *, namespace: str | None = None) -> list[CallableTool]:
    """As :func:`tools_of_module`, with the invokers."""
    if not isinstance(module, ModuleType):
        raise SourceError(f"expected an imported module, not a `{type(module).__name__}`")
    keys: dict[str, str] = {}
    found: list[CallableTool] = []
    for name, function in _chosen(module):
        where = f"{module.__name__}.{name}"
        own = getattr(function, MARK, {}).get("namespace")
        try:
            made = callable_tool(function, namespace=own if own is not None else namespace)
        except RegistrationError as error:
            raise SourceError(str(error), where=where) from None
        key = made.spec.key
        if key in keys:
            raise SourceError(
                f"two functions have the key `{key}`: this one and `{keys[key]}`",
                where=where,
                help="give one of them another name: `@tool(name=...)`",
            )
        keys[key] = name
        found.append(made)
    return found


def add_module(router: SchemaRouter, module: ModuleType, *, namespace: str | None = None) -> list[str]:
    """Register and bind the tools of ``module``, all or none, and return their keys.

    Raises ``SourceError`` as :func:`tools_of_module` and ``RegistrationError`` for keys that run into others.
    """
    added: list[str] = []
    try:
        for found in callables_of_module(module, namespace=namespace):
            added.append(router.add_bound_tool(found.spec, found.invoker))  # noqa: PERF401 - what was added is undone
    except BaseException:
        for key in added:
            router.executor.unbind(key)
            router.registry.unregister(key)
        raise
    return added


def _chosen(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    listed = getattr(module, "__all__", ())
    marked = [
        (name, value)
        for name, value in vars(module).items()
        if _is_function(value)
        and _marked(value)
        and (getattr(value, "__module__", None) == module.__name__ or name in listed)  # not what it only imports
    ]
    if marked:
        seen: set[int] = set()
        for name, value in marked:  # a second name of the same function is no second tool
            if id(value) not in seen:
                seen.add(id(value))
                yield name, value
        return
    names = getattr(module, "__all__", None)
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise SourceError(
            f"the module `{module.__name__}` does not say which of its functions are tools",
            help="mark them with `@tool()`, or name them in `__all__`",
        )
    functions = 0
    for name in dict.fromkeys(names):
        value = getattr(module, name, None)
        if value is None:
            raise SourceError(f"`__all__` names `{name}`, which is not there", where=module.__name__)
        if _is_function(value):  # classes and constants may be public, too; they are no tools
            functions += 1
            yield name, value
    if not functions:
        raise SourceError(f"`__all__` of `{module.__name__}` names no function")


def _is_function(value: object) -> bool:
    return inspect.isroutine(value) or isinstance(value, functools.partial)


def _marked(value: object) -> bool:
    return isinstance(getattr(value, MARK, None), dict)
