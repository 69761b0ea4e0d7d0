"""The adapters against the real frameworks, which live in an environment of their own (`make test-integrations`)."""

import sys
from importlib.util import find_spec
from pathlib import Path

#: The packages that every test here needs; without one of them nothing here is collected.
FRAMEWORKS = ("langchain", "langgraph", "agents", "pydantic_ai", "claude_agent_sdk")
sys.path.insert(0, str(Path(__file__).parent))  # the suite and its drivers are packages beside
MISSING = [name for name in FRAMEWORKS if find_spec(name) is None]

if MISSING:
    collect_ignore_glob = ["test_*.py"]


def pytest_report_header():
    if MISSING:
        return f"LEFT OUT: tests/integrations, for want of {', '.join(MISSING)}; run `make test-integrations`"
    return None
