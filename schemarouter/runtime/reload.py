"""Take a changed policy file into a running executor: at once if it only narrows, else when the application says so.

Nothing reloads by itself: an application makes a :class:`PolicyReloader` and polls it, or lets it poll.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from schemarouter.analysis.changes import PolicyDiff
from schemarouter.analysis.diff import STEPS, diff_policies
from schemarouter.errors import DecisionLogError, PolicyError, SchemaRouterError
from schemarouter.loading import Check, LoadedPolicy, load_bytes, read_policy_text
from schemarouter.runtime.executor import RegistryExecutor
from schemarouter.runtime.governance import PolicyLike, graph_of

_LOGGER = logging.getLogger("schemarouter.reload")

Status = Literal["unchanged", "swapped", "pending", "refused", "unsettled"]


class Reload(NamedTuple):
    """What came of one look at the file.

    ``unchanged``: it says what is enforced. ``swapped``: it is enforced from now on. ``pending``: it would give authority, or that cannot be
    told, and nobody has accepted it. ``refused``: it cannot be used. ``unsettled``: it was being written. In all but ``swapped`` the
    last good policy stays. ``digest`` is that of the policy in the file, ``diff`` compares it with what was enforced, ``error`` says why it
    cannot be used.
    """

    status: Status
    message: str
    digest: str | None = None
    diff: PolicyDiff | None = None
    error: SchemaRouterError | None = None


class _Pending(NamedTuple):
    loaded: LoadedPolicy
    diff: PolicyDiff
    instead_of: PolicyLike


class PolicyReloader:
    """Looks at the policy file ``path`` whenever it is polled, and keeps ``executor`` up to date with it.

    A file that changed is compiled aside and compared with what is enforced. If it is equivalent or only narrows, it is
    swapped in, in one step. Anything else is handed to ``accept(diff)``, of which only the literal ``True`` accepts, or waits for
    :meth:`accept`. What cannot be used changes nothing. Calls in progress fail closed when a policy is swapped.

    Whether a file changed is told by what stands in it, never by its time; a link to another file is followed each time. A file that
    changes while it is read, or within ``settle_seconds``, is left for the next look, because it may be half written; writing a new file and
    renaming it over the old one is the safe way.

    ``told`` receives every :class:`Reload` that says something new; all of them are logged to ``schemarouter.reload``, and to the executor's decision log.
    ``hooks``, ``callbacks``, ``allow_imports`` and ``check`` are as for ``load_policy``; ``steps`` bounds the comparison.
    """

    def __init__(
        self,
        executor: RegistryExecutor,
        path: str | os.PathLike[str],
        *,
        accept: Callable[[PolicyDiff], object] | None = None,
        told: Callable[[Reload], object] | None = None,
        hooks: Mapping[str, Callable[..., Any]] | None = None,
        callbacks: Mapping[str, Callable[..., Any]] | None = None,
        allow_imports: Sequence[str] = (),
        check: Check = "structure",
        settle_seconds: float = 0.05,
        steps: int = STEPS,
    ) -> None:
        if not isinstance(executor, RegistryExecutor):
            raise TypeError(f"executor must be a RegistryExecutor, not `{type(executor).__name__}`")
        if check not in ("structure", "full"):
            raise ValueError('check is "structure" or "full"')
        self._executor = executor
        self._path = _PathOnly(os.fspath(path))
        self._accept, self._told = accept, told
        self._hooks, self._callbacks = dict(hooks or {}), dict(callbacks or {})
        self._allow_imports, self._check = tuple(allow_imports), check
        self._settle_seconds, self._steps = settle_seconds, steps
        self._lock = threading.RLock()
        self._looking = False
        self._pending: _Pending | None = None
        #: What was judged last: the content, the policy that it was compared with, and what came of it.
        self._judged: tuple[str, PolicyLike, Reload] | None = None
        self._said: tuple[str, str | None, str] | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def pending(self) -> PolicyDiff | None:
        """What the policy that waits for acceptance would change."""
        pending = self._pending
        return None if pending is None else pending.diff

    def poll(self) -> Reload:
        """Look at the file once. Never raises for what stands in it, nor for what ``accept`` and ``told`` raise."""
        with self._lock:
            if self._looking:  # `accept` was asked, and polls
                return Reload("unsettled", "a look at the file is in progress")
            self._looking = True
            try:
                found = self._look()
            finally:
                self._looking = False
        self._tell(found)
        return found

    def accept(self, digest: str) -> Reload:
        """Accept the policy that is pending, by its digest. A digest of another one, or of none, changes nothing."""
        with self._lock:
            pending = self._pending
            if pending is None or pending.loaded.graph.digest != digest:
                found = Reload("refused", "no policy with this digest waits for acceptance")
            else:
                found = self._swap(pending, "was accepted")
        self._tell(found)
        return found

    # In the background

    def start(self, interval: float = 1.0) -> None:
        """Poll every ``interval`` seconds in a thread. Raises ``RuntimeError`` if it does already."""
        if not interval > 0:
            raise ValueError("interval must be positive")
        with self._lock:
            if self._thread is not None:
                raise RuntimeError("this reloader polls already")
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, args=(interval,), name="schemarouter-reload", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread, and wait for a look that is in progress."""
        self._stop.set()
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    async def watch(self, interval: float = 1.0) -> None:
        """Poll every ``interval`` seconds until it is cancelled, each time in a worker thread."""
        if not interval > 0:
            raise ValueError("interval must be positive")
        while True:
            await asyncio.to_thread(self.poll)
            await asyncio.sleep(interval)

    def _run(self, interval: float) -> None:
        while not self._stop.is_set():
            self.poll()
            self._stop.wait(interval)

    # Under the lock

    def _look(self) -> Reload:
        try:
            raw = self._settled()
        except PolicyError as error:
            self._judged = self._pending = None
            return Reload("refused", f"the last good policy stays: {error}", error=error)
        if raw is None:
            return Reload("unsettled", "the file is being written, and is looked at again")
        content, enforced = hashlib.sha256(raw).hexdigest(), self._executor.policy
        if self._judged is not None and self._judged[0] == content and self._judged[1] is enforced:
            return self._judged[2]
        self._pending = None
        found = self._judge(raw, enforced)
        passing = found.status in ("swapped", "unsettled") or isinstance(found.error, DecisionLogError)
        self._judged = None if passing else (content, enforced, found)
        return found

    def _settled(self) -> bytes | None:
        """The bytes of the file, or ``None`` if they changed meanwhile. Raises ``PolicyError`` if it cannot be read."""
        first = self._read()
        if self._judged is not None and self._judged[0] == hashlib.sha256(first).hexdigest():
            return first
        if self._settle_seconds > 0:
            time.sleep(self._settle_seconds)
        return first if self._read() == first else None

    def _read(self) -> bytes:
        raw = read_policy_text(self._path)[1]
        return raw if isinstance(raw, bytes) else raw.encode()

    def _judge(self, raw: bytes, enforced: PolicyLike) -> Reload:
        try:
            loaded = load_bytes(
                raw,
                os.fspath(self._path),
                hooks=self._hooks,
                callbacks=self._callbacks,
                allow_imports=self._allow_imports,
                check=self._check,
            )
        except SchemaRouterError as error:
            return Reload("refused", f"the last good policy stays: {error}", error=error)
        except Exception as error:  # noqa: BLE001 - an import of the application's may raise anything
            return Reload("refused", f"the last good policy stays: loading failed ({type(error).__name__})")
        old, new = graph_of(enforced)[0], loaded.graph
        if old == new:
            return Reload("unchanged", "the file says what is enforced", new.digest)
        try:
            diff = diff_policies(old, new, steps=self._steps)
        except Exception as error:  # noqa: BLE001 - whatever cannot be compared is not taken in
            return Reload("refused", f"it cannot be compared ({type(error).__name__})", new.digest)
        pending = _Pending(loaded, diff, enforced)
        if diff.verdict in ("equivalent", "narrowed"):
            return self._swap(pending, f"is {diff.verdict}")
        if self._accepted(diff):
            return self._swap(pending, f"is {diff.verdict}, and was accepted")
        self._pending = pending
        waits = f"it is {diff.verdict}, and waits for acceptance; the last good policy stays"
        return Reload("pending", waits, new.digest, diff)

    def _accepted(self, diff: PolicyDiff) -> bool:
        if self._accept is None:
            return False
        try:
            return self._accept(diff) is True
        except Exception as error:  # noqa: BLE001 - only the literal True accepts
            _LOGGER.warning("the acceptance callback failed (%s)", type(error).__name__)
            return False

    def _swap(self, pending: _Pending, why: str) -> Reload:
        """Enforce a policy, if what it was compared with is still enforced and the log can be told."""
        digest = pending.loaded.graph.digest
        found = Reload("swapped", f"the policy {why}, and is enforced", digest, pending.diff)
        try:
            current = self._executor.replace_policy(
                pending.loaded,
                expected=pending.instead_of,
                # First: nothing is enforced that the log does not know of, and nothing in it was not enforced.
                before=lambda: self._write(found),
            )
        except SchemaRouterError as error:
            return Reload("refused", f"the last good policy stays: {error}", digest, pending.diff, error)
        self._pending = self._judged = None
        if not current:
            return Reload("unsettled", "another policy was assigned meanwhile; the file is looked at again", digest)
        return found

    def _write(self, found: Reload) -> None:
        log = self._executor.decision_log
        if log is None:
            return
        verdict = None if found.diff is None else found.diff.verdict
        old = graph_of(self._executor.policy)[0].digest
        log.append(
            "reload", {"status": found.status, "verdict": verdict, "old_digest": old, "new_digest": found.digest}
        )

    def _tell(self, found: Reload) -> None:
        """Say what is new, once."""
        said = (found.status, found.digest, found.message)
        if found.status == "unchanged":
            self._said = None
        if found.status in ("unchanged", "unsettled") or said == self._said:
            return
        self._said = said
        _LOGGER.log(
            logging.INFO if found.status == "swapped" else logging.WARNING,
            "policy file `%s`: %s",
            self._path,
            found.message,
        )
        if found.status != "swapped":
            with contextlib.suppress(DecisionLogError):  # counted there as lost, and nothing was changed
                self._write(found)
        if self._told is not None:
            try:
                self._told(found)
            except Exception as error:  # noqa: BLE001 - who is told does not decide
                _LOGGER.warning("the callback that is told failed (%s)", type(error).__name__)


class _PathOnly(os.PathLike[str]):
    """A path that ``load_policy`` never takes for a text."""

    def __init__(self, path: object) -> None:
        if type(path) is not str:
            raise TypeError("the path of a policy file is text")
        self._path = path

    def __fspath__(self) -> str:
        return self._path

    def __str__(self) -> str:
        return self._path
