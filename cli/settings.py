"""``[tool.schemarouter]`` of the nearest ``pyproject.toml`` that has that table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from schemarouter_cli.failure import CannotRun
from schemarouter_cli.files import read_bytes
from schemarouter_cli.text import display_path

#: A project file that is longer is not one.
LIMIT = 16_000_000


class Settings(NamedTuple):
    """What the project settled. ``root`` is the folder that paths are relative to.

    ``include`` is ``None`` where the project does not say which files are policies.
    """

    root: str = ""
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    catalog: tuple[str, ...] = ()
    invariants: tuple[str, ...] = ()
    strict: bool = False
    pedantic: bool = False


_KEYS = tuple(name for name in Settings._fields if name != "root")
_SWITCHES = frozenset({"strict", "pedantic"})


def find_settings(folder: str) -> Settings:
    """The settings that hold in ``folder``: its own project file or that of the nearest folder above."""
    while True:
        candidate = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(candidate):
            table = _table(candidate)
            if table is not None:
                return _settings(table, candidate)
        parent = os.path.dirname(folder)
        if parent == folder:
            return Settings()
        folder = parent


def _table(path: str) -> object:
    """The table, or ``None``. A project file that does not mention it need not even be valid."""
    raw = read_bytes(path, LIMIT)
    if b"schemarouter" not in raw:
        return None
    import tomllib  # lazily: most checks never need it

    try:
        tool = tomllib.loads(raw.decode("utf-8")).get("tool", {})
    except (ValueError, RecursionError) as error:
        raise CannotRun(f"cannot read `{display_path(path)}`: {error}") from None
    return tool.get("schemarouter") if isinstance(tool, Mapping) else None


def _settings(table: object, path: str) -> Settings:
    where = f"`[tool.schemarouter]` in `{display_path(path)}`"
    if not isinstance(table, Mapping):
        raise CannotRun(f"{where} is no table")
    values: dict[str, object] = {}
    for key, value in table.items():
        if key not in _KEYS:
            raise CannotRun(f"{where} has the unknown key `{key}`", _advice(key))
        if key in _SWITCHES:
            if not isinstance(value, bool):
                raise CannotRun(f"`{key}` of {where} is no boolean", f"write `{key} = true` or `{key} = false`")
            values[key] = value
        else:
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise CannotRun(f"`{key}` of {where} is no list of strings", f'write `{key} = ["..."]`')
            paths = "clude" in key or key in ("catalog", "invariants")
            values[key] = tuple(_pattern(item, key, where) for item in value) if paths else tuple(value)
    return Settings(root=os.path.dirname(path), **values)  # type: ignore[arg-type]  # each value was checked above


def _advice(key: str) -> str:
    import difflib

    close = difflib.get_close_matches(key, _KEYS, 1)
    return f"did you mean `{close[0]}`?" if close else f"known keys: {', '.join(_KEYS)}"


def _pattern(text: str, key: str, where: str) -> str:
    """A path pattern without its leading ``./`` and its trailing slashes."""
    pattern = text.replace("\\", "/").removeprefix("./").rstrip("/")
    if not pattern or text.startswith("/") or ".." in pattern.split("/"):
        raise CannotRun(
            f"`{key}` of {where} has the pattern `{text}`, which names nothing inside the project",
            "write a path relative to that file, such as `policies/**/*.yaml`",
        )
    return pattern
