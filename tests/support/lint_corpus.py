"""The cases under ``tests/corpus/lint``: policies that say in a last block of ``#!`` comments what has to be found.

``bad*`` has to give exactly the findings that it lists, infos included; ``good*`` has to give none at all, but for SR204
in the cases of other codes: it speaks of every exception to a rule, and exceptions are good style.

Cases of a code whose folder holds ``catalog.json`` are checked with that catalog. Where it holds ``then.json``, the catalog
when the lock was written, or ``then.yaml``, the policy of that time, they are checked with a lock as well: what is bad with
the lock of then, what is good with one of now. The examples in the documentation of the code likewise. Of a code whose
rule also works without a catalog, only the cases that are called ``*-catalog`` have one.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

from schemarouter.catalog.file import read_catalog
from schemarouter.catalog.lock import make_lock
from schemarouter.document.source import Format
from schemarouter.lint import registry
from schemarouter.lint.check import CheckReport, check_policy
from schemarouter.loading import compile_text
from schemarouter.model.diagnostic import Finding
from schemarouter.testkit.coverage import tested_rules

CORPUS = Path(__file__).parents[1] / "corpus" / "lint"
TODAY = date(2026, 12, 1)
MARK = "#! "


def resolve(name: str) -> str | None:
    """Stands for the look-up of ``--resolve``: everything can be found but names that end in ``:missing``."""
    return "has no callable" if name.endswith(":missing") else None


def cases(kind: str = "*", code: str = "*") -> list[Path]:
    found = sorted(CORPUS.glob(f"{code}/{kind}"))
    return [path for path in found if path.name.startswith(("bad", "good"))]


def surroundings(code: str, text: str, format_: Format, *, good: bool, named: bool = False) -> dict[str, object]:
    """The catalog and the lock that a case of ``code`` is checked with, if any."""
    folder = CORPUS / code
    needs = {need for rule in registry.rules() if rule.code == code for need in rule.needs}
    if "tests" in needs:
        return {"tested": tested_rules("policy", text.encode()).rules}
    if not (named or "catalog" in needs):
        return {}
    catalog = read_catalog((folder / "catalog.json").read_bytes())
    now = compile_text(text, "policy", format_).graph
    if now is None or not [*folder.glob("then.*")]:
        return {"catalog": catalog}
    before, then = catalog, now
    if not good and (folder / "then.json").exists():
        before = read_catalog((folder / "then.json").read_bytes())
    if not good and (folder / "then.yaml").exists():
        old = compile_text((folder / "then.yaml").read_bytes(), "then", "yaml").graph
        assert old is not None
        then = old
    return {"catalog": catalog, "lock": make_lock(then, before)}


def check(text: str, format_: Format = "yaml", **options: object) -> CheckReport:
    settings: dict[str, object] = {"pedantic": True, "today": TODAY, **options}
    return check_policy(text, "policy", format_, **settings)


def check_file(path: Path) -> CheckReport:
    # A resolver brings SR602 into play, which SR901 would then judge as well.
    resolver = resolve if path.parent.name == "SR602" else None
    text, format_ = path.read_text("utf-8"), "toml" if path.suffix == ".toml" else "yaml"
    good, named = path.name.startswith("good"), path.stem.endswith("-catalog")
    around = surroundings(path.parent.name, text, format_, good=good, named=named)
    return check(text, format_, resolve=resolver, **around)


def described(finding: Finding) -> str:
    """A finding as one line of a case: its place, code and message."""
    line, column, end_line, end_column = finding.span
    end = str(end_column) if line == end_line else f"{end_line}:{end_column}"
    return f"{line}:{column}-{end} {finding.code} {finding.message}"


def found(path: Path) -> list[str]:
    """What was found in a case, as it lists it."""
    exceptions = path.name.startswith("good") and path.parent.name != "SR204"
    return [described(one) for one in check_file(path).findings if not (exceptions and one.code == "SR204")]


def expected(path: Path) -> list[str]:
    lines = path.read_text("utf-8").splitlines()
    return [line.removeprefix(MARK) for line in lines if line.startswith(MARK)]
