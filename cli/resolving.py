"""``--resolve``: looking up the callables that a policy names, in packages that the user allowed by name."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from importlib import import_module

from schemarouter_cli.failure import CannotRun


def resolver(prefixes: Sequence[str]) -> Callable[[str], str | None]:
    """Make a function that says why a name has no callable, as the end of a sentence, or ``None`` if it has one.

    A plain name such as ``audit`` is supplied by the application and cannot be looked up: nothing is said of it. Whole
    module segments count: ``myapp.`` and ``myapp`` both allow ``myapp`` and ``myapp.hooks``, and not ``myapplication``.
    """
    allowed = [prefix.rstrip(".") for prefix in prefixes]
    for prefix in allowed:
        if not _is_module(prefix):
            raise CannotRun(f"`{prefix}` is no module prefix", "write `--allow-import myapp.`")

    def resolve(name: str) -> str | None:
        module, colon, attribute = name.partition(":")
        if not colon:
            return None
        if not _is_module(module) or not attribute.isidentifier():
            return "is no `module:attribute`"
        if not any(module == prefix or module.startswith(f"{prefix}.") for prefix in allowed):
            return "lies outside what `--allow-import` allows"
        return _look_up(module, attribute)

    return resolve


def _is_module(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _look_up(module: str, attribute: str) -> str | None:
    # As for `python -m`, but last: a file here cannot take the place of an installed module.
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        # What the user's modules print belongs to no format that we write.
        with redirect_stdout(sys.stderr):
            found = getattr(import_module(module), attribute)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's code may fail in any way
        return f"cannot be imported ({type(error).__name__})"
    return None if callable(found) else "is not callable"
