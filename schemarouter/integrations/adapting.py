"""What the adapters for frameworks share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from schemarouter.errors import BindingDriftError, ExecutionHookError, PlanValidationError

#: What the model is told instead of a result.
REFUSALS = (PlanValidationError, BindingDriftError, ExecutionHookError)
#: A tool by the host's name: the attributes that the application vouches for.
Attributes: TypeAlias = Mapping[str, Mapping[str, Any]]


def in_a_thread(work: Callable[[], Any]) -> None:
    """Run ``work`` where no event loop runs, and raise what it raises."""
    raised: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            raised.append(error)

    thread = threading.Thread(target=guarded, name="schemarouter-self-test")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
