"""A switch that denies everything at once: a file that is there, or a variable that is set.

Standard library only.
"""

from __future__ import annotations

import os

#: The only values of the variable that mean off; unset does, too. Anything else is on.
OFF = frozenset({"", "0", "false", "no", "off"})


class KillSwitch:
    """Looked at in every validation of a call and before every attempt.

    ``path``: on while a file of any kind is there, whatever it holds. ``variable``: on while that environment variable
    of this process is neither unset nor one of :data:`OFF`, in any case. What cannot be told counts as on: a folder that
    is missing or must not be searched. A relative ``path`` counts from the folder of now, once.

    Raises ``ValueError`` if neither is given or one cannot be looked at, ``TypeError`` for another type.
    """

    __slots__ = ("_folder", "_path", "_variable")

    def __init__(self, path: str | os.PathLike[str] | None = None, *, variable: str | None = None) -> None:
        if path is None and variable is None:
            raise ValueError("a kill switch needs a `path` or a `variable`")
        self._path = self._folder = None
        if path is not None:
            text = os.fspath(path)
            if not isinstance(text, str):
                raise TypeError("the path of a kill switch must be text")
            if not text or "\0" in text:
                raise ValueError("the path of a kill switch must be a legal file name")
            self._path = os.path.abspath(text)
            self._folder = os.path.dirname(self._path)
        if variable is not None:
            if not isinstance(variable, str):
                raise TypeError("the variable of a kill switch must be text")
            if not variable or "=" in variable or "\0" in variable:
                raise ValueError("the variable of a kill switch must be a legal name")
        self._variable = variable

    def reason(self) -> str | None:
        """Say why the switch is on, as the end of a sentence; ``None`` if it is off. Never raises."""
        if self._variable is not None:
            value = os.environ.get(self._variable)
            if value is not None and value.strip().lower() not in OFF:
                return f"the kill switch is on (the variable {self._variable!a} is set)"
        if self._path is None or self._folder is None:
            return None
        try:
            os.lstat(self._path)  # a link that leads nowhere is there, too
        except FileNotFoundError:
            # Also what a folder says that is gone, together with the file that may have been in it.
            return None if _is_folder(self._folder) else self._unreadable("its folder cannot be looked into")
        except (OSError, ValueError) as error:
            return self._unreadable(type(error).__name__)
        return f"the kill switch is on (the file {self._path!a} is there)"

    def _unreadable(self, why: str) -> str:
        return f"the kill switch counts as on, because the file {self._path!a} cannot be looked for ({why})"


def _is_folder(path: str) -> bool:
    try:
        return os.path.isdir(path) and os.access(path, os.X_OK)
    except (OSError, ValueError):
        return False
