"""Every case on every adapter; docs/conformance.md is the table of what the run gave."""

import os
from pathlib import Path

import pytest
from conformance.cases import CASES
from drivers import DRIVERS

from schemarouter.integrations.stages import ALL_STAGES
from schemarouter.model.stages import STAGES

TABLE = Path(__file__).parents[2] / "docs" / "conformance.md"


@pytest.mark.parametrize("driver", DRIVERS, ids=lambda driver: driver.name)
@pytest.mark.parametrize("case", CASES)
def test_case(case, driver):
    if case in driver.missing:
        pytest.skip(driver.missing[case])
    CASES[case](driver)


def result(case, driver):
    if case in driver.missing:
        return f"no: {driver.missing[case]}"
    try:
        CASES[case](driver)
    except pytest.skip.Exception as skipped:
        return f"no: {skipped}"
    return "yes"


def test_the_table_is_what_the_run_gives():
    lines = [
        "# What every adapter does",
        "",
        "Written by `make test-integrations` from a run of the conformance suite (`tests/integrations/conformance`) on the",
        'real frameworks; a cell with "no" says what the host has no place for.',
        "",
        f"| case | {' | '.join(driver.name for driver in DRIVERS)} |",
        f"|---|{'---|' * len(DRIVERS)}",
    ]
    for name, case in CASES.items():
        what = " ".join((case.__doc__ or "").split())
        lines.append(
            f"| **{name.replace('_', ' ')}**: {what} | {' | '.join(result(name, driver) for driver in DRIVERS)} |"
        )
    lines += [
        "",
        "## Which stages are enforced",
        "",
        "A policy that counts on another one is refused before anything runs.",
        "",
        f"| stage | {' | '.join(driver.name for driver in DRIVERS)} |",
        f"|---|{'---|' * len(DRIVERS)}",
    ]
    for stage in STAGES:
        cells = ("yes" if stage.name in getattr(driver, "stages", ALL_STAGES) else "no" for driver in DRIVERS)
        lines.append(f"| {stage.name} | {' | '.join(cells)} |")
    text = "\n".join(lines) + "\n"
    if os.environ.get("UPDATE_TABLES"):
        TABLE.write_text(text)
    assert TABLE.read_text() == text
