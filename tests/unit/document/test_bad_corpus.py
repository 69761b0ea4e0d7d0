"""Every file under tests/corpus/bad against the findings written beside it.

``name.expect`` holds one finding after the other: where it stands, its code, its message, and indented what belongs to
it. ``REGENERATE_CORPUS=1 pytest tests/unit/document/test_bad_corpus.py`` writes the files anew; read the difference
before you commit it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from schemarouter.document.reader import ReadResult, detect_format, read_policy

CORPUS = Path(__file__).parents[2] / "corpus" / "bad"
FILES = sorted(path for path in CORPUS.rglob("*") if path.suffix in {".yaml", ".toml"})


def read(path: Path) -> ReadResult:
    return read_policy(path.read_bytes(), path.name, detect_format(path.name, ""))


def rendered(result: ReadResult) -> str:
    lines = []
    for finding in result.findings:
        lines.append(f"{place(finding.span)} {finding.code}[{finding.name}] {finding.severity}: {finding.message}")
        where = finding.pointer + (f" (rule {finding.rule})" if finding.rule is not None else "")
        if where:
            lines.append(f"    at {where}")
        if finding.help is not None:
            lines.append(f"    help: {finding.help}")
        lines += [f"    {place(related.span)} {related.message}" for related in finding.related]
        if finding.fix is not None:
            lines += [
                f"    {finding.fix.applicability} fix: {place(edit.span)} -> {edit.text}" for edit in finding.fix.edits
            ]
    text = "".join(f"{line}\n" for line in lines)
    return text.encode("utf-8", "backslashreplace").decode()


def place(span: tuple[int, int, int, int]) -> str:
    line, column, end_line, end_column = span
    return f"{line}:{column}-{end_line}:{end_column}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CORPUS)))
def test_every_bad_file_gives_exactly_its_findings(path: Path) -> None:
    result = read(path)
    expected = path.with_name(path.name + ".expect")
    if os.environ.get("REGENERATE_CORPUS"):
        expected.write_text(rendered(result), encoding="utf-8")
    assert rendered(result) == expected.read_text(encoding="utf-8")
    assert result.document is None


def test_the_corpus_is_complete() -> None:
    assert len(FILES) >= 350
    assert {path.name for path in CORPUS.rglob("*.expect")} == {path.name + ".expect" for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CORPUS)))
def test_messages_follow_the_house_style(path: Path) -> None:
    for finding in read(path).findings:
        for text in (finding.message, finding.help):
            assert text
            assert "\n" not in text
            assert text.isprintable()
            assert not re.match(r"[A-Z][a-z]", text), text
            assert not text.endswith("."), text
        assert finding.span[:2] <= finding.span[2:]
        assert len(finding.fingerprint) == 16
