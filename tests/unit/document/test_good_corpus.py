"""Every file under tests/corpus/good is read without a finding, and YAML and TOML of one name mean the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemarouter.document.reader import detect_format, read_policy
from schemarouter.document.v1 import PolicyDocument

CORPUS = Path(__file__).parents[2] / "corpus" / "good"
NAMES = sorted(path.stem for path in CORPUS.glob("*.yaml"))


def read(path: Path) -> PolicyDocument:
    result = read_policy(path.read_bytes(), path.name, detect_format(path.name, ""))
    assert result.findings == ()
    assert result.document is not None
    return result.document


def test_the_corpus_is_complete() -> None:
    assert len(NAMES) >= 25
    assert sorted(path.stem for path in CORPUS.glob("*.toml")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_yaml_and_toml_mean_the_same(name: str) -> None:
    yaml = read(CORPUS / f"{name}.yaml")
    toml = read(CORPUS / f"{name}.toml")
    assert yaml == toml


@pytest.mark.parametrize("name", NAMES)
def test_a_file_says_something(name: str) -> None:
    document = read(CORPUS / f"{name}.yaml")
    assert name in {"minimal", "empty-sections"} or document != PolicyDocument(version=1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("suffix", ["yaml", "toml"])
def test_the_format_is_told_from_the_text(name: str, suffix: str) -> None:
    raw = (CORPUS / f"{name}.{suffix}").read_bytes()
    assert detect_format("<stdin>", raw) == suffix
    assert detect_format("<stdin>", raw.decode("utf-8-sig")) == suffix
