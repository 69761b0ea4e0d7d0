"""What may not stand in a policy file although it is YAML: duplicate and merge keys, tags, aliases, odd keys, limits.

The loop in ``document.yaml`` handles ordinary scalars by itself and calls the methods here for everything else.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, cast

from schemarouter.document.limits import (
    MAX_ALIAS_NODES,
    MAX_ALIASES,
    MAX_DIGITS,
    MAX_DUPLICATES,
    MAX_KEY,
    MAX_LISTED,
    MAX_NODES,
    MAX_SCALAR,
)
from schemarouter.document.positions import MASK, SHIFT, AliasNode, Lines, ListNode, MapNode, Node
from schemarouter.document.yaml_errors import Repair, short, wildcard_repair
from schemarouter.document.yaml_scalars import PROPERTIES, SUSPECT, TooManyDigitsError, quote, resolve
from schemarouter.model.diagnostic import Problem, Span, Target

#: Leads of scalars that the loop hands over: what may not be a string, or carries an anchor or a tag.
SLOW_VALUES: Final = SUSPECT | {"&", "!"}
SLOW_KEYS: Final = SLOW_VALUES | {"<"}
#: What a repaired scalar looks like to the parser: plain, and handed over for its lead.
PLACEHOLDER: Final = "T"

_SHORTER: Final = "shorten it, or quote it"


class Stop(Exception):  # noqa: N818 - control flow between this module and the loop
    """Nothing more can be read; the problem is recorded."""


class Anchor:
    """An anchored node. ``nodes`` is what an alias adds; 0 while the node is still open."""

    __slots__ = ("data", "name", "node", "nodes", "span", "used")

    def __init__(self, name: str, span: int) -> None:
        self.name, self.span = name, span
        self.data: object = None
        self.node: Node = 0
        self.nodes = 0
        self.used = False

    def close(self, data: object, node: Node, nodes: int) -> None:
        """The anchored node is complete."""
        self.data, self.node, self.nodes = data, node, nodes


class Frame:
    """A collection that is open.

    ``key`` is where its open child or its next value belongs, ``after`` what the key is once the open child is done:
    ``None`` (a key is awaited), or the hidden key of a collection that was itself a key.
    """

    __slots__ = ("after", "anchor", "before", "data", "flow", "key", "keyspan", "node")

    def __init__(self, data: Any, node: MapNode | ListNode, flow: bool, anchor: Anchor | None, before: int) -> None:
        self.data, self.node, self.flow, self.anchor, self.before = data, node, flow, anchor, before
        self.key: str | int | None = None
        self.after: int | None = None
        self.keyspan = 0


class NodeChecks:
    """The state of one reading. ``repairs`` are scalars to take as if they had been quoted, by offset."""

    def __init__(self, text: str, lines: Lines, repairs: dict[int, Repair]) -> None:
        self.text, self.lines, self.repairs = text, lines, repairs
        self.problems: list[Problem] = []
        self.stack: list[Frame] = [Frame([], ListNode(0), False, None, 0)]
        #: The repairs that were met, and those of them that cover only the start of a scalar.
        self.applied: set[int] = set()
        self.longer: set[int] = set()
        #: Where the first document ends.
        self.end = len(text)
        self._anchors: dict[str, Anchor] = {}
        self._unused: list[Anchor] = []
        self._aliases = self._alias_nodes = 0
        self._listed: dict[str, int] = {}

    @property
    def in_flow(self) -> bool:
        """Whether the innermost open collection is a flow collection."""
        return self.stack[-1].flow

    def _full(self, code: str) -> bool:
        """Whether no more problems of this code are listed; counts one."""
        self._listed[code] = count = self._listed.get(code, 0) + 1
        return count > MAX_LISTED

    def report(
        self, code: str, message: str, start: int, end: int, advice: str, first: tuple[str, int] | None = None
    ) -> None:
        """Record a problem between two offsets; ``first``: what to say of the packed span that came first."""
        if not self._full(code):
            self._record(code, message, self.lines.span(start, end), advice, first)

    def _report_value(self, code: str, message: str, start: int, end: int, advice: str) -> None:
        """Record a problem of the value that is being read."""
        if not self._full(code):
            self._record(code, message, self._target(start, end), advice, None)

    def _record(self, code: str, message: str, at: Span | Target, advice: str, first: tuple[str, int] | None) -> None:
        span = self.lines.span
        related = () if first is None else ((first[0], span(first[1] >> SHIFT, first[1] & MASK)),)
        self.problems.append(Problem(code, message, at, help=advice, related=related))

    def stop(self, message: str, start: int, end: int) -> NoReturn:
        """A limit is exceeded."""
        self._record("SR010", message, self.lines.span(start, end), "split the policy, or write it more simply", None)
        raise Stop

    def too_many(self, start: int, end: int) -> NoReturn:
        """The number of nodes is exceeded."""
        self.stop(f"the file holds more than {MAX_NODES} keys and values", start, end)

    def finish(self) -> None:
        """Say what can be said only at the end."""
        for anchor in self._unused:
            if not anchor.used:
                start, end = anchor.span >> SHIFT, anchor.span & MASK
                self.report("SR004", f"the anchor `&{anchor.name}` is never used", start, end, "remove it")

    def document(self, event: Any, count: int) -> bool:
        """Whether to read the document that starts: the first only, and without directives."""
        start, end = event.start_mark.index, event.end_mark.index
        if count > 1:
            advice = "a policy file is one document: remove the `---`, or move what follows into a file of its own"
            self.report("SR007", "a second document starts here", start, max(start, end), advice)
            self.end = start
            return False
        if event.version or event.tags:
            advice = "remove the line; the file is read as YAML 1.2"
            self.report("SR001", "a directive (`%...`) stands here", start, start + 1, advice)
        return True

    def odd_key(self, value: Any, child: Node, start: int, end: int) -> str | int:
        """The key that a collection or an alias makes: its string, or a hidden one with a problem."""
        node = cast(MapNode, self.stack[-1].node)
        if isinstance(value, str) and value not in node.entries:
            return value
        if isinstance(value, str):
            self._duplicate(value, start, end)
        else:
            what = "a list" if isinstance(value, list) else "a mapping" if isinstance(value, dict) else _kind(value)
            message, advice = f"a key is {what}, not a string", "write a string, in quotes if need be"
            self.report("SR103", message, start, max(end, start + 1), advice)
        # The spans inside a collection are kept under a name of their own.
        node.entries[~len(node.entries)] = (start << SHIFT | start, child)
        return ~len(node.entries)

    def _target(self, start: int, end: int) -> Target | Span:
        """The value that is being read: its path, or its span where it has none."""
        path: list[str | int] = []
        innermost = self.stack[-1]
        for frame in self.stack[1:]:
            if isinstance(frame.node, ListNode):
                path.append(len(frame.node.items) - (frame is not innermost))
            elif isinstance(frame.key, str):
                path.append(frame.key)
            else:
                return self.lines.span(start, end)
        return Target(tuple(path))

    def properties(self, event: Any, start: int, end: int) -> Anchor | None:
        """Check the tag and the anchor of a node that starts with one of them."""
        match = PROPERTIES.match(self.text, start, end)
        before = self.text[start : match.end() if match else end]
        stop = start + len(before.rstrip())
        if event.tag is not None or "!" in before.partition("#")[0]:
            tag = short(next((word for word in before.split() if word.startswith("!")), "!"))
            advice = "remove it; quote a value that is a string"
            self.report("SR008", f"the tag `{tag}` is not allowed", start, stop, advice)
        if event.anchor is None:
            return None
        anchor = self._anchors[event.anchor] = Anchor(event.anchor, start << SHIFT | stop)
        self._unused.append(anchor)
        return anchor

    def alias(self, event: Any, start: int, end: int) -> tuple[Any, Node, int]:
        """What an alias stands for, its node, and how many nodes it adds."""
        packed = start << SHIFT | end
        anchor = self._anchors.get(event.anchor)
        if anchor is None:
            if not self._full("SR003"):
                self.problems.append(wildcard_repair(self.text, start, end, self.lines).problem)
            return self.text[start:end], packed, 1
        anchor.used = True
        first = ("the anchor", anchor.span)
        if not anchor.nodes:
            message = f"the alias `*{anchor.name}` repeats itself without end"
            self.report("SR010", message, start, end, "write it out", first)
            return None, packed, 1
        self._aliases += 1
        self._alias_nodes += anchor.nodes
        if self._aliases > MAX_ALIASES:
            self.stop(f"the file holds more than {MAX_ALIASES} aliases", start, end)
        if self._alias_nodes > MAX_ALIAS_NODES:
            self.stop(f"aliases repeat more than {MAX_ALIAS_NODES} keys and values", start, end)
        message = f"the alias `*{anchor.name}` hides its value from review"
        self.report("SR004", message, start, end, "write the value out", first)
        return anchor.data, AliasNode(packed, anchor.node), anchor.nodes

    def _scalar(self, event: Any, start: int, end: int) -> tuple[str, bool, Anchor | None]:
        """The text of a scalar, whether it is plain, and its anchor."""
        anchor = None
        if start != end and self.text[start] in "&!":
            anchor = self.properties(event, start, end)
            match = PROPERTIES.match(self.text, start, end)
            start = match.end() if match else start
        repair = self.repairs.get(start)
        if repair is not None:
            self.applied.add(start)
            if end != repair.end:
                self.longer.add(start)
            return repair.text + event.value[len(repair.text) :], False, anchor
        return event.value, not event.style, anchor

    def key(self, event: Any, start: int, end: int) -> str | int:
        """The key that a scalar makes; a hidden one, with a problem, where it may not be a key."""
        text, plain, anchor = self._scalar(event, start, end)
        if anchor is not None:
            anchor.close(text, start << SHIFT | end, 1)
        node = cast(MapNode, self.stack[-1].node)
        hidden = ~len(node.entries)
        if end - start > MAX_KEY:
            self.report("SR010", f"a key is longer than {MAX_KEY} characters", start, end, "shorten it")
            return hidden
        if plain and text == "<<":
            advice = "write the keys out: which of two values wins is invisible here"
            self.report("SR005", "the merge key `<<` is not allowed", start, end, advice)
            return hidden
        try:
            value = resolve(text) if plain else text
        except TooManyDigitsError:
            self.report("SR010", f"a number has more than {MAX_DIGITS} digits", start, end, _SHORTER)
            return hidden
        if not isinstance(value, str):
            message = f"the key `{short(text)}` is {_kind(value)}, not a string" if text else "a key is empty"
            advice = f"quote it: `{quote(short(text))}`" if text else "write a key"
            self.report("SR103", message, start, end, advice)
            return hidden
        if text in node.entries:
            self._duplicate(text, start, end)
            return hidden
        return text

    def _duplicate(self, key: str, start: int, end: int) -> None:
        first = cast(MapNode, self.stack[-1].node).entries[key][0]
        message = f"the key `{short(key)}` stands here twice"
        self.report("SR002", message, start, end, "remove one of the two", ("the first one", first))
        if self._listed["SR002"] > MAX_DUPLICATES:
            self.stop(f"the file holds more than {MAX_DUPLICATES} duplicate keys", start, end)

    def value(self, event: Any, start: int, end: int) -> object:
        """The value of a scalar; a stand-in, with a problem, where it may not stand in a policy file."""
        text, plain, anchor = self._scalar(event, start, end)
        if end - start > MAX_SCALAR:
            message = f"a value is longer than {MAX_SCALAR} characters"
            self._report_value("SR010", message, start, end, "shorten it")
        value: object = text
        try:
            if plain:
                value = resolve(text)
        except TooManyDigitsError:
            self._report_value("SR010", f"a number has more than {MAX_DIGITS} digits", start, end, _SHORTER)
        if isinstance(value, float) and value - value != 0.0:  # infinite or not a number
            message, advice = f"`{short(text)}` is not a finite number", "write a finite number, or leave the key out"
            self._report_value("SR103", message, start, end, advice)
            value = None
        if anchor is not None:
            anchor.close(value, start << SHIFT | end, 1)
        return value


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return {bool: "a boolean", int: "an integer"}.get(type(value), "a number")
