"""From times to ratios, from ratios to tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from benchmarks.parts import Amount, Group, Growth, Ratio
from benchmarks.rounds import Times

#: The table in the documentation stands between these lines.
BEGIN, END = "<!-- results begin -->", "<!-- results end -->"
#: A ratio whose quartiles lie further apart than this share of it is marked as noisy.
NOISY = 0.2


class Row(NamedTuple):
    """One line of the report. ``reached`` is ``None`` where nothing is aimed at."""

    section: str
    title: str
    measured: str
    value: float
    unit: str
    spread: float
    aim: str
    reached: bool | None


def rows_of(group: Group, times: Times, values: dict[str, float]) -> list[Row]:
    """What a group's times come to."""
    rows = []
    for result in group.results:
        if isinstance(result, Ratio):
            ratios = [a / b for a, b in zip(times[result.over], times[result.under], strict=True)]
            value, spread, unit = median(ratios), _spread(ratios), "x"
            measured = f"{seconds(median(times[result.over]))} : {seconds(median(times[result.under]))}"
            reached, aim = _judge(value, result.at_most, result.at_least)
        elif isinstance(result, Growth):
            steps = [median(times[label]) for label in result.ladder]
            value, unit = (steps[-1] / steps[0]) ** (1 / (len(steps) - 1)), "x"
            spread = math.nan
            measured = " · ".join(map(seconds, steps))
            reached, aim = _judge(value, result.at_most, None)
        else:
            value, spread, unit = _amount(result, times, values)
            measured = f"{number(value)} {unit}"
            reached, aim = _judge(value, result.at_most, None)
        rows.append(Row(group.section, result.title, measured, value, unit, spread, aim, reached))
    return rows


def _amount(result: Amount, times: Times, values: dict[str, float]) -> tuple[float, float, str]:
    if result.of in values:
        return values[result.of] * result.scale, math.nan, result.unit
    return median(times[result.of]) * result.scale, _spread(times[result.of]), result.unit


def _judge(value: float, at_most: float | None, at_least: float | None) -> tuple[bool | None, str]:
    if at_most is not None:
        return value <= at_most, f"<= {number(at_most)}"
    if at_least is not None:
        return value >= at_least, f">= {number(at_least)}"
    return None, ""


def _spread(values: list[float]) -> float:
    """How far the quartiles lie apart, as a share of the median."""
    if len(values) < 2:
        return math.nan
    first, middle, third = quantiles(values, n=4, method="inclusive")
    return (third - first) / middle


def seconds(value: float) -> str:
    """A time for people."""
    for scale, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * scale >= 1:
            return f"{number(value * scale)} {unit}"
    return f"{number(value * 1e9)} ns"


def number(value: float) -> str:
    """Three digits, or all that stand before the point."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def markdown(rows: Iterable[Row], machine: dict[str, Any]) -> str:
    """The tables, one for each section, and where they were made."""
    lines = [f"{key}: {value}  " for key, value in machine.items()]
    section = None
    for row in rows:
        if row.section != section:
            section = row.section
            lines += ["", f"### {section}", ""]
            lines += ["| what | medians | ratio | spread | aim | reached |", "|---|---|---|---|---|---|"]
        reached = {True: "yes", False: "**no**", None: ""}[row.reached]
        spread = "" if math.isnan(row.spread) else f"{row.spread:.0%}" + (" noisy" if row.spread > NOISY else "")
        value = f"{number(row.value)} {'' if row.unit == 'x' else row.unit}".strip()
        lines.append(f"| {row.title} | {row.measured} | {value} | {spread} | {row.aim} | {reached} |")
    return "\n".join(lines) + "\n"


def put_into(path: Path, tables: str) -> None:
    """Replace what stands between the markers of a file. Raises ``ValueError`` if it has none."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not end:
        raise ValueError(f"`{path}` has no place for the results")
    path.write_text(f"{head}{BEGIN}\n{tables}{END}{tail}", encoding="utf-8")
