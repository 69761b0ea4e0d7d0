"""What `check --fix`, `--unsafe-fixes` and `--diff` do to each file that is checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from schemarouter_cli import streams
from schemarouter_cli.failure import CannotRun
from schemarouter_cli.files import STDIN, read_bytes, write_atomically
from schemarouter_cli.text import count, printable

if TYPE_CHECKING:
    from schemarouter.lint.check import CheckReport

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class Fixer:
    """Fixes files as they are checked. With ``diff`` nothing is written and ``diffs`` holds what would change."""

    def __init__(self, *, unsafe: bool, diff: bool) -> None:
        self.unsafe = unsafe
        self.diff = diff
        self.diffs: list[str] = []
        #: The fixed text of standard input.
        self.piped: bytes | None = None
        self.fixed: Counter[str] = Counter()
        self.refused: list[str] = []

    def fix(
        self, path: str, shown: str, raw: bytes, check: Callable[[bytes], CheckReport]
    ) -> tuple[bytes, CheckReport]:
        """Fix the file ``path``, and give what it holds then and the check of that.

        A file that somebody else changed meanwhile is not written: :class:`CannotRun`.
        """
        from schemarouter.lint.fix import fix_policy

        result = fix_policy(raw, check, unsafe=self.unsafe)
        for finding, reason in result.refused:
            place = f"{printable(finding.path)}:{finding.span.line}:{finding.span.column}"
            self.refused.append(f"{place}: the fix of {finding.code} is not applied: {reason}")
        if result.applied:
            self.fixed[shown] += len(result.applied)
        if self.diff:
            if result.data != raw:
                self.diffs.append("".join(_unified(shown, raw.decode("utf-8"), result.data.decode("utf-8"))))
        elif path == STDIN:
            self.piped = result.data
        elif result.data != raw:
            if read_bytes(path, len(raw)) != raw:
                raise CannotRun(f"`{shown}` changed while it was checked; nothing was written", "run the command again")
            write_atomically(path, result.data)
        return result.data, result.report

    def finish(self) -> bool:
        """Print the fixed text of standard input, if that was checked, and tell what was done; whether it was."""
        if self.piped is not None:
            streams.write_bytes(self.piped)
        self._tell()
        return self.piped is not None

    def show_diff(self, output_file: str | None) -> None:
        """Print what would change: into a file as it is, else with hidden characters made visible."""
        text = "".join(self.diffs)
        if output_file is not None:
            write_atomically(output_file, text.encode("utf-8", "backslashreplace"))
        else:
            streams.write("".join(map(visible, self.diffs)))
        self._tell()

    def _tell(self) -> None:
        for line in self.refused:
            streams.tell(f"warning: {line}")
        if self.fixed:
            verb = "would fix" if self.diff else "fixed"
            streams.tell(f"{verb} {count(self.fixed.total(), 'finding')} in {count(len(self.fixed), 'file')}")


def _unified(name: str, old: str, new: str) -> Iterator[str]:
    """A unified diff that ``patch -p0`` takes; lines keep their own ends."""
    import difflib

    shown = printable(name)
    for line in difflib.unified_diff(_LINE.findall(old), _LINE.findall(new), shown, shown):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def visible(diff: str) -> str:
    """A diff as a terminal may show it: hidden characters of the files, but for tabs, are escaped."""
    lines = (line.removesuffix("\r").split("\t") for line in diff.removesuffix("\n").split("\n"))
    return "".join("\t".join(map(printable, cells)) + "\n" for cells in lines)
