"""What users install: sdist to wheel to a fresh environment, with its data files, also from inside a checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from schemarouter import __version__
from support.command import environment

ROOT = Path(__file__).parents[2]
PARTS = ("schemarouter", "cli", "config", "schemas", "pyproject.toml", "README.md", "LICENSE")
DATA = (
    "schemarouter/py.typed",
    "schemarouter/profiles/starter.yaml",
    "schemarouter/profiles/starter.toml",
    "schemarouter/profiles/read-only.yaml",
    "schemarouter/profiles/mcp.yaml",
    "schemarouter/profiles/examples/github-mcp.yaml",
    "schemarouter/profiles/examples/github-rest.toml",
    "schemarouter/schemas/policy.v1.schema.json",
    "schemarouter/schemas/check.v1.schema.json",
    "schemarouter/schemas/explain.v1.schema.json",
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is built from: building writes into the folder."""
    folder = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(ROOT / part, folder / part)
    return folder


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution, without a network."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, checkout],
        env=environment(),
        capture_output=True,
        check=True,
        timeout=110,
    )
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` of an environment with the wheel; dependencies come from the environment of the tests."""
    folder = tmp_path_factory.mktemp("wheel-env")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=60)
    python = folder / "bin" / "python"
    # Named in a .pth file, a folder's own .pth files are not read: the editable install of the tests stays out.
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel],
        env=environment(),
        check=True,
        timeout=60,
    )
    return folder / "bin"


def call(bin_: Path, program: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [bin_ / program, *arguments],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_wheel_holds_the_data_files(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert set(DATA) <= set(names)
    assert {name.split("/")[0] for name in names} == {
        "schemarouter",
        "schemarouter_cli",
        f"schemarouter-{__version__}.dist-info",
    }


def test_every_module_is_in_the_wheel(wheel: Path) -> None:
    """A package that `pyproject.toml` does not list is missing without a word."""
    names = set(zipfile.ZipFile(wheel).namelist())
    folders = {"schemarouter": "schemarouter", "cli": "schemarouter_cli", "config": "schemarouter/profiles"}
    modules = {
        f"{target}/{path.relative_to(ROOT / source).as_posix()}"
        for source, target in folders.items()
        for path in (ROOT / source).rglob("*.py")
    }
    assert modules - names == set()


@pytest.mark.parametrize("where", ["elsewhere", "checkout"])
def test_the_installed_command(installed: Path, checkout: Path, tmp_path: Path, where: str) -> None:
    cwd = checkout if where == "checkout" else tmp_path
    policy = tmp_path / f"{where}.yaml"
    for program, first in (("schemarouter", ()), ("python", ("-m", "schemarouter"))):
        version = call(installed, program, *first, "--version", cwd=cwd)
        assert (version.returncode, version.stdout) == (0, f"schemarouter {__version__}\n"), version.stderr
        policy.unlink(missing_ok=True)
        written = call(installed, program, *first, "init", "-o", str(policy), cwd=cwd)
        assert written.returncode == 0, written.stderr
        assert call(installed, program, *first, "schema", cwd=cwd).stdout.startswith("{")
        checked = call(installed, program, *first, "check", "--strict", "--no-config", str(policy), cwd=cwd)
        assert (checked.returncode, checked.stdout) == (0, "no findings in 1 file\n"), checked.stderr


def test_a_checkout_runs_its_own_command_line(installed: Path, checkout: Path, tmp_path: Path) -> None:
    """`python -m` in a checkout takes the checkout's library, so it must not take an installed command line."""
    source = "import runpy, sys; sys.argv = ['x', 'schema', '--list']\n" + (
        "try: runpy.run_module('schemarouter', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "print(sys.modules['schemarouter_cli'].__path__[0]); print(sys.modules['schemarouter'].__path__[0])\n"
    )
    lines = call(installed, "python", "-c", source, cwd=checkout).stdout.splitlines()[-2:]
    assert [Path(line).parent for line in lines] == [checkout, checkout]
    lines = call(installed, "python", "-c", source, cwd=tmp_path).stdout.splitlines()[-2:]
    assert {Path(line).parent for line in lines} == {next(installed.parent.glob("lib/python*/site-packages"))}


def test_a_clean_check_imports_nothing_that_it_does_not_need(installed: Path, tmp_path: Path) -> None:
    """Start-up time is a feature: what draws, validates contracts or reads the network stays out."""
    (tmp_path / "policy.yaml").write_text("version: 1\nbudget: {max_tool_calls: 3}\n")
    source = (
        "import sys; from schemarouter_cli.__main__ import run\n"
        "code = run(sys.argv[1:])\n"
        "print(code, *sorted({name.split('.')[0] for name in sys.modules}))\n"
    )

    def loaded(*arguments: str) -> set[str]:
        last = call(installed, "python", "-c", source, *arguments, cwd=tmp_path).stdout.splitlines()[-1].split()
        assert last[0] == "0"
        return set(last)

    heavy = {"rich", "jsonschema", "re2", "asyncio", "tomllib", "fnmatch2", "referencing", "importlib.metadata"}
    assert loaded("check", "policy.yaml") & heavy == set()
    assert loaded("--version") & {*heavy, "click", "pydantic", "ruamel", "_ruamel_yaml", "re", "typing"} == set()


def test_the_version_stands_once(wheel: Path) -> None:
    declared = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert declared is not None
    assert declared[1] == __version__
    assert os.path.basename(wheel).startswith(f"schemarouter-{__version__}-")
