"""Environments of their own for every tool that is measured, under `.envs/`: names and versions from `locks/`.

Our own build is installed from a wheel, because an editable installation starts twice as slowly.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ENVIRONMENTS = ROOT / ".envs"
#: What the wheel is built from.
SOURCES = ("schemarouter", "cli", "config", "schemas", "pyproject.toml", "README.md", "LICENSE")
PEERS = ("automata-lib", "casbin", "cedarpy", "google-re2", "schemarouter-0.17.0", "z3-solver")
OURS = "wheel"
#: The installer: the script that it writes for a command is a part of every start, and older ones import `re` in it.
PIP = "pip"


def python_of(name: str) -> Path:
    """The interpreter of an environment."""
    return ENVIRONMENTS / name / "bin" / "python"


def make_all() -> None:
    """Make every environment that is not as its lock says; our own build is installed anew each time."""
    for name in (PIP, *PEERS):
        _make(name, (HERE / "locks" / f"{name}.txt").read_text(encoding="utf-8"), ["--require-hashes"])
    _make(OURS, _runtime_lock(), ["--require-hashes", "--no-deps"])
    _install_ours()


def _make(name: str, lock: str, options: list[str]) -> None:
    folder = ENVIRONMENTS / name
    stamp = folder / "lock.sha256"
    wanted = hashlib.sha256(f"{sys.version}\n{lock}".encode()).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    print(f"making the environment {name} ...", flush=True)
    venv.create(folder, clear=True, with_pip=False, symlinks=True)
    with tempfile.TemporaryDirectory() as scratch:
        requirements = Path(scratch, "requirements.txt")
        requirements.write_text(lock, encoding="utf-8")
        _pip(name, *options, "--requirement", str(requirements))
    stamp.write_text(wanted, encoding="utf-8")


def _runtime_lock() -> str:
    """The development lock, less what only development needs: the dependencies of the wheel, and theirs."""
    import importlib.metadata as metadata

    entries = re.split(r"\n(?=\S)", (ROOT / "requirements-dev.lock").read_text(encoding="utf-8"))
    locked = {_normal(re.split(r"[=<>!~; \[]", entry, maxsplit=1)[0]): entry for entry in entries}
    wanted: set[str] = set()
    waiting = ["schemarouter"]
    while waiting:
        for requirement in metadata.requires(waiting.pop()) or ():
            name = _normal(re.split(r"[=<>!~; \[(]", requirement, maxsplit=1)[0])
            if "extra ==" not in requirement and name in locked and name not in wanted:
                try:
                    metadata.distribution(name)
                except metadata.PackageNotFoundError:
                    continue  # for another Python or system
                wanted.add(name)
                waiting.append(name)
    return "\n".join(locked[name] for name in sorted(wanted)) + "\n"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _install_ours() -> None:
    print("building and installing our wheel ...", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "source")  # building writes into its folder, and takes over what is left there
        copy.mkdir()
        for part in SOURCES:
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            else:
                shutil.copy(ROOT / part, copy / part)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, "--no-build-isolation", "--wheel-dir", scratch, str(copy)], check=True)
        (wheel,) = Path(scratch).glob("*.whl")
        _pip(OURS, "--no-deps", "--force-reinstall", str(wheel))


def _pip(name: str, *arguments: str) -> None:
    """Install into an environment that has no pip of its own, so that nothing but the tool is started there."""
    installer = sys.executable if name == PIP else python_of(PIP)
    command = [installer, "-m", "pip", "--python", python_of(name), "install", "--quiet"]
    subprocess.run([*command, "--disable-pip-version-check", *arguments], check=True)


def versions(name: str) -> dict[str, str]:
    """Name and version of everything that is installed in an environment."""
    script = "import json, importlib.metadata as m; print(json.dumps({d.name: d.version for d in m.distributions()}))"
    import json

    done = subprocess.run([python_of(name), "-I", "-c", script], check=True, capture_output=True, text=True)
    result: dict[str, str] = json.loads(done.stdout)
    return result


if __name__ == "__main__":
    make_all()
