"""Which files a check reads: those that are named, those below folders that are named, those that the project names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from schemarouter_cli.failure import CannotRun, os_reason
from schemarouter_cli.files import STDIN
from schemarouter_cli.settings import Settings
from schemarouter_cli.text import display_path

ENDINGS = (".yaml", ".yml", ".toml")
#: File names, without their ending, that mean a policy where the project does not say which files are policies.
STEMS = frozenset({"policy", "schemarouter"})
#: A file of this name holds tests of a policy and is none, unless it is named.
TEST_ENDINGS = tuple(f".test{ending}" for ending in ENDINGS)
#: Folders that hold other people's files; only entered, as hidden folders are, where `include` names them.
SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})

#: Whether a search takes a file, by its path and its name.
Wanted: TypeAlias = Callable[[str, str, Settings], bool]


def find_policies(paths: Sequence[str], settings: Settings, *, allow_empty: bool) -> list[str]:
    """The files to check, each once, in a fixed order. A named file is taken as it is, whatever it is called."""
    if not paths:
        found = list(_below(settings.root or os.curdir, settings))
        if settings.include is not None and not allow_empty:
            _require_matches(found, settings)
    else:
        found = []
        for path in paths:
            found += _below(path, settings) if path != STDIN and os.path.isdir(path) else [path]
    if not found and not allow_empty:
        where = _where(paths)
        raise CannotRun(
            f"no policy file found in {where}",
            "name a file, or set `include` of `[tool.schemarouter]` in `pyproject.toml`; by default files called "
            "`*.policy.yaml`, `policy.yaml` and `schemarouter.yaml` are found, also with the endings .yml and .toml",
        )
    return _once(found)


def find_tests(paths: Sequence[str], settings: Settings) -> list[str]:
    """Files of policy tests, and the policies that a check would read; a file that is named is taken as it is."""
    found: list[str] = []
    for path in paths or (settings.root or os.curdir,):
        if path == STDIN:
            raise CannotRun("policy tests are read from files, not from standard input", "name a file or a folder")
        found += _below(path, settings, _is_policy_or_test) if os.path.isdir(path) else [path]
    return _once(found)


def _where(paths: Sequence[str]) -> str:
    return ", ".join(f"`{display_path(path)}`" for path in paths) or "this project"


def no_tests(paths: Sequence[str]) -> CannotRun:
    """Why nothing was run."""
    return CannotRun(
        f"no policy test found in {_where(paths)}",
        "write one: `policy.test.yaml` beside `policy.yaml`, or `examples` of a rule; or pass `--allow-empty`",
    )


def _once(found: list[str]) -> list[str]:
    unique: dict[str, str] = {}
    for path in found:
        unique.setdefault(path if path == STDIN else os.path.abspath(path), path)
    return list(unique.values())


def _below(folder: str, settings: Settings, wanted: Wanted | None = None) -> Iterator[str]:
    """Policy files (or those that are ``wanted``) in ``folder`` and the folders in it. Links to folders are not followed: they may form a circle."""

    def refuse(error: OSError) -> None:
        raise CannotRun(f"cannot read `{display_path(error.filename or folder)}`: {os_reason(error)}")

    for parent, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if _enters(os.path.join(parent, name), name, settings))
        for name in sorted(files):
            path = os.path.normpath(os.path.join(parent, name))
            if (wanted or _is_policy)(path, name, settings):
                yield os.path.relpath(path) if settings.root and folder == settings.root else path


def is_found(path: str, folder: str, settings: Settings) -> bool:
    """Whether a search of ``folder`` would find a policy file at ``path`` below it; neither needs to exist."""
    relative = os.path.relpath(path, folder)
    *parents, name = relative.split(os.sep)
    at = folder
    for parent in parents:
        at = os.path.join(at, parent)
        if parent == os.pardir or not _enters(at, parent, settings):
            return False
    return _is_policy(os.path.normpath(path), name, settings)


def _enters(path: str, name: str, settings: Settings) -> bool:
    if _matches(path, settings.exclude, settings):
        return False
    skipped = name.startswith(".") or name in SKIPPED
    return not skipped or any(name in pattern.split("/") for pattern in settings.include or ())


def _is_policy(path: str, name: str, settings: Settings) -> bool:
    stem, ending = os.path.splitext(name)
    if (
        ending not in ENDINGS
        or name == "pyproject.toml"
        or name.endswith(TEST_ENDINGS)
        or _matches(path, settings.exclude, settings)
    ):
        return False
    if settings.include is None:
        return stem in STEMS or stem.endswith(".policy")
    return _matches(path, settings.include, settings)


def is_test(path: str) -> bool:
    """Whether a file that is named holds policy tests, by its name."""
    return path.endswith(TEST_ENDINGS) and not os.path.basename(path).startswith(".")


def _is_policy_or_test(path: str, name: str, settings: Settings) -> bool:
    if not name.endswith(TEST_ENDINGS):
        return _is_policy(path, name, settings)
    if name.startswith(".") or _matches(path, settings.exclude, settings):
        return False
    if settings.include is not None:
        return _matches(path, settings.include, settings)
    # Other tools have such files too: a policy lies beside it, or would by its name.
    stem = path.rpartition(".test")[0]
    return any(_is_policy(stem + ending, os.path.basename(stem + ending), settings) for ending in ENDINGS) or any(
        os.path.isfile(stem + ending) for ending in ENDINGS
    )


def _matches(path: str, patterns: Sequence[str], settings: Settings) -> bool:
    """Whether a pattern matches the path, relative to the project, or a folder that it lies in."""
    if not patterns:
        return False
    from fnmatch2 import fnmatchcase2

    relative = os.path.relpath(path, settings.root)
    return any(fnmatchcase2(relative, pattern) for pattern in patterns)


def _require_matches(found: list[str], settings: Settings) -> None:
    """A pattern that matches nothing is a policy that nobody checks: a typing error, not a detail."""
    for pattern in settings.include or ():
        if pattern.endswith(TEST_ENDINGS):
            continue  # for `schemarouter test`
        if not any(_matches(path, (pattern,), settings) for path in found):
            raise CannotRun(
                f"`include` pattern `{pattern}` of `[tool.schemarouter]` matches no policy file",
                "mend or remove the pattern, or pass `--allow-empty`; policy files end in .yaml, .yml or .toml",
            )
