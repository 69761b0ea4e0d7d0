"""Proposals from documentation: grounded in it, approved explicitly, and never an approval of a call."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemarouter import (
    PolicyViolationError,
    ProposalApprovalError,
    RegistrationError,
    SchemaRouter,
)
from schemarouter.model.tool import EndpointSpec, FieldSpec, ParameterSpec, ToolSpec
from schemarouter.sources.proposals import Evidence, ToolProposal, claims, ground

DOCUMENT = """
# Pets

## List pets

`GET /pets` lists all pets, at most
100 of them at once.

* `limit` (integer, optional): how many pets are returned.

The answer has the fields `id` and `name`.

## One pet

GET /pets/:pet_id/photo returns the photo of a pet. The pet_id is a number.

## Remove a pet

DELETE /pets/{pet_id} removes it for good.
"""
LIST = EndpointSpec(
    name="list_pets",
    method="GET",
    path="/pets",
    parameters=[ParameterSpec(name="limit", json_schema={"type": "integer"})],
    output_fields=[FieldSpec(name="id")],
)
EVIDENCE = [
    Evidence(quote="lists all pets, at most 100 of them", supports="/endpoints/list_pets"),
    Evidence(quote="`GET /pets` lists", supports="/endpoints/list_pets/path"),
    Evidence(quote="`limit` (integer, optional)", supports="/endpoints/list_pets/parameters/limit"),
    Evidence(quote="the fields `id` and `name`", supports="/endpoints/list_pets/output_fields/id"),
]
PROPOSAL = ToolProposal(tool=ToolSpec(name="pets", endpoints=[LIST]), evidence=EVIDENCE, document="Pets, a handbook")


def proposal(*endpoints, evidence=(), **tool):
    return ToolProposal(tool=ToolSpec(name="pets", endpoints=list(endpoints), **tool), evidence=list(evidence))


def supported(endpoint, *quotes):
    """A proposal of one endpoint, with a good quote for the endpoint itself."""
    base = f"/endpoints/{endpoint.name}"
    evidence = [Evidence(quote="lists all pets", supports=base)]
    return proposal(
        endpoint, evidence=[*evidence, *(Evidence(quote=quote, supports=base + rest) for rest, quote in quotes)]
    )


def test_claims_are_everything_that_can_be_made_up():
    assert claims(PROPOSAL.tool) == (
        "/endpoints/list_pets",
        "/endpoints/list_pets/path",
        "/endpoints/list_pets/parameters/limit",
        "/endpoints/list_pets/output_fields/id",
    )
    schema = EndpointSpec(name="a/b~c", input_schema={"properties": {"x": {}, "y": {}}})
    assert claims(ToolSpec(name="t", endpoints=[schema])) == (
        "/endpoints/a~1b~0c",
        "/endpoints/a~1b~0c/parameters/x",
        "/endpoints/a~1b~0c/parameters/y",
    )


def test_a_supported_proposal():
    found = ground(PROPOSAL, DOCUMENT)
    assert found.score == 1.0
    assert found.supported == claims(PROPOSAL.tool)
    assert found.unsupported == {}


def test_white_space_is_folded_and_nothing_else():
    assert ground(PROPOSAL, DOCUMENT.replace(" ", "\n\t ")).score == 1.0
    assert ground(PROPOSAL, DOCUMENT.upper()).score == 0.0
    assert ground(PROPOSAL, DOCUMENT.replace("lists", "li\u200bsts")).score == 0.5


@pytest.mark.parametrize(
    ("path", "quote"),
    [
        ("/pets/{id}/photo", "GET /pets/:pet_id/photo returns"),
        ("/pets/{anything}", "DELETE /pets/{pet_id} removes"),
        ("/pets", "`GET /pets` lists all"),
    ],
)
def test_a_path_is_named_however_it_is_written(path, quote):
    assert ground(supported(EndpointSpec(name="e", path=path), ("/path", quote)), DOCUMENT).score == 1.0


@pytest.mark.parametrize(
    ("endpoint", "rest", "quote", "why"),
    [
        (EndpointSpec(name="e", path="/pets"), "/path", "DELETE /pets/{pet_id} removes it", "does not name"),
        (EndpointSpec(name="e", path="/pets"), "/path", "GET /pets/:pet_id/photo", "does not name"),
        (EndpointSpec(name="e", path="/pet"), "/path", "`GET /pets` lists", "does not name"),
        (EndpointSpec(name="e", path="/users"), "/path", "GET /users lists users", "does not stand"),
        (
            EndpointSpec(name="e", parameters=[ParameterSpec(name="pet")]),
            "/parameters/pet",
            "The pet_id is",
            "does not name",
        ),
        (
            EndpointSpec(name="e", parameters=[ParameterSpec(name="page")]),
            "/parameters/page",
            "how many pets",
            "does not name",
        ),
        (EndpointSpec(name="e", parameters=[ParameterSpec(name="id")]), "/parameters/id", "`id`", "fewer than 8"),
        (
            EndpointSpec(name="e", parameters=[ParameterSpec(name="id")]),
            "/parameters/id",
            "x" * 10_001,
            "more than 10000",
        ),
    ],
)
def test_a_quote_that_does_not_count(endpoint, rest, quote, why):
    found = ground(supported(endpoint, (rest, quote)), DOCUMENT)
    assert found.score == 0.5
    assert why in found.unsupported[f"/endpoints/e{rest}"]


def test_one_made_up_quote_spoils_a_claim():
    for evidence in (
        [*EVIDENCE, Evidence(quote="lists all pets of everybody", supports="/endpoints/list_pets")],
        [Evidence(quote="lists all pets of everybody", supports="/endpoints/list_pets"), *EVIDENCE],
    ):
        found = ground(PROPOSAL.model_copy(update={"evidence": evidence}), DOCUMENT)
        assert found.score == 0.75
        assert list(found.unsupported) == ["/endpoints/list_pets"]


def test_two_good_quotes_are_fine():
    evidence = [*EVIDENCE, Evidence(quote="100 of them at once", supports="/endpoints/list_pets")]
    assert ground(PROPOSAL.model_copy(update={"evidence": evidence}), DOCUMENT).score == 1.0


@given(
    st.lists(st.sampled_from([*EVIDENCE, *(one.model_copy(update={"quote": "nowhere at all"}) for one in EVIDENCE)]))
)
def test_the_score_is_the_share_of_claims_whose_quotes_all_count(evidence):
    """The definition, written out."""
    by_claim = {
        claim: [one.quote != "nowhere at all" for one in evidence if one.supports == claim]
        for claim in claims(PROPOSAL.tool)
    }
    good = [claim for claim, quotes in by_claim.items() if quotes and all(quotes)]
    found = ground(PROPOSAL.model_copy(update={"evidence": evidence}), DOCUMENT)
    assert found.supported == tuple(good)
    assert found.score == len(good) / 4
    assert set(found.unsupported) == set(by_claim) - set(good)


# Approval


def approve(given=PROPOSAL, **options):
    router = SchemaRouter()
    return router, router.approve_proposal(given, **{"document": DOCUMENT, **options})


def test_what_is_approved_is_remote_and_unclassified():
    given = PROPOSAL.model_copy(deep=True)
    given.tool.remote = False
    given.tool.endpoints[0].read_only = True
    given.tool.endpoints[0].destructive = False
    given.tool.endpoints[0].metadata = {"annotations": {"readOnlyHint": True}}
    router, key = approve(given)
    tool = router.registry.get(key)
    assert (key, tool.remote, tool.source_type) == ("pets", True, "documentation")
    assert [(one.read_only, one.destructive, one.metadata) for one in tool.endpoints] == [(None, None, {})]
    assert tool.metadata == {"proposal": {"document": "Pets, a handbook", "grounding": 1.0}}


def test_the_application_may_classify():
    router, key = approve(classify={"list_pets": (True, False)})
    endpoint = router.registry.endpoint(key, "list_pets")
    assert (endpoint.read_only, endpoint.destructive) == (True, False)


def test_approval_of_a_proposal_approves_no_call():
    ran = []
    router = SchemaRouter()
    router.approve_proposal(PROPOSAL, document=DOCUMENT, invoker=lambda endpoint, arguments: ran.append(endpoint))
    with pytest.raises(PolicyViolationError, match="unclassified"):
        asyncio.run(router.execute(router.plan("list pets")))
    assert ran == []


def test_too_little_grounding():
    poor = PROPOSAL.model_copy(update={"evidence": EVIDENCE[:3]})
    with pytest.raises(
        ProposalApprovalError, match=r"the grounding score 0\.75 is below 1\.0: `/endpoints/list_pets/output_fields/id`"
    ):
        approve(poor)
    assert approve(poor, minimum_grounding=0.75)[1] == "pets"
    with pytest.raises(ProposalApprovalError, match="grounding score"):
        approve(poor, minimum_grounding=0.7501)
    with pytest.raises(ProposalApprovalError, match=r"grounding score 0\.0 is below"):
        approve(proposal())


def test_a_score_is_never_rounded_up():
    parameters = [ParameterSpec(name=f"p{number}") for number in range(1999)]
    document = "lists all pets. " + " ".join(f"takes p{number}" for number in range(1999))
    evidence = [(f"/parameters/p{number}", f"takes p{number}") for number in range(1998)]
    many = supported(EndpointSpec(name="list", method="GET", parameters=parameters), *evidence)
    with pytest.raises(ProposalApprovalError, match=r"score 0\.999 is below 1\.0"):
        approve(many, document=document)


@pytest.mark.parametrize(
    "endpoint",
    [
        EndpointSpec(name="remove", method="DELETE"),
        EndpointSpec(name="make", method="post"),
        EndpointSpec(name="lookup", method="GET", read_only=False),
        EndpointSpec(name="lookup", method="GET", destructive=True),
        EndpointSpec(name="pets_delete_all", method="GET"),
        EndpointSpec(name="send_mail", read_only=True),
        EndpointSpec(name="lookup"),
        EndpointSpec(name="lookup", method="BREW", read_only=True),
    ],
)
def test_mutating_endpoints_are_refused_unless_told(endpoint):
    given = supported(endpoint)
    router = SchemaRouter()
    with pytest.raises(ProposalApprovalError, match="mutating endpoints") as caught:
        router.approve_proposal(given, document=DOCUMENT)
    assert f"`{endpoint.name}`" in str(caught.value)
    assert isinstance(caught.value, RegistrationError)
    assert router.registry.keys() == []
    assert router.approve_proposal(given, document=DOCUMENT, allow_mutating=True) == "pets"
    assert router.registry.endpoint("pets", endpoint.name).read_only is None


def test_what_the_application_classifies_is_believed():
    given = supported(EndpointSpec(name="lookup"))
    assert approve(given, classify={"lookup": (True, None)})[1] == "pets"
    for flags in ((False, None), (True, True), (None, True)):
        with pytest.raises(ProposalApprovalError, match="mutating endpoints"):
            approve(supported(EndpointSpec(name="lookup", method="GET")), classify={"lookup": flags})
    with pytest.raises(ProposalApprovalError, match="mutating endpoints"):
        approve(given, classify={"lookup": (None, False)})


def test_how_calls_are_sent_is_not_for_a_proposal_to_say():
    elsewhere = {"server_url": "https://elsewhere.example"}
    endpoint = EndpointSpec(name="lookup", method="GET", execution_metadata=elsewhere)
    for sent in (
        supported(endpoint),
        supported(LIST).model_copy(update={"tool": PROPOSAL.tool.model_copy(update={"execution_metadata": elsewhere})}),
    ):
        with pytest.raises(ProposalApprovalError, match="execution_metadata"):
            approve(sent, minimum_grounding=0.1)


def test_evidence_for_something_else_is_refused():
    stray = PROPOSAL.model_copy(
        update={"evidence": [*EVIDENCE, Evidence(quote="lists all pets", supports="/endpoints/x\n")]}
    )
    with pytest.raises(ProposalApprovalError, match="evidence number 5 supports") as caught:
        approve(stray)
    assert "\n" not in str(caught.value)


def test_registration_still_refuses():
    router, _ = approve()
    with pytest.raises(RegistrationError, match="already registered"):
        router.approve_proposal(PROPOSAL, document=DOCUMENT)
    assert router.approve_proposal(PROPOSAL, document=DOCUMENT, replace=True) == "pets"
    bad = supported(EndpointSpec(name="lookup", method="GET", input_schema={"type": "nonsense"}))
    with pytest.raises(RegistrationError):
        approve(bad)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"minimum_grounding": 0}, ValueError),
        ({"minimum_grounding": 1.5}, ValueError),
        ({"minimum_grounding": True}, ValueError),
        ({"minimum_grounding": float("nan")}, ValueError),
        ({"minimum_grounding": "1"}, ValueError),
        ({"document": b"x"}, TypeError),
        ({"allow_mutating": 1}, TypeError),
        ({"classify": {"other": (True, False)}}, ValueError),
        ({"classify": {"list_pets": True}}, TypeError),
        ({"classify": {"list_pets": (1, 0)}}, TypeError),
    ],
)
def test_arguments_of_a_wrong_kind(options, error):
    with pytest.raises(error):
        approve(**options)
    with pytest.raises(TypeError, match="a proposal must be a ToolProposal"):
        approve(PROPOSAL.tool)


def test_what_was_changed_after_it_was_made_is_looked_at_again():
    given = PROPOSAL.model_copy(deep=True)
    given.tool.endpoints[0].__dict__["name"] = 7
    with pytest.raises(ProposalApprovalError, match="the proposal is not valid"):
        approve(given)


def test_limits(monkeypatch):
    for name, limit, message in (
        ("MAX_DOCUMENT", 10, "the document has more than 10"),
        ("MAX_EVIDENCE", 3, "more than 3 pieces of evidence"),
        ("MAX_CLAIMS", 3, "claims more than 3"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(f"schemarouter.runtime.proposals.{name}", limit)
            with pytest.raises(ProposalApprovalError, match=message):
                approve()
