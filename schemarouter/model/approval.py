"""The port of those who approve calls with more than a function: what they are asked, and how they say no with a reason.

Standard library only.
"""

from __future__ import annotations

from typing import Any, NamedTuple, final


@final
class Question(NamedTuple):
    """One call that needs approval (SPEC 4), with everything that an answer is bound to.

    ``arguments`` is a copy of its own. ``digest`` is the policy's, ``rule`` the deciding rule's name, ``reason`` why
    the policy wants approval. ``run_id`` and ``call_id`` are ``None`` where the application gave none: then nothing but
    this very question is answered. ``seconds`` is what is left of the run's time; ``None`` is no limit.
    """

    operation: str
    remote: bool
    read_only: bool | None
    destructive: bool | None
    arguments: dict[str, Any]
    digest: str
    rule: str | None
    reason: str
    run_id: str | None
    call_id: str | None
    seconds: float | None


@final
class Denied(NamedTuple):
    """An answer that is no approval, and why: ``reason`` stands in the error, so it must hold no argument and no secret."""

    reason: str


class Approver:
    """A trusted approval callback that is asked with a whole :class:`Question`.

    Like for any callback, only the literal ``True`` approves. Hand an object of a subclass to ``approval_callback``.
    """

    def ask(self, question: Question) -> bool | Denied:
        """Answer in a thread without an event loop; may wait, at most ``question.seconds``."""
        raise NotImplementedError

    async def ask_async(self, question: Question) -> bool | Denied:
        """As :meth:`ask`, without blocking the event loop."""
        raise NotImplementedError

    def __call__(self, *_: object, **__: object) -> Denied:
        """What a caller gets who does not know approvers: never an approval."""
        return Denied("an approver has to be asked by its `ask`")
