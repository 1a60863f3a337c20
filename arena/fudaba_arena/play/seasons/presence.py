"""Watches which bots of a ladder are here.

Of those that somebody else runs the service knows, and is asked now and then; and also which versions are paused, and
whose account is suspended, be they submitted or not. One that was submitted is not here while it is either, when its
account is deleted, or while no worker has a runtime that it needs.

It is asked of all of them together, and of a thousand entries every four seconds. Each costs the service 0.1 ms of CPU,
so asking takes a few hundredths of a core, however many there are; whoever comes is chosen seconds later.

What is known changes in one place, which also tells those who choose what is played: whatever was learned, and however,
nothing waits for it longer.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba_arena.errors import Say
from fudaba_arena.play.seasons.losses import Losses
from fudaba_arena.play.service.service_client import Present, ServiceClient
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.store.tournaments.entries import LEFT, PLAYING, PSEUDONYM
from fudaba_arena.store.workers.known_workers import REMOTE, Isolation
from fudaba_arena.tournament.definition import BotEntry

__all__ = ["Presence"]

_POLL_SECONDS: Final = 2.0
_POLL_SECONDS_PER_ENTRY: Final = 0.002


@final
class Presence:
    """The entrants of a season that are here, also with a version that was replaced, by the service's last word."""

    def __init__(self, service: ServiceClient, offers: Offers, changed: Callable[[], None], say: Say) -> None:
        self._service = service
        self._offers = offers
        self._changed = changed
        """Called whenever something is known that was not known before."""
        self._say = say
        self._losses = Losses()
        self._present = Present()
        """The latest answer of the service. Only `_note` changes it."""
        self._runtimes = offers.standing()
        """The runtimes that workers had when they were noted last."""
        self._asked: frozenset[str] = frozenset()
        self._learned: dict[str, Present] = {}
        """For each bot, what the service said of it alone since it was asked about all."""
        self._missed: set[str] = set()
        """The entrants that did not connect since it was asked about all."""
        self._refused = ""
        self.known = False
        """Whether the service has been asked."""

    def absent(self, state: TournamentState) -> set[str]:
        """Returns the entrants that are not here. Before the service has been asked, all of those that somebody else
        runs.
        """
        return {name for name in state.entrants if self.away(state, name)}

    def away(self, state: TournamentState, entrant: str) -> bool:
        """Returns whether an entrant is among them."""
        bot = state.entrants[entrant]
        return (bot.remote and entrant not in self._present.here) or bool(self.why_absent(bot))

    def suspended(self, bot: BotEntry) -> bool:
        """Returns whether the account of a bot is suspended, as the service has said last."""
        return bot.pausable and bot.name in self._present.suspended

    def barred(self, bot: BotEntry) -> bool:
        """Returns whether nobody plays as a bot: its account is suspended, or was deleted."""
        return self.suspended(bot) or (bot.pausable and bot.account.startswith(PSEUDONYM))

    def holds_up(self, bot: BotEntry) -> bool:
        """Returns whether matches that have begun for nobody wait for a bot which is paused: they may wait for a
        day.
        """
        return bot.pausable and bot.name in self._present.holding_up

    def why_absent(self, bot: BotEntry) -> str:
        """Returns why a bot is absent that may not play now, or was submitted and cannot be run, and what to do.

        Empty for others.
        """
        if self.suspended(bot):
            return "its account is suspended; it plays on by itself when the organiser resumes the account"
        if bot.submission and bot.account.startswith(PSEUDONYM):
            return "its account was deleted, and nobody plays as it any more"
        if bot.pausable and bot.name in self._present.paused:
            return f"it is paused; resume it with `fudaba bot resume {bot.name}`"
        return self._offers.lacking(bot.needs) if bot.submission else ""

    def known_absent(self, bot: BotEntry) -> bool:
        """Returns whether the service has said that a bot which somebody else runs is not here."""
        return bot.remote and bot.bot in self._asked and bot.name not in self._present.here

    def isolations(self, state: TournamentState) -> Counter[Isolation]:
        """Counts the workers for each isolation in which authors' entered bots run.

        Nothing once the season is over.
        """
        if state.stored.closed:
            return Counter()
        entered = [
            state.entrants[entry.entrant] for entry in state.stored.entries.by_bot.values() if entry.state == PLAYING
        ]
        found = self._offers.isolations({bot.needs for bot in entered if bot.submission})
        if any(bot.remote for bot in entered):
            found[Isolation(REMOTE)] = 0
        return found

    async def look_for(self, state: TournamentState, bot: BotEntry) -> None:
        """Asks about one bot of an author at once, so that the caller who has just entered it gets the truth."""
        if not bot.pausable:
            return
        answer = await self._ask([bot.bot])
        if answer is not None:
            self._asked |= {bot.bot}
            self._learned[bot.bot] = answer
            self._missed -= answer.here
            self._losses.note_bots(state, {bot.bot}, answer.here)
            self._note(self._present.without(bot.bot) | answer)

    async def suspended_now(self, state: TournamentState, entrants: Collection[str]) -> list[str]:
        """Asks the service which entrants' accounts are suspended at this moment."""
        asked = [state.entrants[name] for name in entrants if state.entrants[name].pausable]
        for bot in asked:
            await self.look_for(state, bot)
        return [bot.name for bot in asked if self.suspended(bot)]

    async def blameless(self, state: TournamentState, found_at: Mapping[str, float]) -> list[str]:
        """Finds entrants that were lost by a fault of ours, or together with others.

        `found_at` is when each was found to be away, by the monotonic clock.
        """
        bots = _asked_about(state)
        answer = await self._ask(bots)
        if answer is not None:
            self._losses.note_bots(state, bots, answer.here)  # others may have entered meanwhile
        faulted_at = self._service.faulted_at
        return [name for name, at in found_at.items() if self._losses.blameless(state, name, at, faulted_at)]

    def missed(self, state: TournamentState, entrant: str) -> bool:
        """Notes that a bot did not connect: it is absent until the service says otherwise. Returns False for one of the
        arena's own.
        """
        self._missed.add(entrant)
        self._note(replace(self._present, here=self._present.here - {entrant}))
        return state.entrants[entrant].remote

    async def watch(self, state: Callable[[], TournamentState]) -> None:
        """Asks until the season is over.

        In a final those who choose look again after each answer: once nobody is waited for any more, it ends.
        """
        while not (now := state()).stored.closed:
            bots = _asked_about(now)
            self._learned.clear()
            self._missed.clear()
            answer = await self._ask(bots)
            if answer is not None:
                for bot, learned in self._learned.items():  # the answer may be older, and about others alone
                    answer = answer.without(bot) | learned
                self._losses.note(state(), answer.here)  # others may have entered meanwhile
                answer = replace(answer, here=answer.here - self._missed)
            first, self.known = not self.known, True
            if answer is not None:
                self._asked = frozenset(bots) | self._learned.keys()
            self._note(self._present if answer is None else answer, anyway=first or not now.goes_on)
            await asyncio.sleep(_POLL_SECONDS + _POLL_SECONDS_PER_ENTRY * len(bots))

    def _note(self, present: Present, *, anyway: bool = False) -> None:
        """Notes what the service said, and what workers can run now, and tells of it unless that is as it was."""
        runtimes = self._offers.standing()
        # Equal answers may concern different blocks: a bot may hold up one now that held up another before.
        if anyway or present.holding_up or (present, runtimes) != (self._present, self._runtimes):
            self._present, self._runtimes = present, runtimes
            self._changed()

    async def _ask(self, bots: Sequence[str]) -> Present | None:
        """Asks the service about these bots. Returns None where it refuses."""
        try:
            present = await self._service.present(bots)
        except ServiceError as error:  # a fault that waiting cannot repair
            if str(error) != self._refused:
                self._say(f"cannot ask the service which bots are connected: {error}")
            self._refused = str(error)
            return None
        self._refused = ""
        return present


def _asked_about(state: TournamentState) -> list[str]:
    """Returns the bots of authors that are entered, and those that have left while a block of theirs is played."""
    entered = {entry.entrant for entry in state.stored.entries.by_bot.values() if entry.state != LEFT}
    playing = {name for number in state.opened for name in state.schedule.block(number).bots}
    return sorted({state.entrants[name].bot for name in entered | playing if state.entrants[name].pausable})
