"""Whether a path may hold a state store: owned by who uses it, closed to others, on a disk of this machine."""

from __future__ import annotations

import contextlib
import os
import stat

from schemarouter.errors import StateStoreError

#: File systems on which the locks and the shared memory of SQLite's WAL do not hold between machines.
REMOTE = frozenset(
    [
        "9p",
        "afs",
        "ceph",
        "cifs",
        "coda",
        "fuse.ceph",
        "fuse.glusterfs",
        "fuse.s3fs",
        "fuse.sshfs",
        "gfs2",
        "gluster",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "smb2",
        "smb3",
        "smbfs",
    ]
)


def checked_path(path: object) -> str:
    """The absolute path of a store. Raises ``TypeError`` for what is no path, ``StateStoreError`` for what names no file."""
    text = os.fspath(path)  # type: ignore[call-overload]  # raises for what is no path
    if not isinstance(text, str):
        raise TypeError("the path of a state store must be text")
    if not text or "\0" in text or text.startswith((":", "file:")):
        raise StateStoreError("a state store needs the name of a file")
    folder, name = os.path.split(os.path.abspath(text))
    if not name or text.endswith(("/", os.sep)):
        raise StateStoreError("a state store needs the name of a file, not of a folder")
    return os.path.join(os.path.realpath(folder), name)


def prepare_file(path: str, *, create: bool) -> tuple[int, int]:
    """Check the folder, make the file if it may be made, check the file, and return which file it is.

    Raises ``StateStoreError`` for what is not safe, and ``OSError``.
    """
    _check_folder(os.path.dirname(path))
    if create:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, flags, 0o600))
    return check_file(path)


def check_file(path: str) -> tuple[int, int]:
    """Return which file it is. Raises ``StateStoreError`` for what is no private file, and ``OSError``."""
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        raise StateStoreError("it is a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        raise StateStoreError("it is no regular file")
    if os.name == "posix":
        if status.st_uid != os.geteuid() and os.geteuid() != 0:
            raise StateStoreError("it belongs to another user")
        if status.st_mode & 0o077:
            raise StateStoreError("it is open to other users; `chmod 600` it")
        if status.st_nlink > 1:
            raise StateStoreError("it has a second name (a hard link)")
    return status.st_dev, status.st_ino


def _check_folder(folder: str) -> None:
    status = os.stat(folder)
    if not stat.S_ISDIR(status.st_mode):
        raise StateStoreError("it lies in no folder")
    if os.name != "posix":
        return
    if status.st_uid not in (0, os.geteuid()) and os.geteuid() != 0:
        raise StateStoreError("it lies in a folder of another user")
    if status.st_mode & 0o022:
        raise StateStoreError("it lies in a folder that other users may write to; take one with mode 700")
    kind = _file_system(folder)
    if kind in REMOTE:
        raise StateStoreError(f"it lies on a file system of another machine ({kind}), where locks do not hold")


def _file_system(folder: str) -> str | None:
    """The kind of the file system that ``folder`` lies on; ``None`` where the system does not tell."""
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            lines = file.read(1_000_000).decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    best, kind = "", None
    for line in lines:
        left, separator, right = line.partition(" - ")
        fields = left.split(" ")
        if not separator or len(fields) < 5:
            continue
        point = fields[4].replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
        inside = folder == point or folder.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, right.split(" ")[0]
    return kind
