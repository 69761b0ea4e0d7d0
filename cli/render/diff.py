"""Which renderer writes a diff, and where to."""

from __future__ import annotations

from collections.abc import Sequence

from schemarouter_cli.changes import FailOn, FileDiff


def show_diff(
    files: Sequence[FileDiff],
    output_format: str,
    color: str,
    output_file: str | None,
    *,
    fail_on: FailOn,
    base: str | None,
) -> None:
    """Write the diff of ``files`` to standard output or to ``output_file``. ``base`` is the revision of the old side."""
    from schemarouter_cli.render.outcome import deliver
    from schemarouter_cli.terminal import screen_width, wants_color

    colored = output_file is None and wants_color(color)
    if output_format == "full":
        from schemarouter_cli.render.diff_full import render_full

        text = render_full(files, color=colored, width=screen_width())
    elif output_format == "markdown":
        from schemarouter_cli.render.diff_markdown import render_markdown

        text = render_markdown(files)
    elif output_format == "json":
        from schemarouter_cli.render.diff_json import render_json

        text = render_json(files, base)
    else:
        from schemarouter_cli.render.diff_findings import as_outcome
        from schemarouter_cli.render.outcome import rendered

        text = rendered(as_outcome(files, fail_on), output_format, colored=False)
    deliver(text, output_file)
