"""The data files of this package: JSON Schemas and starter policies, wherever it is installed or checked out.

In an installation ``schemas/`` and ``config/`` are the packages ``schemarouter.schemas`` and ``schemarouter.profiles``.
A checkout that is the current folder hides the installed package but has no such children: there the folders
themselves, next to the package, are read.
"""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

Kind = Literal["schemas", "profiles"]

#: Folder of a checkout, for each kind.
_FOLDERS: dict[Kind, str] = {"schemas": "schemas", "profiles": "config"}
_ENDINGS: dict[Kind, tuple[str, ...]] = {"schemas": (".schema.json",), "profiles": (".yaml", ".toml")}


def _root(kind: Kind) -> Traversable:
    package = f"{__package__}.{kind}"
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        folder = Path(__file__).resolve().parent.parent / _FOLDERS[kind]
        if error.name != package or not (folder / "__init__.py").is_file():
            raise
        return folder
    return files(package)


def resource_names(kind: Kind) -> list[str]:
    """File names of all data files of a kind, sorted; policy tests beside the policies are none."""
    names = (entry.name for entry in _root(kind).iterdir() if entry.name.endswith(_ENDINGS[kind]))
    return sorted(name for name in names if ".test." not in name)


def read_resource(kind: Kind, name: str) -> str:
    """The text of a data file. A ``name`` that :func:`resource_names` does not list is a ``KeyError``."""
    if name not in resource_names(kind):
        raise KeyError(name)
    return (_root(kind) / name).read_text(encoding="utf-8")
