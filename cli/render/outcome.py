"""Which renderer writes an outcome, and where to. Renderers are imported when they are needed."""

from __future__ import annotations

from schemarouter_cli import streams
from schemarouter_cli.outcome import Outcome
from schemarouter_cli.terminal import screen_width, wants_color


def show(
    outcome: Outcome, output_format: str, color: str, output_file: str | None = None, *, to_stderr: bool = False
) -> None:
    """Write ``outcome`` to standard output, to ``output_file``, or where standard output holds data to standard error."""
    colored = output_file is None and wants_color(color, stderr=to_stderr)
    text = rendered(outcome, output_format, colored)
    if to_stderr:
        streams.tell(text.rstrip("\n"))
    else:
        deliver(text, output_file)


def deliver(text: str, output_file: str | None) -> None:
    """Write ``text`` to standard output, or as a whole to ``output_file``."""
    if output_file is None:
        streams.write(text)
    else:
        from schemarouter_cli.files import write_atomically

        write_atomically(output_file, text.encode("utf-8", "backslashreplace"))


def rendered(outcome: Outcome, output_format: str, colored: bool) -> str:
    """``outcome`` in a format."""
    if output_format == "sarif":
        from schemarouter_cli.render.sarif import render_sarif

        return render_sarif(outcome)
    if output_format != "full":
        from schemarouter_cli.render import machine

        renderers = {
            "concise": machine.render_concise,
            "json": machine.render_json,
            "github": machine.render_github,
        }
        return renderers[output_format](outcome)
    if not outcome.findings:
        return _clean(outcome, colored) if outcome.files else ""
    from schemarouter_cli.render.full import render_full

    return render_full(outcome, color=colored, width=screen_width())


def _clean(outcome: Outcome, colored: bool) -> str:
    """One line, without the library that draws tables: a clean check is the usual case and should be over quickly."""
    from schemarouter_cli.render.plain import load_lines, summary

    text = summary(outcome)
    loads = "".join(f"{line}\n" for line in load_lines(outcome))
    return loads + (f"\x1b[1;32m{text}\x1b[0m\n" if colored else f"{text}\n")
