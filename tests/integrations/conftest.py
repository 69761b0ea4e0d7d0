"""The adapters against the real frameworks, which live in an environment of their own (`make test-integrations`)."""

from importlib.util import find_spec

#: The packages that every test here needs; without one of them nothing here is collected.
FRAMEWORKS = ("langchain", "langgraph", "agents", "pydantic_ai", "claude_agent_sdk")
MISSING = [name for name in FRAMEWORKS if find_spec(name) is None]

if MISSING:
    collect_ignore_glob = ["test_*.py"]


def pytest_report_header():
    if MISSING:
        return f"LEFT OUT: tests/integrations, for want of {', '.join(MISSING)}; run `make test-integrations`"
    return None
