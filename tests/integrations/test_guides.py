"""The guides for frameworks are what happens."""

import asyncio
from pathlib import Path

import pytest
from drivers.claude_agent_sdk_driver import SILENT
from fake_model import fake_model

from support.guides import follow

HOSTS = Path(__file__).parents[2] / "docs" / "hosts"


def never(_arguments):
    raise AssertionError("no command of ours stands in these guides")


@pytest.fixture
def loop():
    """The event loop that `run_sync` of a framework takes, and leaves open."""
    made = asyncio.new_event_loop()
    asyncio.set_event_loop(made)
    yield
    asyncio.set_event_loop(None)
    made.close()


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize("name", ["langchain", "openai-agents", "pydantic-ai"])
def test_a_guide_is_what_happens(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kinds = follow(HOSTS / f"{name}.md", tmp_path, never)
    assert kinds.count("text") >= 2


def bank(name, number, **arguments):
    return {"id": f"call-{number}", "name": f"mcp__bank__{name}", "input": arguments}


#: What the model makes of the prompts of the guide.
SCRIPT = {
    "How much is on the account? If it is enough, pay 500 to somebody.": [
        [bank("balance", 1)],
        [bank("pay", 2, amount=500, to="somebody")],
    ],
    "Pay 50 to the landlord.": [[bank("pay", 3, amount=50, to="the landlord")]],
}


def test_the_guide_for_the_claude_agent_sdk_is_what_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name, value in SILENT.items():
        monkeypatch.setenv(name, value)
    with fake_model(SCRIPT) as (address, _):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
        kinds = follow(HOSTS / "claude-agent-sdk.md", tmp_path, never)
    assert kinds.count("text") == 2
