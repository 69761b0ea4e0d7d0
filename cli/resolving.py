"""``--resolve``: looking up the callables that a policy names, in packages that the user allowed by name."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout

from schemarouter_cli.failure import CannotRun


def resolver(allowed: Sequence[str]) -> Callable[[str], str | None]:
    """Make a function that says why a name has no callable, as the end of a sentence, or ``None`` if it has one.

    A plain name such as ``audit`` is supplied by the application and cannot be looked up: nothing is said of it.
    """
    from schemarouter.named_callables import import_callable, import_prefixes

    try:
        prefixes = import_prefixes(allowed)
    except ValueError:
        raise CannotRun("`--allow-import` names no module", "write a prefix such as `--allow-import myapp.`") from None

    def resolve(name: str) -> str | None:
        if ":" not in name:
            return None
        # As for `python -m`, but last: a file here cannot take the place of an installed module.
        if os.getcwd() not in sys.path:
            sys.path.append(os.getcwd())
        # What the user's modules print belongs to no format that we write.
        with redirect_stdout(sys.stderr):
            return import_callable(name, prefixes)[1]

    return resolve
