"""Every tool call waits for the hook, so what it loads is held."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.claude_code import artifact, event

#: What costs milliseconds, and is not needed to decide.
SLOW = (
    "argparse asyncio dataclasses datetime decimal email hashlib inspect logging pathlib sqlite3 threading typing uuid"
)
CODE = f"""
import sys
before = set(sys.modules)
from schemarouter.integrations.claude_code.hook import run_hook
assert run_hook(sys.argv[1:]) == 0
loaded = set(sys.modules) - before
print(file=sys.stderr)
print(sorted({{name.partition(".")[0] for name in loaded}} - set(sys.stdlib_module_names)), file=sys.stderr)
print(sorted(loaded & set("{SLOW}".split())), file=sys.stderr)
"""


def loaded(*options: str | Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", CODE, *map(str, options)], input=event(), capture_output=True, check=True, timeout=60
    )
    assert b'"allow"' in done.stdout
    return done.stderr.decode().split("\n")[1:3]


def test_the_standard_library_alone(tmp_path: Path) -> None:
    others, slow = loaded("--artifact", artifact(tmp_path), "--stop-file", tmp_path / "STOP", "--server", "tracker")
    assert others == "['schemarouter']"
    # `hashlib` belongs to nothing here: the digest is made with the interpreter's own SHA-256.
    assert slow == "[]"


def test_the_standard_library_alone_with_a_store(tmp_path: Path) -> None:
    from schemarouter.state.sqlite import SqliteStore

    policy = artifact(
        tmp_path, "version: 1\nrules: [{name: a, operation: '*', effect: allow}]\nbudget: {max_tool_calls: 9}\n"
    )
    (tmp_path / "state").mkdir(mode=0o700)
    store = SqliteStore(tmp_path / "state" / "state.db")
    store.identity()
    store.close()
    (tmp_path / "key").write_bytes(b"thirty-two bytes that nobody has")
    others, _ = loaded(
        "--artifact",
        policy,
        "--store",
        store.path,
        "--log",
        tmp_path / "log.jsonl",
        "--log-key",
        tmp_path / "key",
    )
    assert others == "['schemarouter']"
