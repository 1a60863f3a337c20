"""The submissions that enter once their checks have passed: they are entered then, or left out with a reason.

What was completely uploaded before the deadline counts although its check ends later. The final waits for that, but not
for ever.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final, final

from fudaba.refusals import Refused
from fudaba.v1 import arena_pb2, errors_pb2
from fudaba_arena.api.checks import entry_checks
from fudaba_arena.api.checks.entry_checks import EntryRequest
from fudaba_arena.api.checks.finder import Finder, season_of
from fudaba_arena.api.token_owners import TokenOwner
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.obstacles import FAULT, logged_fault
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.store.answers import StoreUnavailable
from fudaba_arena.store.submissions.submissions import KeptSubmission
from fudaba_arena.store.tournaments.entries import PSEUDONYM, AwaitedEntry, Entries, EntryChange
from fudaba_arena.submissions.submission_forms import ACCEPTED, EXPIRED, CheckProgress

__all__ = ["AwaitedEntries"]

_POLL_SECONDS: Final = 1.0
_FINISH_WAIT_MS: Final = 300_000
"""The time after the deadline within which an upload must be finished whose last byte came before it."""
_PASSING: Final = {errors_pb2.REASON_SERVICE_UNAVAILABLE, errors_pb2.REASON_STORE_UNAVAILABLE}
_ENDS: Final = {EXPIRED: "its upload was not finished", ACCEPTED: "it is not a version that a worker runs"}
"""Why a submission that is over is not entered, by its state. An accepted one then has no version."""
_SEASON_OVER: Final = "the season was closed before its check ended"


@final
class AwaitedEntries:
    """The awaited entries of all seasons."""

    def __init__(self, registry: TournamentRegistry, finder: Finder, say: Say) -> None:
        self._registry = registry
        self._finder = finder
        self._say = say
        self._began_ms = _now_ms()
        self._said: dict[str, str] = {}
        """For each submission that could not be looked at, why."""

    async def run(self) -> None:
        """Enters submissions, and leaves them out, until cancelled."""
        while True:
            for season in self._registry.seasons():
                if not season.state.stored.closed:
                    for asked in season.state.stored.entries.awaited:
                        await self._look(season, asked)
            await asyncio.sleep(_POLL_SECONDS)

    async def message(self, arena_tournament: ArenaTournament, awaited: AwaitedEntry) -> arena_pb2.AwaitedEntry:
        """Returns an awaited entry as a message."""
        asked = awaited.asked
        kept = await self._registry.store.submissions.get(asked.submission)
        found = arena_pb2.AwaitedEntry(bot=asked.bot, submission_id=asked.submission)
        found.request_time.FromMilliseconds(asked.at_ms)
        if kept is not None and kept.complete_ms:
            found.complete_time.FromMilliseconds(kept.complete_ms)
        if deadline_ms := _deadline_ms(arena_tournament, asked):
            found.deadline_time.FromMilliseconds(deadline_ms)
            found.wait_until_time.FromMilliseconds(self._wait_until_ms(arena_tournament, deadline_ms))
        if awaited.left_out is not None:
            found.left_out_because = awaited.left_out.reason
        elif arena_tournament.state.stored.closed:
            found.left_out_because = _SEASON_OVER
        return found

    async def _look(self, arena_tournament: ArenaTournament, asked: EntryChange) -> None:
        try:
            kept = await self._registry.store.submissions.get(asked.submission)
            if asked.account.startswith(PSEUDONYM):
                await self._leave_out(arena_tournament, asked, "its author's account was deleted")
            elif kept is not None and kept.over is not None and _is_version(kept.over, kept.version):
                await self._enter(arena_tournament, asked, kept)
            elif why := self._why_not(arena_tournament, asked, kept):
                await self._leave_out(arena_tournament, asked, why)
            self._said.pop(asked.submission, None)
        except StoreUnavailable as error:  # it is looked at again when the store is back
            self._note_failure(asked, str(error))
        except (ArenaError, Refused) as error:
            await self._look_again(arena_tournament, asked, str(error))
        except Exception as error:  # noqa: BLE001  # the boundary: the other submissions are entered
            why = self._said.get(asked.submission, "")
            if not why.startswith(FAULT):  # it is logged once
                why = logged_fault(error, f"submission {asked.submission} of {asked.bot}").text
            await self._look_again(arena_tournament, asked, why)

    async def _look_again(self, arena_tournament: ArenaTournament, asked: EntryChange, why: str) -> None:
        """Notes why a submission could not be looked at. It is looked at again until the final waits no longer, and
        left out then.
        """
        self._note_failure(asked, why)
        deadline_ms, now_ms = _deadline_ms(arena_tournament, asked), _now_ms()
        if not 0 < deadline_ms <= now_ms or now_ms < self._wait_until_ms(arena_tournament, deadline_ms):
            return
        try:
            await self._leave_out(arena_tournament, asked, f"it could not be entered: {why}")
        except (ArenaError, StoreUnavailable) as error:
            self._note_failure(asked, str(error))

    def _note_failure(self, asked: EntryChange, why: str) -> None:
        if self._said.get(asked.submission) != why:
            self._said[asked.submission] = why
            self._say(f"submission {asked.submission} of {asked.bot} is not entered yet: {why}")

    async def _enter(self, arena_tournament: ArenaTournament, asked: EntryChange, kept: KeptSubmission) -> None:
        """Enters an accepted submission, or leaves it out if the ladder does not take it."""
        tournament, season = arena_tournament.state.tournament, season_of(arena_tournament)
        caller = TokenOwner("organiser" if asked.by_organiser else "author", asked.account)
        try:
            bot = await self._finder.bot(asked.bot)
            games = {game.game for game in tournament.games}
            submitted = await self._finder.submitted(asked.bot, kept.version, games)
            submitted.check_pace(tournament, anyway=asked.anyway)
            request = EntryRequest(caller, bot, _now_ms(), kept.complete_ms)

            def entered(known: Entries) -> list[EntryChange]:
                if asked not in known.awaited:
                    return []
                about = tournament, season, known, submitted
                changes = entry_checks.entering(request, kept.version, asked.games, *about)
                return changes or [entry_checks.left_out(asked, request.now_ms, "it is entered already")]

            await arena_tournament.entered.change(entered)
        except Refused as refusal:
            if refusal.reason in _PASSING:
                raise
            await self._leave_out(arena_tournament, asked, str(refusal))

    def _why_not(self, arena_tournament: ArenaTournament, asked: EntryChange, kept: KeptSubmission | None) -> str:
        """Returns why a submission that is not accepted will not be entered; empty while it may be."""
        if kept is None:
            return "its submission is gone"
        if kept.over is not None:
            return _ENDS.get(CheckProgress.read(kept.over).state, "its check has refused it")
        now_ms, deadline_ms = _now_ms(), _deadline_ms(arena_tournament, asked)
        if not 0 < deadline_ms <= now_ms:
            return ""
        until_ms = self._wait_until_ms(arena_tournament, deadline_ms)
        if not kept.complete_ms:
            until_ms = min(until_ms, until_ms - self._wait_ms(arena_tournament) + _FINISH_WAIT_MS)
            return "its upload was not complete at the deadline" if now_ms >= until_ms else ""
        if kept.complete_ms >= deadline_ms:
            return "its upload was complete only after the deadline"
        waited = self._wait_ms(arena_tournament) // 1000
        late = f"it was uploaded in time, but its check had not ended {waited:,} s after the deadline"
        return f"{late}; ask the organiser for an extension" if now_ms >= until_ms else ""

    async def _leave_out(self, arena_tournament: ArenaTournament, asked: EntryChange, why: str) -> None:
        change, awaited = entry_checks.left_out(asked, _now_ms(), why), False

        def left_out(known: Entries) -> list[EntryChange]:
            nonlocal awaited
            awaited = asked in known.awaited  # another change may have withdrawn the request meanwhile
            return [change] if awaited else []

        await arena_tournament.entered.change(left_out)
        if awaited:
            self._say(f"submission {asked.submission} of {asked.bot} is not entered in {arena_tournament.name}: {why}")

    def _wait_until_ms(self, arena_tournament: ArenaTournament, deadline_ms: int) -> int:
        """Returns until when the final waits for the checks. The arena may have been away together with the workers,
        and no check ends during maintenance.
        """
        since_ms = max(deadline_ms, self._began_ms, self._registry.service.maintenance.begun_end_ms)
        return since_ms + self._wait_ms(arena_tournament)

    @staticmethod
    def _wait_ms(arena_tournament: ArenaTournament) -> int:
        return season_of(arena_tournament).final_wait_seconds * 1000


def _deadline_ms(arena_tournament: ArenaTournament, asked: EntryChange) -> int:
    ends_ms = season_of(arena_tournament).ends_ms
    return arena_tournament.state.stored.entries.deadline_ms(asked.account, ends_ms)


def _is_version(over: bytes, version: str) -> bool:
    """Returns whether a submission that is over is a version that workers run. Without workers it becomes none."""
    return CheckProgress.read(over).state == ACCEPTED and bool(version)


def _now_ms() -> int:
    return int(time.time() * 1000)
