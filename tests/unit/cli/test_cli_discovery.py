"""Which files a check reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from schemarouter_cli.discovery import _is_policy, find_policies
from schemarouter_cli.failure import CannotRun
from schemarouter_cli.settings import Settings

FILES = (
    "policy.yaml",
    "other.yaml",
    "pyproject.toml",
    "README.md",
    "agents/a.policy.yml",
    "agents/schemarouter.toml",
    "agents/old/b.policy.yaml",
    "agents/old/deep/c.policy.yaml",
    ".hidden/policy.yaml",
    "node_modules/x/policy.yaml",
    "plain/one.yaml",
)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(*paths: str, allow_empty: bool = False, **settings: object) -> list[str]:
    return find_policies(paths, Settings(**settings), allow_empty=allow_empty)


def test_by_default_files_are_found_that_are_called_policies(tree: Path) -> None:
    assert found() == [
        "policy.yaml",
        "agents/a.policy.yml",
        "agents/schemarouter.toml",
        "agents/old/b.policy.yaml",
        "agents/old/deep/c.policy.yaml",
    ]


def test_a_named_folder_is_searched(tree: Path) -> None:
    assert found("agents/old") == ["agents/old/b.policy.yaml", "agents/old/deep/c.policy.yaml"]


def test_a_named_file_is_taken_whatever_it_is_called_and_excluded_or_not(tree: Path) -> None:
    assert found("other.yaml", "missing", root=str(tree), exclude=("other.yaml",)) == ["other.yaml", "missing"]


def test_every_file_is_taken_once(tree: Path) -> None:
    assert found("policy.yaml", "./policy.yaml", str(tree / "policy.yaml"), "-", "-") == ["policy.yaml", "-"]


def test_exclude_prunes_folders_and_files(tree: Path) -> None:
    assert found(root=str(tree), exclude=("agents/old",)) == [
        "policy.yaml",
        "agents/a.policy.yml",
        "agents/schemarouter.toml",
    ]
    assert "agents/a.policy.yml" not in found(root=str(tree), exclude=("**/a.*",))


def test_include_replaces_the_default_names(tree: Path) -> None:
    assert found(root=str(tree), include=("plain",)) == ["plain/one.yaml"]
    assert found(root=str(tree), include=("**/*.yaml",), exclude=("agents",)) == [
        "other.yaml",
        "policy.yaml",
        "plain/one.yaml",
    ]


def test_include_is_relative_to_the_project_and_results_to_the_current_folder(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree / "agents")
    assert found(root=str(tree), include=("plain",)) == ["../plain/one.yaml"]


def test_a_hidden_folder_is_entered_where_include_names_it(tree: Path) -> None:
    assert found(root=str(tree), include=(".hidden/*.yaml",)) == [".hidden/policy.yaml"]


def test_a_pattern_that_matches_nothing_is_refused(tree: Path) -> None:
    with pytest.raises(CannotRun, match="`polices` of"):
        found(root=str(tree), include=("plain", "polices"))
    assert found(root=str(tree), include=("plain", "polices"), allow_empty=True) == ["plain/one.yaml"]


def test_nothing_to_check_is_refused(tree: Path) -> None:
    with pytest.raises(CannotRun, match="no policy file found in `plain`"):
        found("plain")
    assert found("plain", allow_empty=True) == []


def test_links_to_folders_are_not_followed(tree: Path) -> None:
    (tree / "agents" / "old" / "circle").symlink_to(tree)
    assert found("agents/old") == ["agents/old/b.policy.yaml", "agents/old/deep/c.policy.yaml"]


@pytest.mark.parametrize("name", [*FILES, "a.policy.json", "policy.yaml.bak", "x/mypolicy.yaml", "a.policy/b.yaml"])
def test_the_pre_commit_hook_takes_the_same_files(name: str) -> None:
    hooks = (Path(__file__).parents[3] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    found = re.search(r"^  files: (.+)$", hooks, re.MULTILINE)
    assert found is not None
    assert (re.search(found[1], name) is not None) is _is_policy(name, Path(name).name, Settings())
