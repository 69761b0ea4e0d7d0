"""Lengths of time as users write them: `90s`, `15m`, `8h`, `30d`."""

from __future__ import annotations

import re

import click

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_TEXT = re.compile(r"([0-9]{1,9})([smhd])", re.ASCII)


def seconds_of(_context: click.Context, _parameter: click.Parameter, text: str) -> int:
    """Callback of an option: the seconds that ``8h`` means."""
    found = _TEXT.fullmatch(text)
    if found is None:
        raise click.BadParameter("write a number and one of s, m, h, d: `8h`")
    return int(found[1]) * _UNITS[found[2]]


def in_words(seconds: float) -> str:
    """``14 min``, ``2 h 5 min``, ``3 d 4 h``; ``0 s`` for what is over."""
    left = max(0, int(seconds))
    if left < 60:
        return f"{left} s"
    minutes = left // 60
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min"
    return f"{hours // 24} d {hours % 24} h"
