"""What is said of two catalogs that differ."""

from __future__ import annotations

from schemarouter.catalog.building import catalog_of
from schemarouter.catalog.compare import Change, changes
from schemarouter.model.tool import EndpointSpec, ParameterSpec, ToolSpec


def catalog(*endpoints, **fields):
    return catalog_of([ToolSpec(name="t", endpoints=list(endpoints), **fields)])


def test_nothing():
    assert changes(catalog(EndpointSpec(name="a")), catalog(EndpointSpec(name="a"))) == []


def test_added_and_removed():
    assert changes(catalog(EndpointSpec(name="a")), catalog(EndpointSpec(name="b", read_only=True))) == [
        Change("removed", "t.a"),
        Change("added", "t.b", "local, read-only, destructive unknown"),
    ]


def test_attributes_are_not_said_twice():
    old, new = catalog(EndpointSpec(name="a")), catalog(EndpointSpec(name="a", destructive=True), remote=True)
    assert changes(old, new) == [
        Change("attributes", "t.a", "local, unclassified, destructive unknown -> remote, unclassified, destructive")
    ]


def test_a_contract():
    def with_parameters(*parameters):
        return catalog(EndpointSpec(name="a", parameters=list(parameters)))

    old = with_parameters(ParameterSpec(name="x"), ParameterSpec(name="y", required=True))
    new = with_parameters(ParameterSpec(name="x", required=True), ParameterSpec(name="z"))
    assert changes(old, new) == [
        Change("contract", "t.a", "argument `z` added, argument `y` removed, argument `x` is now required")
    ]
    assert changes(catalog(EndpointSpec(name="a")), catalog(EndpointSpec(name="a", description="new"))) == [
        Change("contract", "t.a")
    ]
    many = with_parameters(*(ParameterSpec(name=f"p{number}") for number in range(9)))
    assert changes(with_parameters(), many)[0].detail.endswith(" and 4 more")


def test_a_hint_that_flips_is_said_though_no_contract_changed():
    old = catalog(EndpointSpec(name="a", metadata={"annotations": {"readOnlyHint": False}}))
    new = catalog(EndpointSpec(name="a", metadata={"annotations": {"readOnlyHint": True, "destructiveHint": False}}))
    assert changes(old, new) == [Change("hints", "t.a", "read_only false -> read_only true, destructive false")]
