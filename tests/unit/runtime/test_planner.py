"""The planner: what is named wins, words decide otherwise, and nothing is granted."""

from __future__ import annotations

import pytest

from schemarouter import (
    EndpointSpec,
    FieldSpec,
    InMemoryRegistry,
    ParameterSpec,
    PlanningError,
    PlanRequest,
    ToolSpec,
)
from schemarouter.runtime.planner import plan


@pytest.fixture
def registry() -> InMemoryRegistry:
    registry = InMemoryRegistry()
    registry.register(
        ToolSpec(
            name="jobs",
            endpoints=[
                EndpointSpec(
                    name="create",
                    description="Start a new build",
                    input_schema={"properties": {"image": {}}, "required": ["image"]},
                ),
                EndpointSpec(
                    name="listAll",
                    description="Show what runs",
                    output_fields=[FieldSpec(name="id"), FieldSpec(name="state", aliases=["progress"])],
                ),
                EndpointSpec(name="delete", destructive=True, read_only=False),
            ],
        )
    )
    registry.register(
        ToolSpec(
            namespace="corp",
            name="mail",
            description="Messages of the team",
            remote=True,
            endpoints=[
                EndpointSpec(
                    name="send", parameters=[ParameterSpec(name="recipient", required=True), ParameterSpec(name="body")]
                ),
                EndpointSpec(name="search", description="Find messages"),
            ],
        )
    )
    return registry


def operations(registry: InMemoryRegistry, query: str, **fields: object) -> list[str]:
    return [f"{call.tool}.{call.endpoint}" for call in plan(registry, PlanRequest(query=query, **fields)).calls]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("create a job", "jobs.create"),
        ("please list all jobs", "jobs.listAll"),
        ("how is the progress", "jobs.listAll"),
        ("to the RECIPIENT", "corp.mail.send"),
        ("find messages", "corp.mail.search"),
        ("messages", "corp.mail.send"),
        ("jobs", "jobs.create"),
        ("start builds", "jobs.create"),
        ("delete jobs", "jobs.delete"),
        ("use corp.mail.send to find messages", "corp.mail.send"),
        ("find messages with jobs.delete.", "jobs.delete"),
    ],
)
def test_words_and_names(registry: InMemoryRegistry, query: str, expected: str) -> None:
    assert operations(registry, query) == [expected]


def test_preferred_tools_win(registry: InMemoryRegistry) -> None:
    assert operations(registry, "find messages", preferred_tools=["jobs.delete"]) == ["jobs.delete"]
    assert operations(registry, "find messages", preferred_tools=["jobs"]) == ["jobs.create"]
    assert operations(registry, "find messages of jobs.delete", preferred_tools=["corp.mail.send"], max_calls=5) == [
        "corp.mail.send",
        "jobs.delete",
    ]
    assert operations(registry, "find", preferred_tools=["corp.mail", "jobs"], max_calls=2) == [
        "corp.mail.search",
        "jobs.create",
    ]
    assert operations(registry, "x", preferred_tools=["jobs", "jobs.delete"], max_calls=9) == ["jobs.delete"]


def test_several_calls(registry: InMemoryRegistry) -> None:
    assert operations(registry, "list jobs and find messages", max_calls=2) == ["jobs.listAll", "corp.mail.search"]
    assert operations(registry, "jobs", max_calls=10) == ["jobs.create"], "one word asks for one thing"


@pytest.mark.parametrize("longer", ["xcorp.mail.send", "corp.mail.sender", "corp.mail.send.all", "a.corp.mail.send"])
def test_a_name_inside_of_a_longer_one_is_not_spelled_out(registry: InMemoryRegistry, longer: str) -> None:
    assert operations(registry, f"jobs.delete {longer}", max_calls=9) == ["jobs.delete"]
    assert operations(registry, "jobs.delete corp.mail.send.", max_calls=9) == ["jobs.delete", "corp.mail.send"]


def test_a_plan_carries_what_it_was_made_against(registry: InMemoryRegistry) -> None:
    made = plan(registry, PlanRequest(query="jobs.listAll"))
    assert (made.query, made.registry_version) == ("jobs.listAll", 2)
    (call,) = made.calls
    assert call.schema_fingerprint == registry.endpoint("jobs", "listAll").fingerprint
    assert call.tool_fingerprint == registry.get("jobs").fingerprint
    assert call.fields == ["id", "state"]
    assert plan(registry, PlanRequest(query="jobs.create")).calls[0].missing_required_arguments == ["image"]
    assert plan(registry, PlanRequest(query="jobs.listAll")) == made


def test_arguments(registry: InMemoryRegistry) -> None:
    given = {"image": {"name": "x"}, "body": "b"}
    (call,) = plan(registry, PlanRequest(query="jobs.create", arguments=given)).calls
    assert call.arguments == given, "nothing that was asked for is dropped in silence"
    given["image"]["name"] = "y"
    assert call.arguments["image"] == {"name": "x"}
    calls = plan(registry, PlanRequest(query="jobs.create, corp.mail.send", arguments=given, max_calls=2)).calls
    assert [call.arguments for call in calls] == [{"image": {"name": "y"}}, {"body": "b"}]
    assert [call.missing_required_arguments for call in calls] == [[], ["recipient"]]
    with pytest.raises(PlanningError, match="none of the planned operations"):
        plan(registry, PlanRequest(query="jobs.create, jobs.delete", arguments=given, max_calls=2))
    (call,) = plan(registry, PlanRequest(query="jobs.create", arguments={"image": float("inf")})).calls
    assert call.arguments == {"image": float("inf")}, "the executor refuses it and says where"


@pytest.mark.parametrize(
    "request_",
    [
        PlanRequest(query="zebra"),
        PlanRequest(query=""),
        PlanRequest(query="of the"),
        PlanRequest(query="jobs", preferred_tools=["nope"]),
        PlanRequest(query="jobs", preferred_tools=["jobs.nope"]),
    ],
)
def test_nothing_to_plan(registry: InMemoryRegistry, request_: PlanRequest) -> None:
    with pytest.raises(PlanningError):
        plan(registry, request_)


def test_an_empty_registry() -> None:
    with pytest.raises(PlanningError, match="no registered operation matches"):
        plan(InMemoryRegistry(), PlanRequest(query="jobs"))


def test_a_preferred_tool_without_endpoints_matches_nothing() -> None:
    registry = InMemoryRegistry()
    registry.register(ToolSpec(name="empty", endpoints=[]))
    with pytest.raises(PlanningError):
        plan(registry, PlanRequest(query="empty", preferred_tools=["empty"]))
