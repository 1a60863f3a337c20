"""Disqualifies entries of a season, and undoes that: an annulment and a change of the entries, stored together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from fudaba_arena.play.seasons.season_entries import SeasonEntries
from fudaba_arena.play.tournaments.annulment_changes import Annulments
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulment_effects import Effect, disqualifying, disqualifying_number, undoing
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.tournaments.entries import DISQUALIFIED, DISQUALIFY, REINSTATE, Entry, EntryChange

__all__ = ["Disqualifications", "Judgement", "NotJudged"]


@final
class NotJudged(Exception):
    """An entry is not disqualified or reinstated, since it is so already or was never entered. Nothing has changed."""

    def __init__(self, entry: Entry | None) -> None:
        super().__init__()
        self.entry = entry
        """The entry; None for a bot that was never entered."""


@final
@dataclass(frozen=True, slots=True)
class Judgement:
    """A disqualification or its undoing, made or previewed."""

    change: EntryChange
    """The change of the entries."""
    annulment: Annulment | None
    """What it takes back, or lets count again; None for the undoing in a season in which nothing was taken back."""
    effect: Effect
    open_blocks: int
    """The number of blocks of the entry's versions that were chosen and are not over."""


@final
class Disqualifications:
    """The disqualifications of one season. All operations raise `StoreUnavailable`."""

    def __init__(
        self, annulments: Annulments, entered: SeasonEntries, state: Callable[[], ScheduledTournament]
    ) -> None:
        """`state` is the season as known now."""
        self._annulments = annulments
        self._entered = entered
        self._state = state

    async def disqualify(self, bot: str, reason: str, *, preview: bool) -> Judgement:
        """Disqualifies an entry. With `preview` it only returns the effect. Raises `NotJudged`."""

        def made(entry: Entry, at_ms: int) -> tuple[Annulment, EntryChange]:
            if entry.state == DISQUALIFIED:
                raise NotJudged(entry)
            annulment = disqualifying(self._state().stored.blocks, bot, entry.entrants, at_ms)
            return annulment, EntryChange(DISQUALIFY, at_ms, bot, reason=reason)

        return await self._judge(bot, made, preview=preview)

    async def reinstate(self, bot: str, reason: str, *, preview: bool) -> Judgement:
        """Undoes the disqualification of an entry. With `preview` it only returns the effect. Raises `NotJudged`."""

        def made(entry: Entry, at_ms: int) -> tuple[Annulment | None, EntryChange]:
            if entry.state != DISQUALIFIED:
                raise NotJudged(entry)
            noted = self._state().stored.blocks.annulments
            number = disqualifying_number(noted, bot)
            undone = undoing(noted, number, f"{bot} is reinstated", at_ms) if number else None
            return undone, EntryChange(REINSTATE, at_ms, bot, reason=reason)

        return await self._judge(bot, made, preview=preview)

    async def _judge(
        self, bot: str, make: Callable[[Entry, int], tuple[Annulment | None, EntryChange]], *, preview: bool
    ) -> Judgement:
        while True:
            async with self._annulments.alone():
                await self._entered.catch_up()
                state = self._state()
                known = len(state.stored.entries.changes)
                entry = state.stored.entries.by_bot.get(bot)
                if entry is None:
                    raise NotJudged(None)
                annulment, change = make(entry, int(time.time() * 1000))
                more = annulment if annulment is not None else Annulment((), "")
                effect = await asyncio.to_thread(Effect.from_annulment, state.stored.blocks, more)
                judgement = Judgement(change, annulment, effect, _open_blocks(state, entry))
                stored = preview or await self._annulments.note_with_change(annulment, known, change.line())
            if stored:
                await self._entered.catch_up()
                return judgement


def _open_blocks(state: ScheduledTournament, entry: Entry) -> int:
    versions = frozenset(entry.entrants)
    unfinished = (block for block in state.unfinished() if block.slot not in state.parked_slots)
    return sum(not versions.isdisjoint(block.bots) for block in unfinished)
