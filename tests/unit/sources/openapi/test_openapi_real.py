"""Real documents: each imports, or is refused for a stated reason, and each operation can be called.

Small ones are in `tests/data/openapi`; the large ones are read where the shared data lies beside the project.
"""

import asyncio
import csv
from collections import Counter
from pathlib import Path

import pytest

from schemarouter.contract.schema import CompiledSchema
from schemarouter.errors import NonRetryableInvocationError
from schemarouter.runtime.registry import InMemoryRegistry
from schemarouter.sources.openapi import HttpInvoker, load_openapi
from schemarouter.sources.openapi.read import parse
from schemarouter.sources.problem import SourceError
from support.examples import example_of
from support.openapi_documents import call_without_tool
from support.openapi_server import serving

ROOT = Path(__file__).parents[4]
COPIES = ROOT / "tests" / "data" / "openapi"
SHARED = ROOT.parent / "shared" / "data" / "openapi"
with (ROOT / "tests" / "corpus" / "openapi" / "operations.tsv").open(encoding="utf-8") as file:
    TABLE = {row["document"]: row for row in csv.DictReader(file, delimiter="\t")}


def place_of(document: str) -> Path:
    copy = COPIES / Path(document).name
    if copy.exists():
        return copy
    if not SHARED.exists():
        pytest.skip(f"LOUD: the shared data is missing, so that {document} is not checked")
    return SHARED / document


def test_the_table_knows_every_document():
    assert {path.name for path in COPIES.iterdir()} - {"SOURCES.md"} <= {Path(document).name for document in TABLE}
    if not SHARED.exists():
        pytest.skip("LOUD: the shared data is missing, so that nobody looks for documents that the table lacks")
    assert {path.relative_to(SHARED).as_posix() for path in SHARED.rglob("*.*") if path.is_file()} == set(TABLE)
    for path in COPIES.glob("*.[jy]*"):
        (original,) = SHARED.rglob(path.name)
        assert path.read_bytes() == original.read_bytes()


@pytest.mark.parametrize("document", TABLE)
def test_every_document_imports_or_is_refused_for_the_stated_reason(document):
    row = TABLE[document]
    if row["operations"] == "refused":
        with pytest.raises(SourceError) as caught:
            load_openapi(place_of(document))
        assert caught.value.message == row["refused_because"]
        assert caught.value.help
        return
    tool = load_openapi(place_of(document)).tool
    endpoints = tool.endpoints
    assert row == {
        "document": document,
        "operations": str(len(endpoints)),
        "read_only": str(sum(each.read_only is True for each in endpoints)),
        "destructive": str(sum(each.destructive is True for each in endpoints)),
        "unnamed": str(sum(not each.metadata["operation_id"] for each in endpoints)),
        "unsendable": str(sum("unsendable" in each.execution_metadata for each in endpoints)),
        "refused_because": "",
    }
    assert InMemoryRegistry().register(tool) == tool.key
    assert tool.remote
    assert len({each.name for each in endpoints}) == len(endpoints)


def _counted(document) -> int:
    """The operations of a document, counted another way."""
    data = parse(place_of(document).read_bytes(), document)
    methods = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
    count = 0
    for item in data.get("paths", {}).values():
        while "$ref" in item:
            found = data
            for token in item["$ref"].split("/")[1:]:
                found = found[token.replace("~1", "/").replace("~0", "~")]
            item = found
        count += len(methods & set(item))
    return count


@pytest.mark.parametrize("document", [name for name, row in TABLE.items() if row["operations"] != "refused"])
def test_no_operation_is_lost(document):
    assert int(TABLE[document]["operations"]) == _counted(document)


@pytest.mark.parametrize("document", ["museum.yaml", "notion.json", "petstore.yaml", "twilio-messaging-v1.json"])
def test_declared_outputs_can_be_registered(document):
    imported = load_openapi(place_of(document), outputs=True)
    assert any(each.output_schema for each in imported.tool.endpoints)
    InMemoryRegistry().register(imported.tool)


@pytest.mark.parametrize("document", [name for name, row in TABLE.items() if row["operations"] != "refused"])
def test_every_operation_reaches_the_server_that_the_same_document_starts(document):
    """The server finds the operation, and every argument of it, by the document alone."""
    pytest.importorskip("httpx")
    path = place_of(document)
    imported = load_openapi(path)
    tool = imported.tool
    outcome: Counter[str] = Counter()

    async def run(url):
        servers = {each.execution_metadata.get("server", "") for each in tool.endpoints}
        async with HttpInvoker(tool, base_url=dict.fromkeys(servers, url)) as invoker:
            for endpoint in tool.endpoints:
                if "unsendable" in endpoint.execution_metadata:
                    outcome["unsendable"] += 1
                    continue
                arguments = _arguments(endpoint)
                if arguments is None:
                    outcome["no example"] += 1
                    continue
                try:
                    read = await invoker.invoke_call(call_without_tool(tool, endpoint.name, **arguments))
                except NonRetryableInvocationError as error:
                    said = str(error)
                    outcome["no form" if "which has no form in its style" in said else said] += 1
                    continue
                if endpoint.method != "HEAD":
                    _compare(endpoint, arguments, read)
                outcome["called"] += 1

    with serving(parse(path.read_bytes(), path.name)) as server:
        asyncio.run(run(server.url))
    assert outcome["unsendable"] == int(TABLE[document]["unsendable"])
    assert outcome["called"] + outcome["unsendable"] + outcome["no example"] + outcome["no form"] == len(
        tool.endpoints
    ), outcome
    assert outcome["no form"] == (
        document == "small/readme-circular-paths.json"
    )  # an array inside an object, in a header
    assert outcome["no example"] <= len(tool.endpoints) // 20
    print(document, dict(outcome))


def _arguments(endpoint):
    """Every parameter, and the body, with a value that the contract allows."""
    schema = endpoint.input_schema
    arguments = {}
    for name, own in schema["properties"].items():
        try:
            arguments[name] = example_of(own, schema)
        except (LookupError, TypeError, AttributeError):
            if name in schema["required"]:
                return None
    compiled = CompiledSchema(schema)
    for name in list(arguments):
        if compiled.violation(arguments) is None:
            break
        if name not in schema["required"]:
            del arguments[name]
    return arguments if compiled.violation(arguments) is None else None


def _compare(endpoint, arguments, read):
    assert read["method"] == endpoint.method
    expected = endpoint.metadata["operation_id"] or endpoint.name
    if expected == "repos/compare-commits":
        # Its `{base}...{head}` stands beside `{basehead}` of another operation, which means the same.
        assert read["operation"] in (expected, "repos/compare-commits-with-basehead")
        return
    assert read["operation"] == expected
    wire = endpoint.execution_metadata.get("parameters", {})
    for parameter in endpoint.parameters:
        if parameter.name not in arguments:
            continue
        value = arguments[parameter.name]
        if parameter.location == "body":
            if endpoint.execution_metadata["body"]["kind"] == "json":
                assert read["body"] == value
            continue
        key = f"{parameter.location}:{wire.get(parameter.name, {}).get('name', parameter.name)}"
        if value not in ([], {}):
            assert key in read["arguments"], (endpoint.name, key)
            if isinstance(value, str):
                assert str(read["arguments"][key]) == value or read["arguments"][key] == [value]
