"""A small mapping that cannot be changed: hashable, comparable, picklable. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import NoReturn, TypeVar

    Value = TypeVar("Value")
else:
    Value = object


class FrozenMap(Mapping[str, Value]):
    """An immutable mapping from text to immutable values, in key order; equal to any mapping with the same items."""

    __slots__ = ("_items",)
    _items: dict[str, Value]

    def __init__(self, items: Mapping[str, Value] | Iterable[tuple[str, Value]] = ()) -> None:
        object.__setattr__(self, "_items", dict(sorted(dict(items).items())))

    def __getitem__(self, key: str) -> Value:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(tuple(self._items.items()))

    def __repr__(self) -> str:
        return f"FrozenMap({self._items!r})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"`{name}` cannot be set: this mapping is immutable")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"`{name}` cannot be deleted: this mapping is immutable")

    def __copy__(self) -> FrozenMap[Value]:
        return self

    def __deepcopy__(self, memo: object) -> FrozenMap[Value]:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (FrozenMap, (dict(self._items),))
