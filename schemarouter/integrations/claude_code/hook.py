"""The process that Claude Code starts before each tool call: an event on standard input, an answer on standard output.

Standard library only. Whatever goes wrong prints a denial and ends with exit code 2, which blocks the call; exit code 1, no
output or garbage would not. A call that was decided about, either way, ends with exit code 0.
"""

from __future__ import annotations

import contextlib
import os
import sys
from _thread import allocate_lock, start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemarouter.integrations.claude_code.options import HookOptions
    from schemarouter.integrations.claude_code.verdict import Authority

#: How a denial begins that no policy decided: the hook itself could not do its work.
BROKEN = "the hook of schemarouter is broken, so nothing runs"
DENIED = "not allowed"
#: The tool name that `schemarouter doctor` calls; it is denied before any policy is asked.
CANARY = "schemarouter_canary_"
CANARY_REACHED = "canary reached"
#: Seconds that a step on the store waits for other processes, at most twice.
_STORE_SECONDS = 2.0
_MAX_REASON = 4000


def run_hook(arguments: Sequence[str]) -> int:
    """Answer one event and return the exit code. Never raises."""
    try:
        return _run(arguments)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the call does not run
        return answer_broken(_told(error))


def _run(arguments: Sequence[str]) -> int:
    import gc

    gc.disable()  # a process that lives for a moment
    from schemarouter.integrations.claude_code.options import OptionError, parse, times

    try:
        options = parse(arguments)
        wait, limit = times(options)
    except OptionError as error:
        return answer_broken(str(error))
    _start_watchdog(limit)
    from schemarouter.errors import SchemaRouterError
    from schemarouter.integrations.claude_code.event import EventError, parse_event, read_input

    try:
        event = parse_event(read_input())
    except EventError as error:
        return answer_broken(f"it got no event that it can decide about: {error}")
    from schemarouter.integrations.claude_code.verdict import decide, probe

    try:
        authority = _authority(options, wait)
        if event.tool.startswith(CANARY):
            probe(authority, CANARY)
            return _answer("deny", f"{CANARY_REACHED}: {event.tool} {authority.graph.digest}", {})
    except SchemaRouterError as error:
        return answer_broken(_with_help(error))
    try:
        verdict = decide(authority, event)
    except SchemaRouterError as error:
        return answer_broken(str(error)) if _is_broken(error) else _answer("deny", f"{DENIED}: {error}", {})
    return _answer(verdict.permission, verdict.reason, event.arguments)


def _authority(options: HookOptions, wait: float) -> Authority:
    """What the options name, read and checked. Raises ``SchemaRouterError``."""
    from schemarouter.compiler.artifact import SIZE_LIMIT, load_artifact
    from schemarouter.errors import ArtifactError, PolicyError
    from schemarouter.integrations.claude_code.verdict import Authority, names_of, require_enforceable
    from schemarouter.reading import read_bounded

    if options.artifact is None:
        raise PolicyError(
            "no policy is named", help="give the hook `--artifact FILE`, which `schemarouter compile` writes"
        )
    try:
        data = read_bounded(options.artifact, SIZE_LIMIT + 1)
    except (OSError, ValueError) as error:
        raise ArtifactError(f"the artifact cannot be read ({_reason(error)})") from None
    graph = load_artifact(data, None if options.digest is None else options.digest.lower())
    store = approver = kill_switch = recorder = None
    if options.store is not None:
        from schemarouter.state.sqlite import SqliteStore

        # A store that is gone must not come back empty: `schemarouter init claude-code` makes it.
        store = SqliteStore(options.store, create=False, timeout=_STORE_SECONDS)
    if options.approver and not options.asks_a_person:
        if store is None:
            raise PolicyError("approvals need a store", help="give the hook `--store FILE`")
        from schemarouter.state.signatures import KeyFileError
        from schemarouter.state.stored_approvals import StoredApprovals

        try:
            approver = StoredApprovals(store, options.approver, wait=wait)
        except KeyFileError as error:
            raise PolicyError(f"an `--approver` is no public key: {error}") from None
    if options.stop_file is not None or options.stop_variable is not None:
        from schemarouter.state.kill_switch import KillSwitch

        try:
            kill_switch = KillSwitch(options.stop_file, variable=options.stop_variable)
        except ValueError as error:
            raise PolicyError(str(error)) from None
    if options.log is not None:
        recorder = _recorder(options)
    elif options.log_key is not None or options.log_head is not None:
        raise PolicyError("`--log-key` and `--log-head` belong to `--log`")
    require_enforceable(graph, store)
    modes = None if options.any_mode else frozenset({"default" if options.asks_a_person else "dontAsk"})
    return Authority(
        graph,
        names_of(options.server),
        store,
        options.run,
        approver,
        options.asks_a_person,
        kill_switch,
        recorder,
        modes,
    )


