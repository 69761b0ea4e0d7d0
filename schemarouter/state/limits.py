"""Limits and messages that every state store has in common. Standard library only."""

from __future__ import annotations

#: Seconds that answered and expired requests and grants are kept, to be looked at.
KEEP_SECONDS = 30 * 86_400
#: Requests that wait for an answer at once: more than a person looks through.
MAX_WAITING = 1_000
#: Characters of arguments that an approver is asked about: more than a person reads.
MAX_ARGUMENTS = 200_000

LEASE_IS_LOST = "the call took longer than its lease, and another process goes on with it"
TOO_MANY_WAIT = f"{MAX_WAITING} requests wait for an answer already"
