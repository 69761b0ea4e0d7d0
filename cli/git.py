"""Policy files as a revision of a git repository holds them. git runs with fixed arguments and without a shell."""

from __future__ import annotations

import os
import subprocess
from typing import NamedTuple

from schemarouter_cli.failure import CannotRun, os_reason
from schemarouter_cli.text import display_path, printable

#: Nothing here may start a program that a repository's configuration names, take a lock, or ask anything.
_COMMAND = (
    "git",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
    "--no-optional-locks",
    "--literal-pathspecs",
)
_QUIET = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat"}
_SECONDS = 120
_LINK, _SUBMODULE = "120000", "160000"
#: Links that lead to links.
_MOST_HOPS = 16


class Entry(NamedTuple):
    """A file of a revision: its mode, the name of its content, its size in bytes, its path from the top of the tree."""

    mode: str
    content: str
    size: int
    path: str


class Revision:
    """A revision of the repository that the folder ``folder`` lies in.

    ``name`` is a branch, a tag or a commit; ``NAME...`` is where it and ``HEAD`` parted. Raises :class:`CannotRun`.
    """

    def __init__(self, name: str, folder: str) -> None:
        self.name = name
        self._folder = folder
        self.root = os.path.realpath(os.fsdecode(self._line("rev-parse", "--show-toplevel")))
        self._commit = self._resolve(name)

    def _resolve(self, name: str) -> str:
        start = name.removesuffix("...")
        commit = self._try("rev-parse", "--verify", "--quiet", "--end-of-options", f"{start}^{{commit}}")
        if commit is not None and start != name:
            commit = self._try("merge-base", commit.decode().strip(), "HEAD")
        if not start or commit is None:
            shallow = self._line("rev-parse", "--is-shallow-repository") == b"true"
            raise CannotRun(
                f"`{printable(name)}` is no revision of this repository",
                "this clone is shallow: fetch the revision first, with all history for `NAME...`"
                if shallow
                else "name a branch, a tag or a commit, such as `origin/main`",
            )
        return commit.decode().strip()

    def relative(self, path: str) -> str:
        """``path`` of the working tree as the repository knows it: from its top, with slashes."""
        folder, name = os.path.split(os.path.abspath(path))
        # The last part may be a link of its own, which the repository holds as one.
        real = os.path.realpath(path) if os.path.isdir(path) else os.path.join(os.path.realpath(folder), name)
        relative = os.path.relpath(real, self.root)
        if relative.split(os.sep)[0] == os.pardir:
            raise CannotRun(f"`{display_path(path)}` lies outside the repository `{display_path(self.root)}`")
        return relative.replace(os.sep, "/")

    def below(self, path: str) -> list[Entry]:
        """The files at and below ``path`` (from the top, ``.`` is all), links and submodules left as they are."""
        arguments = ["ls-tree", "-r", "-z", "-l", "--full-tree", self._commit]
        listed = self._run(*arguments, *([] if path == "." else ["--", path]))
        return [_entry(line) for line in listed.split(b"\0") if line]

    def read(self, path: str, limit: int) -> bytes | None:
        """The content of the file ``path``, links followed within the tree; ``None`` if there is no such file.

        A file longer than ``limit`` bytes is a :class:`CannotRun`, as is what is no file.
        """
        shown = self.label(path)
        for _ in range(_MOST_HOPS):
            entry = next((one for one in self.below(path) if one.path == path), None)
            if entry is None:
                return None
            if entry.mode == _SUBMODULE:
                raise CannotRun(f"`{shown}` is a submodule, not a file")
            if entry.size > limit:
                raise CannotRun(f"`{shown}` is too large")
            data = self._run("cat-file", "blob", entry.content)
            if entry.mode != _LINK:
                return data
            path = os.path.normpath(os.path.join(os.path.dirname(path), os.fsdecode(data)))
            if path.startswith(("/", "../")):
                raise CannotRun(f"`{shown}` is a link to outside the repository", "name the file that it leads to")
        raise CannotRun(f"`{shown}` is a link that leads in a circle")

    def label(self, path: str) -> str:
        """What findings call the file: ``REV:path``."""
        return display_path(f"{self.name}:{path}")

    def spelled(self, path: str) -> str:
        """What git calls the file; the commit itself where the name stands for a look-up (``REV...``)."""
        return display_path(f"{self._commit if self.name.endswith('...') else self.name}:{path}")

    def renamed(self) -> dict[str, str]:
        """New path -> old path, of files that the working tree holds under another name than the revision."""
        changed = self._run(
            "diff", "--no-ext-diff", "--no-textconv", "--name-status", "-M", "-z", "--diff-filter=R", self._commit, "--"
        )
        fields = [os.fsdecode(field) for field in changed.split(b"\0")[:-1]]
        return dict(zip(fields[2::3], fields[1::3], strict=True))

    def _line(self, *arguments: str) -> bytes:
        return self._run(*arguments).rstrip(b"\n")

    def _try(self, *arguments: str) -> bytes | None:
        try:
            return self._run(*arguments)
        except GitFailed:
            return None

    def _run(self, *arguments: str) -> bytes:
        try:
            done = subprocess.run(  # noqa: S603 - a fixed program; what the user names is behind `--end-of-options` or `--`, or resolved
                [*_COMMAND, *arguments],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env={**os.environ, **_QUIET},
                timeout=_SECONDS,
                check=False,
            )
        except FileNotFoundError:
            raise CannotRun(
                "git is not installed, or not on the PATH", "pass two files instead: `diff OLD NEW`"
            ) from None
        except (OSError, ValueError) as error:
            reason = os_reason(error) if isinstance(error, OSError) else "no legal name"
            raise CannotRun(f"git cannot be started: {reason}") from None
        except subprocess.TimeoutExpired:
            raise CannotRun(f"git gave no answer within {_SECONDS} seconds") from None
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "backslashreplace").strip().splitlines()
            raise GitFailed(f"git: {said[0].removeprefix('fatal: ') if said else f'exit code {done.returncode}'}")
        return done.stdout


class GitFailed(CannotRun):
    """git ran and refused."""


def _entry(line: bytes) -> Entry:
    head, _, path = line.partition(b"\t")
    mode, _, content, size = head.split()
    return Entry(mode.decode(), content.decode(), int(size) if size != b"-" else 0, os.fsdecode(path))