def _recorder(options: HookOptions):  # type: ignore[no-untyped-def]  # the class is imported where it is needed
    from schemarouter.audit.keys import read_key
    from schemarouter.audit.log import DecisionLog
    from schemarouter.errors import PolicyError
    from schemarouter.integrations.claude_code.recording import Recorder

    try:
        key = None if options.log_key is None else read_key(options.log_key)
        return Recorder(DecisionLog(str(options.log), key=key, head=options.log_head), options.run)
    except (OSError, ValueError) as error:
        raise PolicyError(f"the decision log cannot be used ({_reason(error)})") from None


def _is_broken(error: Exception) -> bool:
    from schemarouter.errors import DecisionLogError, StateStoreError

    return isinstance(error, StateStoreError | DecisionLogError)


def _start_watchdog(limit: float) -> None:
    """A thread that denies when the time is over, also where the rest hangs in a system call."""
    never = allocate_lock()
    never.acquire()

    def deny() -> None:
        never.acquire(timeout=limit)
        answer_broken(f"nothing was decided within {limit:g} s")
        os._exit(2)

    start_new_thread(deny, ())  # not of `threading`, which is loaded where there is a budget only


# Answers

#: Taken by whoever answers first, and never given back: there is one answer.
_answering = allocate_lock()


def answer_broken(why: str) -> int:
    """Deny because the hook could not do its work, on both ways that Claude Code listens to. Never raises."""
    reason = f"{BROKEN}: {why}"
    with contextlib.suppress(BaseException):  # what it imports may be what is broken; the exit code denies as well
        _answer("deny", reason, {})
    with contextlib.suppress(BaseException):
        os.write(2, (_plain(reason) + "\n").encode())
    return 2


def _answer(permission: str, reason: str, arguments: dict[str, object]) -> int:
    """Print an answer, once. Returns 0, or 2 where it cannot be printed: then the exit code denies."""
    import json

    if not _answering.acquire(blocking=False):
        return 2
    told: dict[str, object] = {
        "hookEventName": "PreToolUse",
        "permissionDecision": permission,
        "permissionDecisionReason": _plain(reason),
    }
    if permission != "deny":
        told["updatedInput"] = arguments  # what was decided about, whatever else changes the call
    data = json.dumps({"hookSpecificOutput": told}).encode("ascii") + b"\n"
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        return 2
    return 0


def _plain(text: str) -> str:
    """One line that shows what it holds: what a model is told is no place for hidden characters."""
    from schemarouter.model.names import HIDDEN

    return HIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)[:_MAX_REASON]


def _with_help(error: Exception) -> str:
    advice = getattr(error, "help", None)
    return f"{error}; {advice}" if advice else str(error)


def _told(error: BaseException) -> str:
    """The class of an unexpected error: its text may quote a payload."""
    return f"an error inside it ({type(error).__name__})"


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or type(error).__name__
    return str(text)[:1].lower() + str(text)[1:]


def main() -> None:
    """Run as a process of its own."""
    status = run_hook(sys.argv[1:])
    os._exit(status)
