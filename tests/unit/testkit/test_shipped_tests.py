"""The tests of the shipped policies pass, cover every rule, and notice every mistake in the profiles and the desk."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemarouter.testkit import collect, run_tests

CONFIG = Path(__file__).parents[3] / "config"
POLICIES = sorted(path for path in CONFIG.rglob("*.[yt][ao]ml") if ".test." not in path.name)
#: Policies of which no mistake goes unnoticed. The others are about hundreds of operations.
THOROUGH = [path for path in POLICIES if path.parent == CONFIG or path.stem == "desk"]


def test_there_are_policies() -> None:
    assert len(POLICIES) >= 9
    assert len(THOROUGH) >= 7


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.name)
def test_every_shipped_policy_has_tests_that_pass_and_cover_it(path: Path) -> None:
    assert collect.tests_beside(str(path)), f"{path.stem}.test.yaml is missing"
    report = run_tests(path)
    assert report.ok, report
    assert report.covered == report.rules > 0, report.policies[0].coverage.uncovered


@pytest.mark.parametrize("path", THOROUGH, ids=lambda path: path.name)
def test_every_mistake_is_noticed(path: Path) -> None:
    (policy,) = run_tests(path, mutate=True).policies
    assert policy.mutation is not None
    assert [one.description for one in policy.mutation.unnoticed] == []
    assert policy.mutation.killed == policy.mutation.counted > 10
