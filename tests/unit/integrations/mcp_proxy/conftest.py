"""The proxy needs the extra ``mcp``; an environment with the lowest versions has none of the extras of hosts."""

from importlib.util import find_spec

if find_spec("mcp") is None:
    collect_ignore_glob = ["test_*.py"]
