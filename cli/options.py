"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def output_format(*formats: str) -> Callable[[Command], Command]:
    """``--output-format``; the first format is the default."""
    return click.option(
        "--output-format",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How to write the result.",
    )


color = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to colour; auto also heeds NO_COLOR and FORCE_COLOR.",
)

policy_format = click.option(
    "--format",
    "format_",
    type=click.Choice(["yaml", "toml"]),
    help="Read the text as this format. Default: by the file's ending, else by the text.",
)
