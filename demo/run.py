"""``make demo``: the main job on two real policies, through the installed command's own entry point."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schemarouter_cli.__main__ import run

ROOT = Path(__file__).resolve().parent.parent
MCP = "config/examples/github-mcp.yaml"
REST = "config/examples/github-rest.toml"
#: Three calls: title, policy, options.
CALLS = (
    (
        "an agent writes a file on its own branch",
        MCP,
        ["--operation", "github.create_or_update_file", "--remote", "--unclassified", "--arguments"],
        '{"owner": "example-org", "branch": "agent/fix-42", "path": "src/app.py"}',
    ),
    (
        "the same agent tries to change how the build runs",
        MCP,
        ["--operation", "github.create_or_update_file", "--remote", "--unclassified", "--arguments"],
        '{"owner": "example-org", "branch": "agent/fix-42", "path": ".github/workflows/ci.yml"}',
    ),
    (
        "a REST operation whose name holds a slash",
        REST,
        ["--operation", "github.repos/delete", "--remote", "--mutating", "--destructive", "--arguments"],
        '{"owner": "example-org", "repo": "site"}',
    ),
)


def main() -> int:
    """Run every part; a part that does not end as it should makes the demo fail."""
    os.chdir(ROOT)
    if "NO_COLOR" not in os.environ:
        os.environ["FORCE_COLOR"] = "1"
    started = time.perf_counter()
    good = [
        part("Two policies that a careful team could use are clean", ["check", "--strict", MCP, REST], 0),
        part("A copy that was edited in a hurry is refused whole", ["check", "demo/broken.policy.yaml"], 1),
    ]
    for title, policy, options, arguments in CALLS:
        good.append(part(f"Explain: {title}", ["explain", policy, *options, arguments], 0))
    with tempfile.TemporaryDirectory() as folder:
        for policy in (MCP, REST):
            artifact = str(Path(folder, Path(policy).stem + ".graph.json"))
            with timed():
                good.append(part(f"Compile {policy}", ["compile", policy, "-o", artifact], 0))
    print(f"\nall of this took {time.perf_counter() - started:.2f} s")
    return 0 if all(good) else 1


def part(title: str, arguments: list[str], expected: int) -> bool:
    """Run one command, and say so if it ended otherwise than expected."""
    line = " ".join(f"'{word}'" if " " in word else word for word in arguments)
    print(f"\n\x1b[1m{title}\x1b[0m\n\x1b[2m$ schemarouter {line}\x1b[0m", flush=True)
    status = run(arguments)
    if status != expected:
        print(f"demo: exit code {status} where {expected} was expected", file=sys.stderr)
    return status == expected


@contextmanager
def timed() -> Iterator[None]:
    """Print how long the block took."""
    begun = time.perf_counter()
    yield
    print(f"took {(time.perf_counter() - begun) * 1000:.1f} ms")


if __name__ == "__main__":
    sys.exit(main())
