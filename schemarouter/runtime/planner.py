"""From a question to calls: small, deterministic, and without authority.

What is named wins: operations in ``preferred_tools``, then operations that the query spells out, then tools in
``preferred_tools``, of which the best matching endpoint is taken. Only where nothing is named do the words of the
query decide, against names, aliases, fields, parameters and descriptions; ties fall to what was registered first, and
a second call needs words that the first one does not answer.
A plan is a proposal: every call of it passes all checks, policy and approval included, when it is executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from schemarouter.contract.prepared import PreparedEndpoint, PreparedTool
from schemarouter.errors import PlanningError
from schemarouter.model.call import ToolCall
from schemarouter.model.json_value import JsonValueError, checked_copy
from schemarouter.model.plan import ExecutionPlan, PlanRequest
from schemarouter.runtime.registry import InMemoryRegistry, RegistrySnapshot

#: What a word of the query is worth, by where it is found.
_NAME, _FIELD, _TEXT = 8, 3, 1
_WORD = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_STOP_WORDS = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "its", "me", "my", "of", "on")
) | {"or", "please", "the", "this", "to", "with"}

_words_of: WeakKeyDictionary[PreparedEndpoint, dict[str, int]] = WeakKeyDictionary()


def plan(registry: InMemoryRegistry, request: PlanRequest) -> ExecutionPlan:
    """Return at most ``request.max_calls`` calls for ``request``.

    Each call carries the fingerprints of now, all declared output fields, and the names of required arguments that
    ``request`` lacks. A single call gets all arguments of the request; several get those that they declare. Raises
    ``PlanningError`` for names in ``preferred_tools`` that are not registered, where nothing matches, and for an
    argument that none of several calls declares.
    """
    snapshot = registry.snapshot()
    chosen = _choose(snapshot, request)[: request.max_calls]
    if not chosen:
        raise PlanningError("no registered operation matches the query")
    arguments = _share_arguments(request.arguments, chosen)
    return ExecutionPlan(
        query=request.query,
        registry_version=snapshot.version,
        calls=[_call(endpoint, own) for endpoint, own in zip(chosen, arguments, strict=True)],
    )


def _choose(snapshot: RegistrySnapshot, request: PlanRequest) -> list[PreparedEndpoint]:
    operations = {
        endpoint.operation: endpoint for tool in snapshot.tools.values() for endpoint in tool.endpoints.values()
    }
    words = set(_split(request.query)) - _STOP_WORDS
    named: list[PreparedEndpoint] = []
    tools: list[PreparedTool] = []
    for name in request.preferred_tools:
        if name in operations:
            named.append(operations[name])
        elif name in snapshot.tools:
            tools.append(snapshot.tools[name])
        else:
            raise PlanningError("`preferred_tools` names a tool or operation that is not registered")
    named += _spelled_out(operations, request.query)
    for tool in tools:
        if not any(endpoint.tool is tool for endpoint in named):
            named += [max(tool.endpoints.values(), key=lambda each: _score(each, words))] if tool.endpoints else []
    if named:
        return list(dict.fromkeys(named))
    return _by_words(list(operations.values()), words, request.max_calls)


def _spelled_out(operations: dict[str, PreparedEndpoint], query: str) -> list[PreparedEndpoint]:
    """Return the operations that stand in the query as such, in the order in which they do."""
    found: list[tuple[int, PreparedEndpoint]] = []
    for operation, endpoint in operations.items():
        if operation in query:
            # Not inside of a longer name; a full stop at the end of a sentence belongs to no name.
            match = re.search(rf"(?<![\w.]){re.escape(operation)}(?!\w|\.\w)", query)
            if match is not None:
                found.append((match.start(), endpoint))
    return [endpoint for _, endpoint in sorted(found, key=lambda item: item[0])]


def _by_words(endpoints: list[PreparedEndpoint], words: set[str], limit: int) -> list[PreparedEndpoint]:
    """Take the best match, then the best for the words that are left, while there is one."""
    chosen: list[PreparedEndpoint] = []
    while endpoints and len(chosen) < limit:
        best = max(endpoints, key=lambda endpoint: _score(endpoint, words))  # the first of equals
        if _score(best, words) == 0:
            break
        chosen.append(best)
        words = words - _known_words(best).keys()
    return chosen


def _score(endpoint: PreparedEndpoint, words: set[str]) -> int:
    known = _known_words(endpoint)
    return sum(known.get(word, 0) for word in words)


def _known_words(endpoint: PreparedEndpoint) -> dict[str, int]:
    known = _words_of.get(endpoint)
    if known is None:
        known = _words_of[endpoint] = _index(endpoint)
    return known


def _index(endpoint: PreparedEndpoint) -> dict[str, int]:
    spec = endpoint.spec
    fields = [name for field in spec.output_fields for name in (field.name, *field.aliases)]
    described = [*(item.description for item in spec.parameters), *(item.description for item in spec.output_fields)]
    index: dict[str, int] = {}
    for weight, texts in (
        (_TEXT, (endpoint.tool.spec.description, spec.description, *described)),
        (_FIELD, (*fields, *_argument_names(endpoint))),
        (_NAME, (endpoint.operation,)),
    ):
        for text in texts:
            index.update(dict.fromkeys(_split(text), weight))
    return index


def _split(text: str) -> Iterator[str]:
    for word in _WORD.findall(_CAMEL.sub(" ", text)):
        folded = word.casefold()
        yield folded[:-1] if len(folded) > 3 and folded.endswith("s") and not folded.endswith("ss") else folded


def _argument_names(endpoint: PreparedEndpoint) -> list[str]:
    properties = endpoint.spec.input_schema.get("properties")
    names = properties if isinstance(properties, dict) else {}
    return list(dict.fromkeys([*names, *(parameter.name for parameter in endpoint.spec.parameters)]))


def _share_arguments(arguments: dict[str, Any], chosen: list[PreparedEndpoint]) -> list[dict[str, Any]]:
    if len(chosen) == 1:
        return [arguments]
    shares = [{name: arguments[name] for name in _argument_names(endpoint) if name in arguments} for endpoint in chosen]
    if not arguments.keys() <= {name for share in shares for name in share}:
        raise PlanningError("an argument is declared by none of the planned operations")
    return shares


def _call(endpoint: PreparedEndpoint, arguments: dict[str, Any]) -> ToolCall:
    try:
        own = checked_copy(arguments)
    except JsonValueError:
        own = arguments  # refused, and why is told, when the call is validated
    call = ToolCall(
        tool=endpoint.tool_key,
        endpoint=endpoint.name,
        fields=[field.name for field in endpoint.spec.output_fields],
        schema_fingerprint=endpoint.fingerprint,
        tool_fingerprint=endpoint.tool_fingerprint,
        missing_required_arguments=endpoint.missing_arguments(own),
    )
    call.arguments = own
    return call
