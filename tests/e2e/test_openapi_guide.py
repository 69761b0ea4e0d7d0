"""What ``docs/openapi.md`` shows is what happens."""

import asyncio
import re
from pathlib import Path

import pytest

from schemarouter.errors import NonRetryableInvocationError, PolicyViolationError
from schemarouter.model.plan import ExecutionPlan
from schemarouter.sources.openapi import Operation, load_openapi
from schemarouter.sources.openapi.bodies import kind_of
from schemarouter.sources.openapi.classify import BY_METHOD
from schemarouter.sources.openapi.invoker import MAX_REDIRECTS, MAX_RESPONSE_BYTES, TIMEOUT
from schemarouter.sources.openapi.read import parse
from support.openapi_documents import call_of
from support.openapi_server import serving

GUIDE = (Path(__file__).parents[2] / "docs" / "openapi.md").read_text("utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


def test_the_example_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("httpx")
    (document,) = blocks("yaml")
    example, classify = blocks("python")
    (tmp_path / "shop.yaml").write_text(document, "utf-8")
    monkeypatch.chdir(tmp_path)
    with serving(parse(document.encode(), "shop.yaml")) as server:
        space = {"BASE_URL": server.url}
        exec(example, space)
        assert capsys.readouterr().out == ""
        router, tool = space["router"], space["imported"].tool
        assert [call.endpoint for call in space["plan"].calls] == ["orders/get"]
        (result,) = asyncio.run(router.execute(space["plan"]))
        assert result.data["arguments"] == {"path:id": "7"}
        assert result.data["headers"]["authorization"] == "Bearer ..."

        def run(endpoint, **arguments):
            calls = [call_of(tool, endpoint, **arguments)]
            return asyncio.run(
                router.execute(ExecutionPlan(query="", registry_version=router.registry.version, calls=calls))
            )

        assert run("orders/search", body={"text": "x"})[0].data["body"] == {"text": "x"}
        server.seen.clear()
        with pytest.raises(PolicyViolationError):
            run("orders/delete", id="7")
        with pytest.raises(NonRetryableInvocationError, match="holds a `/`"):
            run("orders/get", id="7/8")
        assert server.seen == []
    exec(classify, space)
    connect = Operation("c", "GET", "/c", extensions={"x-kubernetes-action": "connect"})
    assert space["classify"](connect) == (False, True)
    assert space["classify"](Operation("c", "GET", "/c")) is None
    load_openapi("shop.yaml", classify=space["classify"])


def test_the_tables_are_what_the_code_says():
    words = {"true": True, "false": False, "unknown": None}
    rows = re.findall(r"^\| ([A-Z, ]+) \| (\w+) \| (\w+) \|$", GUIDE, re.MULTILINE)
    told = {method: (words[read], words[destroy]) for methods, read, destroy in rows for method in methods.split(", ")}
    assert told == {method: tuple(value) for method, value in BY_METHOD.items()}
    for media_type in re.findall(r"^\| .*\|", GUIDE, re.MULTILINE):
        for name in re.findall(r"`([a-z]+/[a-z-]+)`", media_type):
            assert kind_of(name) is not None
    assert (TIMEOUT, MAX_RESPONSE_BYTES, MAX_REDIRECTS) == (30.0, 8 * 1024 * 1024, 5)
