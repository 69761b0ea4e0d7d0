"""The tables of a TOML text: which there are, how each came to be, and what is defined twice."""

from __future__ import annotations

from typing import NoReturn, TypeAlias

from schemarouter.document.limits import MAX_DEPTH, MAX_DUPLICATES, MAX_LISTED
from schemarouter.document.positions import MASK, SHIFT, Lines, ListNode, MapNode, Node
from schemarouter.model.diagnostic import Problem

#: How a table came to be, which decides what may be added to it.
_IMPLICIT, _HEADER, _DOTTED, _INLINE = range(4)

#: A part of a key, and its packed span.
Part: TypeAlias = tuple[str, int]


class ScanError(Exception):
    """The text is not TOML at ``start``, or exceeds a limit (``code`` SR010)."""

    def __init__(self, message: str, start: int, end: int, advice: str, code: str = "SR001") -> None:
        super().__init__(message)
        self.message, self.start, self.end, self.advice, self.code = message, start, end, advice, code


def exceed(message: str, start: int, end: int | None = None) -> NoReturn:
    """A limit is exceeded."""
    raise ScanError(message, start, end or start, "split the policy, or write it more simply", "SR010")


class Tables:
    """The tree of a text while it is read, statement by statement.

    ``root`` is the tree, ``table`` the table that a statement belongs to, ``statements`` where statements start,
    ``repeated`` the stretches to leave out in order to have no definition twice.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.root = self.table = MapNode(0)
        self.problems: list[Problem] = []
        self.statements: list[int] = []
        self.repeated: list[tuple[int, int]] = []
        self.nodes = 0
        self.depth = 1
        self._kinds: dict[int, int] = {}
        #: Arrays of tables, which may grow; other arrays may not.
        self._arrays: set[int] = set()
        self._detached: list[MapNode] = []  # keeps the ids in _kinds unique
        self._chain: list[MapNode | ListNode] = [self.root]
        #: Where the section started, and where the one before it ended.
        self._section = self._before = 0
        self._left_out: int | None = None
        self._doubles = 0

    def inline(self, table: MapNode) -> None:
        """An inline table begins: nothing can be added to it from outside."""
        self._kinds[id(table)] = _INLINE

    def open_table(self, parts: list[Part], array: bool, start: int, end: int) -> None:
        """A header: the table that the following lines belong to."""
        self.close_table(start)
        self.statements.append(start)
        self._section = start
        if len(parts) > MAX_DEPTH - 2:
            exceed(f"the text is nested more than {MAX_DEPTH} deep", start, end)
        node: MapNode | None = self.root
        chain: list[MapNode | ListNode] = []
        for part in parts[:-1]:
            if node is not None:
                node = self._step(node, part, start, chain, _IMPLICIT)
        table = None if node is None else self._last(node, parts[-1], array, start, end, chain)
        if table is None:
            table = MapNode(start, end)
            self._detached.append(table)
            self._left_out, chain = start, []
        self.table, self._chain, self.depth = table, [*chain, table], len(parts) + 1 + array
        self.nodes += 1 + array

    def close_table(self, position: int) -> None:
        """The section before ``position`` ends: its table, and those around it, reach to its last value."""
        last = self.table.end
        for node in self._chain:
            if node.end == self._before or node.start >= self._section or node is self.root:
                node.end = last
        self._before = last
        if self._left_out is not None:
            self.repeated.append((self._left_out, position))
            self._left_out = None

    def _step(
        self, node: MapNode, part: Part, start: int, chain: list[MapNode | ListNode], kind: int
    ) -> MapNode | None:
        """The table ``part`` of ``node``, made where it does not exist; ``None``, with a problem, if it is closed."""
        name, span = part
        found = node.entries.get(name)
        if found is None:
            child = MapNode(start)
            node.entries[name] = (span, child)
            self._kinds[id(child)] = kind
            chain.append(child)
            return child
        child_node = found[1]
        if isinstance(child_node, ListNode) and id(child_node) in self._arrays and kind == _IMPLICIT:
            element = child_node.items[-1]
            if isinstance(element, MapNode):
                chain += (child_node, element)
                return element
        if isinstance(child_node, MapNode):
            known = self._kinds.get(id(child_node), _HEADER)
            if known == _DOTTED or (kind == _IMPLICIT and known != _INLINE):
                chain.append(child_node)
                return child_node
        self._twice(part, found[0], "is defined before and cannot be extended here")
        return None

    def _last(
        self, node: MapNode, part: Part, array: bool, start: int, end: int, chain: list[MapNode | ListNode]
    ) -> MapNode | None:
        """The table that a header opens; ``None``, with a problem, if it is there already."""
        name, span = part
        found = node.entries.get(name)
        child = None if found is None else found[1]
        if array and (child is None or (isinstance(child, ListNode) and id(child) in self._arrays)):
            if child is None:
                child = ListNode(start)
                self._arrays.add(id(child))
                node.entries[name] = (span, child)
            table = MapNode(start, end)
            child.items.append(table)
            chain.append(child)
            return table
        if not array and child is None:
            table = MapNode(start)
        elif not array and isinstance(child, MapNode) and self._kinds.get(id(child), _HEADER) == _IMPLICIT:
            table = child
            table.start = start
        else:
            self._twice(part, found[0] if found else 0, "stands here twice")
            return None
        table.end = end
        self._kinds[id(table)] = _HEADER
        node.entries[name] = (span, table)
        return table

    def descend(self, table: MapNode, parts: list[Part], start: int) -> MapNode | None:
        """The table that the last part of a dotted key belongs to."""
        node: MapNode | None = table
        for part in parts[:-1]:
            if node is not None:
                node = self._step(node, part, start, [], _DOTTED)
        return node

    @staticmethod
    def passed(table: MapNode, parts: list[Part]) -> list[MapNode]:
        """The tables that a dotted key passes."""
        found: list[MapNode] = []
        for name, _span in parts[:-1]:
            node = table.entries[name][1]
            if isinstance(node, MapNode):
                table = node
                found.append(node)
        return found

    def put(self, owner: MapNode, part: Part, node: Node) -> bool:
        """Put a value into a table; ``False``, with a problem, if its key is there already."""
        name, span = part
        if name in owner.entries:
            self._twice(part, owner.entries[name][0], "stands here twice")
            return False
        owner.entries[name] = (span, node)
        return True

    def _twice(self, part: Part, first: int, what: str) -> None:
        name, span = part
        self._doubles += 1
        if self._doubles > MAX_DUPLICATES:
            exceed(f"the file holds more than {MAX_DUPLICATES} duplicate keys", span >> SHIFT, span & MASK)
        if len(self.problems) >= MAX_LISTED:
            return
        place = self.lines.span(span >> SHIFT, span & MASK)
        there = ("the first one", self.lines.span(first >> SHIFT, first & MASK))
        message = f"the key `{name if len(name) <= 40 else name[:37] + '...'}` {what}"
        self.problems.append(Problem("SR002", message, place, help="remove one of the two", related=(there,)))

    def abandon(self, position: int) -> None:
        """Scanning failed behind ``position``: what is being left out ends there."""
        if self._left_out is not None:
            self.repeated.append((self._left_out, max(position, self._left_out)))
