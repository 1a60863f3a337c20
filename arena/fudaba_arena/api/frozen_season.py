"""The view of a season for others than organisers while its standings are frozen: only what they saw when that began.

It is made from what was stored by then alone, so no answer can depend on later results.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, Final, final

from fudaba.refusals import Refused
from fudaba.v1 import arena_pb2, errors_pb2
from fudaba_arena.api.hidden_names import hide_in_changes
from fudaba_arena.api.messages import tournament_messages
from fudaba_arena.api.shown_tournament import ShownTournament
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.play.tournaments.journal import Journal, JournalChange
from fudaba_arena.schedule.block_plan import BlockPlan
from fudaba_arena.schedule.frozen_standings import as_frozen, frozen_blocks
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import ClosedBlock

__all__ = ["FollowedChanges", "FrozenSeason", "FrozenSeasons"]

_CHANGES_PER_BATCH: Final = 1_000
_PUBLIC_KINDS: Final = {"entry", "state"}
"""The kinds of changes that do not depend on results."""


@final
class _FrozenJournal:
    """The changes of a season without those that depend on results since its standings were frozen.

    They are numbered as if there were no others. Those of before keep their numbers.
    """

    def __init__(self, journal: Journal, state: ScheduledTournament, freeze_ms: int) -> None:
        self._journal = journal
        self._state = state
        self._freeze_ms = freeze_ms
        self._reading = asyncio.Lock()
        self.examined = 0
        """The number of changes of the season that were examined."""
        self.before = 0
        """The number of changes up to the first that is left out."""
        self._later: list[JournalChange] = []
        """The changes after that, without those that are left out."""
        self._leaves_out = False

    @property
    def length(self) -> int:
        """The number of changes that are shown, as far as they were examined."""
        return self.before + len(self._later)

    async def after(self, begin: int, count: int) -> list[JournalChange]:
        """Returns at most `count` of them after the first `begin`. Raises `StoreUnavailable`."""
        await self.read_on()
        early = await self._journal.after(begin, min(count, self.before - begin))
        return [*early, *self._later[max(0, begin - self.before) :]][:count]

    async def read_on(self) -> None:
        """Examines what was noted since the last call."""
        async with self._reading:
            while new := await self._journal.after(self.examined, _CHANGES_PER_BATCH):
                for change in new:
                    if not self._shows(change):
                        self._leaves_out = True
                    elif self._leaves_out:
                        self._later.append(change)
                    else:
                        self.before += 1
                self.examined += len(new)

    def _shows(self, change: JournalChange) -> bool:
        if change.kind == "block":
            return int(change.subject) in self._state.stored.blocks.places
        return change.kind in _PUBLIC_KINDS or change.at_ms < self._freeze_ms


@final
class FrozenSeason:
    """A season as it was when its standings were frozen."""

    def __init__(self, season: ArenaTournament, state: ScheduledTournament, freeze_ms: int) -> None:
        self.state = state
        self.plan: BlockPlan | None = None
        self.journal = _FrozenJournal(season.journal, state, freeze_ms)

    async def closed_blocks(self, numbers: Collection[int]) -> dict[int, ClosedBlock]:
        """See `ShownTournament`."""
        blocks = self.state.stored.blocks
        return {number: block for number in numbers if (block := blocks.block(number)) is not None}


@final
class FollowedChanges:
    """The changes of a tournament that one caller may follow, as they are at one moment."""

    def __init__(self, tournament: ArenaTournament, frozen: FrozenSeason | None, *, organiser: bool) -> None:
        self._tournament = tournament
        self._frozen = frozen
        self._organiser = organiser

    @property
    def length(self) -> int:
        """The number of changes."""
        return self._tournament.journal.length if self._frozen is None else self._frozen.journal.length

    def check_seen(self, seen: int) -> None:
        """Refuses a caller who has seen more changes than there are."""
        if seen > self.length:
            raise Refused.malformed(f"seen is {seen}, but there have been only {self.length} changes")

    async def changes_after(self, seen: int, count: int) -> list[JournalChange]:
        """Returns at most `count` changes after the first `seen`. Raises `StoreUnavailable`."""
        journal = self._tournament.journal if self._frozen is None else self._frozen.journal
        return await journal.after(seen, count)

    def seen_since(self, earlier: FollowedChanges, seen: int) -> int:
        """Returns how many of these changes a caller is sure to have seen who has seen some of the earlier ones.

        Opened standings show what they hid, before changes that were shown meanwhile: the caller gets those again.
        """
        frozen = earlier._frozen
        if frozen is not None and frozen is not self._frozen:
            seen = min(seen, frozen.journal.before)
        return min(seen, self.length)

    def known(self, seen: int) -> int:
        """Returns how many changes of the tournament are known to a caller who has seen some, to wait for others."""
        return seen if self._frozen is None else self._frozen.journal.examined

    def messages(self, changes: Iterable[JournalChange]) -> list[arena_pb2.TournamentChange]:
        """Returns changes as messages."""
        of_results = self._tournament if self._frozen is None else self._frozen
        found = [
            tournament_messages.change(
                self._tournament if change.kind == "entry" else of_results, change, organiser=self._organiser
            )
            for change in changes
        ]
        if not self._organiser:
            hide_in_changes(of_results.state, found)
        return found


@final
class FrozenSeasons:
    """The seasons whose standings are frozen, each read once."""

    def __init__(self, registry: TournamentRegistry) -> None:
        self._registry = registry
        self._kept: dict[str, tuple[Any, FrozenSeason]] = {}
        self._reading: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def frozen(self, season: ArenaTournament, *, organiser: bool) -> FrozenSeason | None:
        """Returns a season as it was when its standings were frozen; None for an organiser, and if they are not.

        Raises `StoreUnavailable`, `ArenaError`.
        """
        if not self.is_frozen(season):
            self._kept.pop(season.name, None)
            return None
        if organiser:
            return None
        async with self._reading[season.name]:
            basis = self._basis(season.state)
            if basis is None:  # they were opened meanwhile
                return None
            known, found = self._kept.get(season.name, (None, None))
            if found is None or known != basis:
                _, length, freeze_ms, *_ = basis
                state = await self._registry.stored(season.name)  # a copy that nothing changes meanwhile
                found = FrozenSeason(season, await asyncio.to_thread(as_frozen, state, length, freeze_ms), freeze_ms)
                self._kept[season.name] = basis, found
        await found.journal.read_on()
        return found

    async def state(self, season: ArenaTournament, *, organiser: bool) -> ScheduledTournament | None:
        """Returns the state of what `frozen` returns."""
        found = await self.frozen(season, organiser=organiser)
        return None if found is None else found.state

    async def shown(self, tournament: ArenaTournament, *, organiser: bool) -> ShownTournament:
        """Returns a tournament as a caller may see it. Raises `StoreUnavailable`, `ArenaError`."""
        return await self.frozen(tournament, organiser=organiser) or tournament

    async def followed(self, tournament: ArenaTournament, *, organiser: bool) -> FollowedChanges:
        """Returns the changes of a tournament that a caller may follow. Raises `StoreUnavailable`, `ArenaError`."""
        frozen = await self.frozen(tournament, organiser=organiser)
        return FollowedChanges(tournament, frozen, organiser=organiser)

    async def message(self, tournament: ArenaTournament, *, organiser: bool) -> arena_pb2.Tournament:
        """Returns the message about a tournament for a caller. Raises `StoreUnavailable`, `ArenaError`."""
        message = tournament_messages.tournament(tournament, tournament.state.parked_numbers, organiser=organiser)
        await self.hide_progress(tournament, message, organiser=organiser)
        return message

    async def hide_progress(
        self, tournament: ArenaTournament, message: arena_pb2.Tournament, *, organiser: bool
    ) -> None:
        """Removes from the message about a tournament what results since the freeze change."""
        frozen = await self.frozen(tournament, organiser=organiser)
        if frozen is not None:
            message.progress.CopyFrom(tournament_messages.progress(frozen.state, frozen.state.parked_numbers))
            message.ClearField("master")
            message.ClearField("withdrawals")

    def is_frozen(self, tournament: ArenaTournament) -> bool:
        """Returns whether the standings of a tournament are frozen now."""
        season = tournament.state.tournament.season
        return season is not None and season.standings_frozen(_now_ms())

    def check_shown(self, tournament: ArenaTournament, *, organiser: bool, answer: str) -> None:
        """Refuses what others than organisers are not told while the standings are frozen: `answer` names it."""
        if not organiser and self.is_frozen(tournament):
            raise Refused(
                errors_pb2.REASON_ORGANISER_ONLY,
                f"the standings of {tournament.name} are frozen, and {answer} would tell what happens meanwhile; ask"
                " again when they are open",
            )

    def _basis(self, state: ScheduledTournament) -> Any:
        """Returns all that a frozen season depends on; None if its standings are not frozen."""
        season, length = state.tournament.season, frozen_blocks(state, _now_ms())
        if season is None or length is None:
            return None
        freeze_ms, stored = season.standings_freeze_ms, state.stored
        annulments = tuple(annulment.line() for annulment in stored.blocks.annulments if annulment.at_ms < freeze_ms)
        entries = [change for change in stored.entries.changes if change.at_ms < freeze_ms]
        last = stored.blocks.noted(length - 1) if length else ()
        return state.id, length, freeze_ms, last, annulments, entries


def _now_ms() -> int:
    return int(time.time() * 1000)
