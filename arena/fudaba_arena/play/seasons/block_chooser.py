"""Chooses the blocks of a season while it goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, final

from fudaba_arena.errors import ArenaError
from fudaba_arena.play.seasons.presence import Presence
from fudaba_arena.play.service.maintenance import KnownMaintenance
from fudaba_arena.play.service.maintenance_hold import MaintenanceHold
from fudaba_arena.schedule.block_plan import BlockPlan
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.idle_reasons import IdleCause, IdleReason
from fudaba_arena.schedule.next_block import Ratings, Situation, idle_reason, next_block, wanting
from fudaba_arena.schedule.shares import Ledger, Share, matches_in_play
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import StoreRetry
from fudaba_arena.store.tournaments.entries import ENTER, RESUME, Entries, EntryChange

__all__ = ["Chooser", "Rate", "catch_up", "entrant_after"]

Rate = Callable[[ScheduledTournament], Ratings]
"""Rates all entrants from the counting results. It runs in another thread."""

_RATED_BLOCKS_PER_NEW: Final = 20
"""Ratings are fitted again once there is one new block for this many known ones, and when nothing is in play."""


@final
@dataclass(frozen=True, slots=True)
class _Rated:
    """The results on which ratings were fitted."""

    closed: int = -1
    """The number of closed blocks; -1 before the first fit."""
    annulments: Sequence[Annulment] = ()
    """All that were noted, undone ones included."""


async def catch_up(state: ScheduledTournament, store: Store) -> bool:
    """Takes changes of entries from the store into the state. Returns whether there were any."""
    known = state.stored.entries.changes
    begin = len(known)
    added = await store.progress.entry_changes(state.tournament.name, begin)
    changes = added[len(known) - begin :]  # others catch up, too
    state.note_entries(changes)
    for change in changes:
        if change.kind in {ENTER, RESUME}:
            state.readmit(entrant_after(state.stored.entries, change))
    return bool(changes)


def entrant_after(entries: Entries, change: EntryChange) -> str:
    """Returns the entrant that plays after a change; empty if none does."""
    known = entries.by_bot.get(change.bot)
    version = change.version or (known.version if known is not None else "")
    return f"{change.bot}@{version}" if version else ""


@final
class Chooser:
    """Chooses the blocks of one season, and stores each before it is played."""

    def __init__(
        self,
        state: ScheduledTournament,
        store: Store,
        retry: StoreRetry,
        rate: Rate,
        presence: Presence,
        plan: BlockPlan,
        spare: Callable[[], int],
        maintenance: KnownMaintenance,
        hold: MaintenanceHold,
    ) -> None:
        self._state = state
        self._store = store
        self._retry = retry
        self._rate = rate
        self._presence = presence
        self._plan = plan
        self._spare = spare
        """The number of matches that would have room beside all that were begun."""
        self._maintenance = maintenance
        self._hold = hold
        self._ledger = Ledger()
        self._began_ms = _now_ms()
        self._ratings: Ratings = {}
        self._rated = _Rated()
        """The results to which these were fitted."""

    async def choose(self) -> Block | None:
        """Returns the next block, stored; None if none is to be played now. Raises `ArenaError`."""
        schedule = self._state.schedule
        if not self._plan.has_room or not isinstance(schedule, ChosenSchedule):
            return None
        await self._rate_again(_RATED_BLOCKS_PER_NEW)
        chosen = next_block(self._state, self._situation(), _now_ms())
        if chosen is None and not self._plan.open and await self._rate_again():
            chosen = next_block(self._state, self._situation(), _now_ms())  # or nothing would ever rate them again
        if chosen is None:
            return None
        name, slot, generations = self._state.tournament.name, len(schedule), self._state.stored.generations
        chosen = replace(chosen, edits=len(self._state.tournament.edits))
        if generations:
            chosen = replace(chosen, generation=generations[-1].name)
        await self._retry(partial(self._store.progress.choose, name, slot, chosen))
        if await self._retry(partial(self._store.progress.chosen, name, slot)) != [chosen]:
            raise ArenaError(f"another arena chooses what is played in {name}; this one looks again")
        return self._state.add_chosen(chosen)

    def idle_reason(self) -> IdleReason:
        """Returns why nothing is played, where nothing is."""
        if self._hold:
            return IdleReason(IdleCause.MAINTENANCE, ends_ms=self._hold.until_ms)
        if not self._presence.known:
            return IdleReason(IdleCause.ASKING_PRESENCE)
        return idle_reason(self._state, self._situation())

    def _situation(self) -> Situation:
        held_up = {block.slot for block in self._plan.held_up}
        absent, full = self._presence.absent(self._state), self._plan.full()
        situation = Situation(self._ratings, absent, self._plan.busy(), held_up, full, self._spare())
        situation = replace(situation, extended=self._extended())
        return replace(situation, shares=self._shares(wanting(self._state, situation)))

    def shares(self) -> tuple[Mapping[str, Share], Collection[str]]:
        """Returns each entry's share, by its name, and the entries that want blocks."""
        situation = Situation(self._ratings, self._presence.absent(self._state), extended=self._extended())
        wanted = wanting(self._state, situation)
        return self._shares(wanted), wanted

    def _extended(self) -> frozenset[str]:
        return self._state.stored.entries.extended(_now_ms())

    def _shares(self, wanted: Collection[str]) -> Mapping[str, Share]:
        stored = self._state.stored
        in_play = matches_in_play(self._plan.begun(), stored.results)
        return self._ledger.shares(stored.blocks.time_use, list(stored.results.values()), in_play, wanted)

    def away(self, bot: str) -> bool:
        """Returns whether an entrant is absent."""
        return self._presence.away(self._state, bot)

    async def suspended(self, entrants: Collection[str]) -> list[str]:
        """Finds entrants whose accounts are suspended. Their unplayed matches do not count against them."""
        return await self._presence.suspended_now(self._state, entrants)

    async def blameless(self, found_at: Mapping[str, float]) -> list[str]:
        """Finds entrants that were away without fault. `found_at` has the time when each absence was found."""
        return await self._presence.blameless(self._state, found_at)

    def missed(self, bot: str) -> bool:
        """Notes that an entrant did not connect. It is not chosen until it does. Returns False for the arena's own
        bots.
        """
        return self._presence.missed(self._state, bot)

    def waits(self) -> bool:
        """Returns whether a final with nothing left to play waits for absent entries, for the end of an extension, or
        for submissions that were uploaded in time.

        It waits for a number of seconds after its last counting block, after its beginning, after the last extension,
        after the last of those submissions was entered or left out, after the last maintenance, and after the beginning
        of this run: the arena may have been away together with the bots.
        """
        season, stored = self._state.tournament.season, self._state.stored
        if season is None or stored.entries.frozen_ms is None:
            return False
        if not self._presence.known:
            return True
        if stored.entries.extended(_now_ms()) or stored.entries.awaited:
            return True
        extended_ms, settled_ms = stored.entries.extended_ms, stored.entries.settled_ms
        since_ms = max(stored.entries.frozen_ms, self._began_ms, stored.blocks.newest_ms(), extended_ms, settled_ms)
        since_ms = max(since_ms, self._maintenance.begun_end_ms)
        if _now_ms() >= since_ms + season.final_wait_seconds * 1000 and not self._hold:
            return False
        everybody = replace(self._situation(), absent=())
        return next_block(self._state, everybody, _now_ms()) is not None

    async def _rate_again(self, share: int = 0) -> bool:
        """Fits the ratings again if they miss any result or, with a `share`, if they miss one block in `share`. Returns
        whether it did.
        """
        blocks = self._state.stored.blocks
        now = _Rated(blocks.length, blocks.annulments)
        fewest = self._rated.closed + max(1, self._rated.closed // share if share else 0)
        if now.closed < fewest and now.annulments == self._rated.annulments:
            return False
        self._ratings = await asyncio.to_thread(self._rate, self._state)
        self._rated = now
        return True


def _now_ms() -> int:
    return int(time.time() * 1000)
