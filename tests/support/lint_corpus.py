"""The cases under ``tests/corpus/lint``: policies that say in a last block of ``#!`` comments what has to be found.

``bad*`` has to give exactly the findings that it lists, infos included; ``good*`` has to give none at all.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

from schemarouter.document.source import Format
from schemarouter.lint.check import CheckReport, check_policy
from schemarouter.model.diagnostic import Finding

CORPUS = Path(__file__).parents[1] / "corpus" / "lint"
TODAY = date(2026, 12, 1)
MARK = "#! "


def resolve(name: str) -> str | None:
    """Stands for the look-up of ``--resolve``: everything can be found but names that end in ``:missing``."""
    return "has no callable" if name.endswith(":missing") else None


def cases(kind: str = "*", code: str = "*") -> list[Path]:
    return sorted(CORPUS.glob(f"{code}/{kind}"))


def check(text: str, format_: Format = "yaml", **options: object) -> CheckReport:
    settings: dict[str, object] = {"pedantic": True, "today": TODAY, **options}
    return check_policy(text, "policy", format_, **settings)


def check_file(path: Path) -> CheckReport:
    # A resolver brings SR602 into play, which SR901 would then judge as well.
    resolver = resolve if path.parent.name == "SR602" else None
    return check(path.read_text("utf-8"), "toml" if path.suffix == ".toml" else "yaml", resolve=resolver)


def described(finding: Finding) -> str:
    """A finding as one line of a case: its place, code and message."""
    line, column, end_line, end_column = finding.span
    end = str(end_column) if line == end_line else f"{end_line}:{end_column}"
    return f"{line}:{column}-{end} {finding.code} {finding.message}"


def expected(path: Path) -> list[str]:
    lines = path.read_text("utf-8").splitlines()
    return [line.removeprefix(MARK) for line in lines if line.startswith(MARK)]
