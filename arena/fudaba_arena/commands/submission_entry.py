"""The entry of a submission in a ladder, which `fudaba bot submit --enter` asks for."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Final, final

from fudaba.cli.paging import every_page
from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2, submissions_pb2
from fudaba_arena.commands.patient_calls import TIMEOUT_SECONDS, until_answered

__all__ = ["SubmissionEntry"]

_POLL_SECONDS: Final = 0.5


@final
@dataclass(frozen=True, slots=True)
class SubmissionEntry:
    """An entry in a ladder."""

    client: Client
    ladder: str
    bot: str
    anyway: bool

    def ask(self, submission_id: str) -> None:
        """Asks the arena to enter a submission as soon as its check has passed. Raises `ServiceError`."""
        request = arena_pb2.EnterLadderRequest(
            ladder=self.ladder, bot=self.bot, submission_id=submission_id, anyway=self.anyway
        )
        until_answered(partial(self.client.arena.EnterLadder, request, timeout=TIMEOUT_SECONDS))

    def why_not(self, accepted: submissions_pb2.Submission) -> str:
        """Waits until the arena has entered an accepted submission. Returns in words that it has not, and why, or that
        the arena does not say; empty if it has.
        """
        try:
            reason = self._reason(accepted)
        except ServiceError as error:  # the ladder is gone, or the arena is away for long
            return f"it is not known whether it is entered in {self.ladder}: {error}"
        return f"is not entered in {self.ladder}: {reason}" if reason else ""

    def _reason(self, accepted: submissions_pb2.Submission) -> str:
        while True:
            if self._is_entered(accepted.version):
                return ""
            awaited = until_answered(self._awaited)
            found = next((entry for entry in awaited if entry.submission_id == accepted.submission_id), None)
            if found is not None and found.left_out_because:
                return found.left_out_because
            if found is None and not self._is_entered(accepted.version):
                return "its request was withdrawn, or the season is over"
            time.sleep(_POLL_SECONDS)

    def _awaited(self) -> list[arena_pb2.AwaitedEntry]:
        request = arena_pb2.ListAwaitedEntriesRequest(ladder=self.ladder)
        return [entry for page in every_page(self.client.arena.ListAwaitedEntries, request) for entry in page.awaited]

    def _is_entered(self, version: str) -> bool:
        return any((entry.bot, entry.version) == (self.bot, version) for entry in until_answered(self._entries))

    def _entries(self) -> list[arena_pb2.Entry]:
        request = arena_pb2.ListEntriesRequest(ladder=self.ladder)
        return [entry for page in every_page(self.client.arena.ListEntries, request) for entry in page.entries]
