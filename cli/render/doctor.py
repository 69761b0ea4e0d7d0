"""What the doctor found, one line each."""

from __future__ import annotations

from rich.text import Text

from schemarouter.integrations.claude_code.doctor import Check
from schemarouter_cli.render.console import render
from schemarouter_cli.terminal import wants_color
from schemarouter_cli.text import printable

_COLORS = {"ok": "green", "note": "yellow", "broken": "red"}


def show_checks(checks: list[Check], color: str) -> str:
    """The checks, and a last line that says what it comes to."""
    parts: list[Text] = []
    for check in checks:
        line = Text(f"{check.state:<7}", style=_COLORS[check.state])
        line.append(printable(check.what), style="none")
        parts.append(line)
        if check.help is not None and check.state != "ok":
            parts.append(Text(f"{'':<7}help: {printable(check.help)}"))
    broken = sum(check.state == "broken" for check in checks)
    if broken:
        parts.append(Text(f"the hook is broken: {broken} of {len(checks)} checks"))
    else:
        parts.append(Text("the hook is whole: where a call is denied, it is the policy that says so"))
    return render(parts, color=wants_color(color), width=100)
