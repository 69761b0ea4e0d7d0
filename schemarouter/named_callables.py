"""From the names in a policy to the callables of an application (SPEC 9, "No code in files")."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.model.diagnostic import DocPath, Problem

AnyCallable: TypeAlias = Callable[..., Any]

UNRESOLVABLE = "SR602"


def import_prefixes(allow_imports: Sequence[str]) -> tuple[str, ...]:
    """``allow_imports`` as module names: each allows itself and what lies below it, by whole segments.

    Raises ``TypeError`` for one text instead of a sequence, ``ValueError`` for what is no dotted module name.
    """
    if isinstance(allow_imports, str) or not all(isinstance(prefix, str) for prefix in allow_imports):
        raise TypeError('allow_imports is a sequence of module prefixes, such as ("myapp.",)')
    prefixes = tuple(prefix.removesuffix(".") for prefix in allow_imports)
    for prefix in prefixes:
        if not _is_module(prefix):
            raise ValueError(f"`{prefix}` in allow_imports is no module name")
    return prefixes


def resolve_callables(
    graph: EvaluationGraph,
    hooks: Mapping[str, AnyCallable],
    callbacks: Mapping[str, AnyCallable],
    allow_imports: Sequence[str],
) -> tuple[Mapping[str, AnyCallable], list[Problem]]:
    """The callable of each name in ``graph``, unchangeable, and a problem for each name that leads to none.

    What the application supplies wins over an import. Nothing is imported but what ``allow_imports`` allows. A name
    that stands for a callback and for a hook has to lead to the same callable.
    """
    prefixes = import_prefixes(allow_imports)
    places: list[tuple[str, str, Mapping[str, AnyCallable], DocPath]] = []
    if graph.approval.callback is not None:
        places.append((graph.approval.callback, "callback", callbacks, ("approval", "callback")))
    for slot, names in graph.hooks._asdict().items():
        places += ((name, "hook", hooks, ("hooks", slot, index)) for index, name in enumerate(names))
    found: dict[str, AnyCallable] = {}
    problems: list[Problem] = []
    for name, kind, supplied, path in places:
        resolved, message = _resolve(name, kind, supplied, prefixes)
        advice = None
        if resolved is None:
            advice = _help(name, kind, supplied)
        elif found.setdefault(name, resolved) is not resolved:
            message = f"`{name}` stands for two callables, a callback and a hook"
            advice = "give one of them another name"
        if message is not None:
            from schemarouter.model.diagnostic import Problem, Target  # lazily: a policy that is in order pays nothing

            problems.append(Problem(UNRESOLVABLE, message, Target(path), help=advice))
    return MappingProxyType(found), problems


def _resolve(
    name: str, kind: str, supplied: Mapping[str, AnyCallable], prefixes: tuple[str, ...]
) -> tuple[AnyCallable | None, str | None]:
    if name in supplied:
        found: object = supplied[name]
        why = None if callable(found) else "is supplied with something that is not callable"
    elif ":" not in name:
        return None, f"no callable is supplied for the {kind} `{name}`"
    else:
        found, why = import_callable(name, prefixes)
    return (found, None) if callable(found) and why is None else (None, f"the {kind} `{name}` {why}")


def import_callable(name: str, prefixes: tuple[str, ...]) -> tuple[object, str | None]:
    """Import the callable ``module:attribute``; or say, as the end of a sentence, why there is none.

    Nothing outside of ``prefixes`` (see :func:`import_prefixes`) is imported.
    """
    module, _, attribute = name.partition(":")
    if not _is_module(module) or not attribute.isidentifier():
        return None, "is neither supplied nor of the form `module:attribute`"
    if not any(module == prefix or module.startswith(prefix + ".") for prefix in prefixes):
        return None, "is not supplied, and importing it is not allowed"
    try:
        found: object = getattr(import_module(module), attribute)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a module may fail in any way while it is imported
        return None, f"cannot be imported: {type(error).__name__}"
    return found, None if callable(found) else "is not callable"


def _help(name: str, kind: str, supplied: Mapping[str, AnyCallable]) -> str:
    from difflib import get_close_matches  # lazily: only for errors

    close = get_close_matches(name, list(supplied), n=1)
    if close and close[0] != name:
        return f"did you mean `{close[0]}`?"
    example = f'{kind}s={{"{name}": ...}}'
    return f"pass {example} to load_policy" + (", or allow the import with allow_imports" if ":" in name else "")


def _is_module(text: str) -> bool:
    return all(segment.isidentifier() for segment in text.split("."))
