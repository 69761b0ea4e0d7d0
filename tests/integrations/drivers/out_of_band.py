"""Hosts that are processes, and where whoever approves does so out of band: a store on disk, and a key beside it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from conformance.driving import Call, Seen

from schemarouter import SqliteStore
from schemarouter.state.answering import answer, find_request
from schemarouter.state.signatures import Signer, generate, load_signer


class Folders:
    """Temporary folders of a driver; they go when the process does."""

    def __init__(self) -> None:
        self._folders: list[tempfile.TemporaryDirectory[str]] = []

    def folder(self) -> Path:
        made = tempfile.TemporaryDirectory()
        self._folders.append(made)
        return Path(made.name)

    def store(self) -> SqliteStore:
        return SqliteStore(self.folder() / "state.db")


class OutOfBand:
    """Answers go into the store, and the same calls are made again."""

    store: SqliteStore
    signer: Signer
    calls: list[Call]

    def run(self, *calls: Call) -> Seen:
        raise NotImplementedError

    def signer_in(self, folder: Path) -> Signer:
        """The approver, whose key is made once."""
        secret = folder / "approver.key"
        if not secret.exists():
            secret.write_bytes(generate(None)[0])
        return load_signer(secret.read_bytes(), None)

    def questions(self) -> list[dict[str, Any]]:
        """The requests that wait, as questions about the calls that were made."""
        found = []
        for filed in self.store.requests():
            request = filed.request
            if filed.answer is None:
                name = request.operation.rpartition(".")[2]
                call_id = next((call.id for call in self.calls if call.name == name), "")
                arguments = json.loads(request.arguments)
                question = {"operation": request.operation, "arguments": arguments, "token": request.id}
                found.append({**question, "call_id": call_id})
        return found

    def resume(self, answers: dict[str, Any]) -> Seen:
        for given in answers.values():
            answer(self.store, find_request(self.store, given["token"]), self.signer, approved=given["approved"])
        return self.run(*self.calls)

    def change_pending(self, call_id: str, arguments: dict[str, Any]) -> bool:
        self.calls = [call if call.id != call_id else Call(call.name, arguments, call_id) for call in self.calls]
        return True
