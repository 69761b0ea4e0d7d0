"""`[tool.schemarouter]`: found, read, and refused where it says something that nobody can have meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemarouter_cli.failure import CannotRun
from schemarouter_cli.settings import Settings, find_settings


def project(folder: Path, text: str) -> str:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return str(folder)


def test_without_a_project_file_nothing_is_settled(tmp_path: Path) -> None:
    assert find_settings(str(tmp_path)) == Settings()


def test_every_key(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        """
        [tool.schemarouter]
        include = ["./policies/", "*.policy.yaml"]
        exclude = ["policies/old/**"]
        select = ["SR1"]
        ignore = ["SR107"]
        strict = true
        pedantic = true
        """,
    )
    assert find_settings(root) == Settings(
        root=root,
        include=("policies", "*.policy.yaml"),
        exclude=("policies/old/**",),
        select=("SR1",),
        ignore=("SR107",),
        strict=True,
        pedantic=True,
    )


def test_the_nearest_project_file_with_the_table_counts(tmp_path: Path) -> None:
    outer = project(tmp_path, "[tool.schemarouter]\nstrict = true\n")
    inner = tmp_path / "packages" / "one"
    inner.mkdir(parents=True)
    project(inner, "[project]\nname = 'one'\n")
    assert find_settings(str(inner)) == Settings(root=outer, strict=True)


def test_a_broken_project_file_that_is_not_about_us_does_not_matter(tmp_path: Path) -> None:
    assert find_settings(project(tmp_path, "[[[\n")) == Settings()


@pytest.mark.parametrize(
    ("text", "message", "advice"),
    [
        ("[tool.schemarouter]\ninclde = []", "unknown key `inclde`", "did you mean `include`?"),
        ("[tool.schemarouter]\nzzz = 1", "unknown key `zzz`", "known keys: include"),
        ("[tool.schemarouter]\nstrict = 1", "`strict` of", "strict = true"),
        ("[tool.schemarouter]\nselect = 'SR1'", "is no list of strings", 'select = ["..."]'),
        ("[tool.schemarouter]\nselect = [1]", "is no list of strings", 'select = ["..."]'),
        ("[tool.schemarouter]\ninclude = ['/etc/*.yaml']", "names nothing inside the project", "relative"),
        ("[tool.schemarouter]\nexclude = ['a/../../b']", "names nothing inside the project", "relative"),
        ("[tool.schemarouter]\ninclude = ['']", "names nothing inside the project", "relative"),
        ("[tool]\nschemarouter = 3", "is no table", None),
        ("[tool.schemarouter]\n= 3", "cannot read", None),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, text: str, message: str, advice: str | None) -> None:
    with pytest.raises(CannotRun) as caught:
        find_settings(project(tmp_path, text))
    assert message in caught.value.message
    assert "pyproject.toml" in caught.value.message
    if advice is None:
        assert caught.value.advice is None
    else:
        assert advice in str(caught.value.advice)
