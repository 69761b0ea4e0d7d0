"""Proposals: a tool that somebody, or a model, read out of a document, with quotes as evidence.

A proposal claims something, and each claim is written as a JSON Pointer into it (:func:`claims`): every endpoint, where
the endpoint goes if it has a ``path``, every argument and every output field. A claim is *supported* if there is evidence for it
and every quote for it counts. A quote counts if it stands in the document, word for word but for white space, has at
least :data:`MIN_QUOTE` characters, and names what it supports: an argument, a field or a path has to occur in it. The
**grounding score** is the share of the claims that are supported.

Approval decides whether a contract may enter the registry, and nothing else: the tool is remote and unclassified, and
each call of it still needs what the policy asks for. No model is called here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from pydantic import Field, ValidationError

from schemarouter.catalog.verbs import suspicious_verb, words_of
from schemarouter.contract.schema import shown
from schemarouter.errors import ProposalApprovalError
from schemarouter.model.base import FrozenModel
from schemarouter.model.tool import EndpointSpec, ToolSpec

#: Characters of a quote, white space folded: shorter ones stand in every document.
MIN_QUOTE = 8
MAX_QUOTE = 10_000
MAX_EVIDENCE = 2_000
MAX_CLAIMS = 10_000
#: Characters of a path or a name in a claim.
MAX_NAMED = 2_000
#: Characters of a document.
MAX_DOCUMENT = 10_000_000
_READING = frozenset({"GET", "HEAD", "OPTIONS"})

#: What the application says of endpoints, by name: ``(read_only, destructive)``.
Classified: TypeAlias = Mapping[str, tuple[bool | None, bool | None]]


class Evidence(FrozenModel):
    """A quote from the document, and the claim that it supports, such as ``/endpoints/list_pets/parameters/limit``."""

    quote: str
    supports: str


class ToolProposal(FrozenModel):
    """A tool, the evidence for it, and what the document is called, for people: a title or an address."""

    tool: ToolSpec
    evidence: list[Evidence] = Field(default_factory=list)
    document: str = ""


class Grounding(NamedTuple):
    """How well a document supports a proposal. ``score`` is from 0 to 1; ``unsupported`` says why, by claim."""

    score: float
    supported: tuple[str, ...]
    unsupported: Mapping[str, str]


def claims(tool: ToolSpec) -> tuple[str, ...]:
    """Everything that a proposal of ``tool`` has to support, as JSON Pointers into it, in its order."""
    return tuple(dict.fromkeys(name for endpoint in tool.endpoints for name, _ in _claims(endpoint)))


def ground(proposal: ToolProposal, document: str) -> Grounding:
    """Look for every quote of ``proposal`` in the text ``document``.

    Raises :class:`~schemarouter.errors.ProposalApprovalError` for evidence that supports nothing in the proposal, and
    beyond the limits above.
    """
    if len(document) > MAX_DOCUMENT:
        raise ProposalApprovalError(f"the document has more than {MAX_DOCUMENT} characters")
    if len(proposal.evidence) > MAX_EVIDENCE:
        raise ProposalApprovalError(f"the proposal has more than {MAX_EVIDENCE} pieces of evidence")
    text = _folded(document)
    wanted = {name: says for endpoint in proposal.tool.endpoints for name, says in _claims(endpoint)}
    if len(wanted) > MAX_CLAIMS:
        raise ProposalApprovalError(f"the proposal claims more than {MAX_CLAIMS} things")
    problems: dict[str, str] = dict.fromkeys(wanted, "there is no evidence for it")
    judged: set[str] = set()
    for number, evidence in enumerate(proposal.evidence, 1):
        claim = evidence.supports
        if claim not in wanted:
            raise ProposalApprovalError(
                f"evidence number {number} supports `{shown(claim[:100])}`, which the proposal does not claim"
            )
        problem = _quote_problem(evidence.quote, wanted[claim], text)
        if problem is not None:
            problems[claim] = f"evidence number {number} {problem}"
        elif claim not in judged:
            problems.pop(claim, None)
        judged.add(claim)
    supported = tuple(claim for claim in wanted if claim not in problems)
    return Grounding(len(supported) / len(wanted) if wanted else 0.0, supported, problems)


def approved(
    proposal: ToolProposal,
    *,
    document: str,
    minimum_grounding: float,
    allow_mutating: bool,
    classify: Classified | None,
) -> ToolSpec:
    """The contract of an approved proposal: remote, and unclassified but for ``classify``.

    Raises :class:`~schemarouter.errors.ProposalApprovalError` if it may not enter the registry, ``TypeError`` and
    ``ValueError`` for arguments that are none.
    """
    if not isinstance(proposal, ToolProposal):
        raise TypeError(f"a proposal must be a ToolProposal, not `{type(proposal).__name__}`")
    if not isinstance(document, str):
        raise TypeError(f"document must be the text of the document, not `{type(document).__name__}`")
    if type(allow_mutating) is not bool:
        raise TypeError("`allow_mutating` takes a boolean")
    if type(minimum_grounding) not in (int, float) or not 0 < minimum_grounding <= 1:
        raise ValueError("minimum_grounding must be a number above 0 and up to 1")
    own = _private_copy(proposal)
    said = _classified(own.tool, classify)
    if own.tool.execution_metadata or any(endpoint.execution_metadata for endpoint in own.tool.endpoints):
        raise ProposalApprovalError("a proposal says nothing about how calls are sent: it has `execution_metadata`")
    grounding = ground(own, document)
    if grounding.score < minimum_grounding:
        raise ProposalApprovalError(_too_low(grounding, minimum_grounding))
    mutating = [endpoint.name for endpoint in own.tool.endpoints if _may_mutate(endpoint, said.get(endpoint.name))]
    if mutating and not allow_mutating:
        names = ", ".join(f"`{shown(name)}`" for name in mutating[:3])
        more = f" and {len(mutating) - 3} more" if len(mutating) > 3 else ""
        raise ProposalApprovalError(
            f"the proposal has mutating endpoints, or such that nothing says that they only read: {names}{more}"
        )
    return _contract(own, said, grounding.score)


def _private_copy(proposal: ToolProposal) -> ToolProposal:
    try:
        return ToolProposal.model_validate(proposal.model_dump(warnings=False))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ProposalApprovalError(f"the proposal is not valid: `{shown(place)}`: {first['msg']}") from None
    except (RecursionError, ValueError, TypeError, AttributeError):
        raise ProposalApprovalError("the proposal is not valid: it cannot be written as JSON") from None


def _classified(tool: ToolSpec, classify: Classified | None) -> dict[str, tuple[bool | None, bool | None]]:
    names = {endpoint.name for endpoint in tool.endpoints}
    said: dict[str, tuple[bool | None, bool | None]] = {}
    for name, flags in (classify or {}).items():
        if name not in names:
            raise ValueError(f"`classify` has `{name}`, which is no endpoint of the proposal")
        if not _is_pair(flags):
            raise TypeError("`classify` maps endpoints to (read_only, destructive), each true, false or None")
        said[name] = flags
    return said


def _is_pair(flags: object) -> bool:
    return isinstance(flags, tuple) and len(flags) == 2 and all(type(flag) in (bool, type(None)) for flag in flags)


def _too_low(grounding: Grounding, minimum: float) -> str:
    claim, why = next(iter(grounding.unsupported.items()), ("the whole", "it has no endpoints"))
    # Cut, not rounded: 0.999 is not shown as the 1 that it fails to be.
    score = int(grounding.score * 1000) / 1000
    return f"the grounding score {score} is below {minimum}: `{shown(claim[:200])}`: {why}"


def _may_mutate(endpoint: EndpointSpec, said: tuple[bool | None, bool | None] | None) -> bool:
    """Whether an endpoint changes something, as far as anything says so; what nobody speaks of may."""
    if said is not None and (said[0] is not None or said[1] is True):
        return said[0] is not True or said[1] is True
    if endpoint.read_only is False or endpoint.destructive is True:
        return True
    if suspicious_verb(words_of(endpoint.name), read_only=True, destructive=None) is not None:
        return True
    if endpoint.method is not None:
        return endpoint.method.upper() not in _READING
    return endpoint.read_only is not True


def _contract(proposal: ToolProposal, said: Classified, score: float) -> ToolSpec:
    endpoints = []
    for endpoint in proposal.tool.endpoints:
        read_only, destructive = said.get(endpoint.name, (None, None))
        endpoints.append(
            endpoint.model_copy(update={"read_only": read_only, "destructive": destructive, "metadata": {}})
        )
    about = {"proposal": {"document": proposal.document, "grounding": score}}
    changed = {"endpoints": endpoints, "remote": True, "source_type": "documentation", "metadata": about}
    return proposal.tool.model_copy(update=changed)


# Claims and quotes


def _claims(endpoint: EndpointSpec) -> Iterator[tuple[str, _Named | None]]:
    """Each claim of an endpoint, and what has to occur in a quote that supports it."""
    base = f"/endpoints/{_step(endpoint.name)}"
    yield base, None
    if endpoint.path is not None:
        yield f"{base}/path", _Named("path", endpoint.path)
    names = [parameter.name for parameter in endpoint.parameters]
    declared = endpoint.input_schema.get("properties")
    names += [name for name in declared if isinstance(name, str)] if isinstance(declared, dict) else []
    for name in dict.fromkeys(names):
        yield f"{base}/parameters/{_step(name)}", _Named("word", name)
    for field in endpoint.output_fields:
        yield f"{base}/output_fields/{_step(field.name)}", _Named("word", field.name)


def _step(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


class _Named(NamedTuple):
    """What a quote has to name: a word of its own (`id` does not occur in `idle`), or a path.

    A document may write what is filled into a path as ``{id}``, ``:id`` or ``<id>``.
    """

    kind: str
    text: str

    def occurs(self, quote: str) -> bool:
        if len(self.text) > MAX_NAMED:
            return False
        text = _folded(self.text)
        if self.kind == "word":
            return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", quote) is not None
        pieces = map(re.escape, re.split(r"\{[^{}]*\}", text))
        return re.search(r"(?:\{[^{}/]*\}|:\w+|<[^<>/]*>)".join(pieces) + r"(?![\w/{])", quote) is not None


def _quote_problem(quote: str, names: _Named | None, document: str) -> str | None:
    """Why a quote does not count, as an end of a sentence."""
    if len(quote) > MAX_QUOTE:
        return f"has more than {MAX_QUOTE} characters"
    folded = _folded(quote)
    if len(folded) < MIN_QUOTE:
        return f"has fewer than {MIN_QUOTE} characters"
    if names is not None and not names.occurs(folded):
        return "does not name what it supports"
    if folded not in document:
        return "does not stand in the document"
    return None


def _folded(text: str) -> str:
    return " ".join(text.split())
