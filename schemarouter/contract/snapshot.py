"""Copies of a contract for one callback or hook, of which only what is looked into is made.

A callback mostly reads a name or two, while a deep copy of a tool with many endpoints takes longer than the rest of a
call. A snapshot is a model that holds its plain fields (text, booleans, ``None``) and gets everything, fresh and for
itself alone, when anything else of it is touched for the first time. From then on it is an ordinary model of the
ordinary class; before, only ``type`` tells it apart, which is then a subclass.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from schemarouter.model.tool import EndpointSpec, ToolSpec

Model = TypeVar("Model", bound=BaseModel)

_get = object.__getattribute__
_set = object.__setattr__
_new = object.__new__
#: Held for the time of one copy. Reentrant, because what runs when memory is freed may look into another snapshot.
_lock = threading.RLock()


class _Pending:
    """Stands in front of the class of a model that nobody has looked into yet."""

    __slots__ = ()

    # Found through the type, without asking the object for anything.

    def __copy__(self) -> Any:
        return _completed(self).__copy__()

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Any:
        return _completed(self).__deepcopy__(memo)


class _PendingEndpoint(_Pending, EndpointSpec):
    __slots__ = ()
    model_config = ConfigDict(defer_build=True)

    def __getattribute__(self, name: str) -> Any:
        return _get(self, name) if name in _ENDPOINT else getattr(_completed(self), name)


class _PendingTool(_Pending, ToolSpec):
    __slots__ = ()
    model_config = ConfigDict(defer_build=True)

    def __getattribute__(self, name: str) -> Any:
        return _get(self, name) if name in _TOOL else getattr(_completed(self), name)


#: What can be read without a copy, because it cannot be changed: fields, and what is made of them alone.
_ENDPOINT = frozenset(("name", "description", "method", "path", "read_only", "destructive"))
_TOOL = frozenset(("name", "namespace", "key", "description", "remote", "source_type", "license", "provider"))
_WHOLE: dict[type[Any], type[BaseModel]] = {_PendingEndpoint: EndpointSpec, _PendingTool: ToolSpec}


class Snapshots(Generic[Model]):
    """Makes snapshots of one model that never changes."""

    __slots__ = ("_kind", "_plain")

    def __init__(self, model: Model) -> None:
        """``model`` is a ``ToolSpec`` or an ``EndpointSpec``."""
        of_a_tool = isinstance(model, ToolSpec)
        self._kind: type[BaseModel] = _PendingTool if of_a_tool else _PendingEndpoint
        names = _TOOL if of_a_tool else _ENDPOINT
        self._plain = {name: value for name, value in model.__dict__.items() if name in names}

    def take(self, whole: Callable[[], Model]) -> Model:
        """Return a snapshot; ``whole`` makes the detached copy that it becomes if anybody looks into it."""
        snapshot: Any = _new(self._kind)
        _set(snapshot, "__dict__", self._plain.copy())
        _set(snapshot, "__pydantic_private__", whole)
        return snapshot  # type: ignore[no-any-return]  # a subclass of the model's class


def _completed(model: Any) -> Any:
    """Give ``model`` all that it lacks and its ordinary class, once, whichever thread comes first; return it."""
    with _lock:
        whole = _WHOLE.get(type(model))
        if whole is not None:
            copy = _get(model, "__pydantic_private__")()
            for slot in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__"):
                _set(model, slot, _get(copy, slot))
            _set(model, "__class__", whole)
    return model
