"""Watches which bots of a ladder are present.

The service knows the presence of remote bots, and is asked at intervals. It also reports which versions are paused and
whose accounts are suspended, for remote and submitted bots. A submitted bot is absent while it is paused or suspended,
when its account is deleted, or while no worker has a runtime that it needs.

One call asks about all bots together; a thousand entries are asked about every four seconds. Each bot costs the service
0.1 ms of CPU, so the calls take a few hundredths of a core, however many there are. A bot that connects is chosen
seconds later.

The knowledge changes in one place, which also notifies those that choose blocks. So no news waits, whatever its source.
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
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.tournaments.entries import LEFT, PLAYING, PSEUDONYM
from fudaba_arena.store.workers.known_workers import REMOTE, Isolation
from fudaba_arena.tournament.definition import BotEntry

__all__ = ["Presence"]

_POLL_SECONDS: Final = 2.0
_POLL_SECONDS_PER_ENTRY: Final = 0.002


@final
class Presence:
    """The present entrants of a season, including replaced versions, according to the service's last answer."""

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
        """For each bot, the service's answers about it alone since the last question about all bots."""
        self._missed: set[str] = set()
        """The entrants that have not connected since the last question about all bots."""
        self._refused = ""
        self.known = False
        """Whether the service has been asked."""

    def absent(self, state: ScheduledTournament) -> set[str]:
        """Returns the absent entrants. Before the service's first answer, all remote bots are absent."""
        return {name for name in state.entrants if self.away(state, name)}

    def away(self, state: ScheduledTournament, entrant: str) -> bool:
        """Returns whether an entrant is absent."""
        bot = state.entrants[entrant]
        return (bot.remote and entrant not in self._present.here) or bool(self.why_absent(bot))

    def suspended(self, bot: BotEntry) -> bool:
        """Returns whether the account of a bot is suspended, according to the service's last answer."""
        return bot.pausable and bot.name in self._present.suspended

    def barred(self, bot: BotEntry) -> bool:
        """Returns whether a bot may not play because its account is suspended or deleted."""
        return self.suspended(bot) or (bot.pausable and bot.account.startswith(PSEUDONYM))

    def holds_up(self, bot: BotEntry) -> bool:
        """Returns whether unbegun matches wait for a paused bot, which may take up to a day."""
        return bot.pausable and bot.name in self._present.holding_up

    def why_absent(self, bot: BotEntry) -> str:
        """Returns why a barred bot, or a submitted bot that cannot run, is absent, and what to do about it.

        Returns an empty text for other bots.
        """
        if self.suspended(bot):
            return "its account is suspended; it plays on by itself when the organiser resumes the account"
        if bot.submission and bot.account.startswith(PSEUDONYM):
            return "its account was deleted, and nobody plays as it any more"
        if bot.pausable and bot.name in self._present.paused:
            return f"it is paused; resume it with `fudaba bot resume {bot.name}`"
        return self._offers.lacking(bot.needs) if bot.submission else ""

    def known_absent(self, bot: BotEntry) -> bool:
        """Returns whether the service has reported a remote bot as absent."""
        return bot.remote and bot.bot in self._asked and bot.name not in self._present.here

    def isolations(self, state: ScheduledTournament) -> Counter[Isolation]:
        """Counts the workers for each isolation in which authors' entered bots run.

        Returns nothing once the season is over.
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

    async def look_for(self, state: ScheduledTournament, bot: BotEntry) -> None:
        """Asks about one bot of an author at once, so that the caller who has just entered it gets a true answer."""
        if not bot.pausable:
            return
        answer = await self._ask([bot.bot])
        if answer is not None:
            self._asked |= {bot.bot}
            self._learned[bot.bot] = answer
            self._missed -= answer.here
            self._losses.note_bots(state, {bot.bot}, answer.here)
            self._note(self._present.without(bot.bot) | answer)

    async def suspended_now(self, state: ScheduledTournament, entrants: Collection[str]) -> list[str]:
        """Asks the service which entrants' accounts are suspended now."""
        asked = [state.entrants[name] for name in entrants if state.entrants[name].pausable]
        for bot in asked:
            await self.look_for(state, bot)
        return [bot.name for bot in asked if self.suspended(bot)]

    async def blameless(self, state: ScheduledTournament, found_at: Mapping[str, float]) -> list[str]:
        """Finds entrants that were lost through a fault of ours, or together with others.

        `found_at` is the time when each absence was found, by the monotonic clock.
        """
        bots = _asked_about(state)
        answer = await self._ask(bots)
        if answer is not None:
            self._losses.note_bots(state, bots, answer.here)  # others may have entered meanwhile
        faulted_at = self._service.faulted_at
        return [name for name, at in found_at.items() if self._losses.blameless(state, name, at, faulted_at)]

    def missed(self, state: ScheduledTournament, entrant: str) -> bool:
        """Notes that a bot did not connect. It is absent until the service reports it. Returns False for the arena's
        own bots.
        """
        self._missed.add(entrant)
        self._note(replace(self._present, here=self._present.here - {entrant}))
        return state.entrants[entrant].remote

    async def watch(self, state: Callable[[], ScheduledTournament]) -> None:
        """Asks until the season is over.

        In a final, the choosers look again after each answer, since the final ends when it waits for no bot.
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
        """Notes the service's answer and the workers' present runtimes. Notifies listeners if anything has changed."""
        runtimes = self._offers.standing()
        # Equal answers may concern different blocks: a bot may hold up one now that held up another before.
        if anyway or present.holding_up or (present, runtimes) != (self._present, self._runtimes):
            self._present, self._runtimes = present, runtimes
            self._changed()

    async def _ask(self, bots: Sequence[str]) -> Present | None:
        """Asks the service about these bots. Returns None if it refuses."""
        try:
            present = await self._service.present(bots)
        except ServiceError as error:  # a fault that waiting cannot repair
            if str(error) != self._refused:
                self._say(f"cannot ask the service which bots are connected: {error}")
            self._refused = str(error)
            return None
        self._refused = ""
        return present


def _asked_about(state: ScheduledTournament) -> list[str]:
    """Returns the entered bots of authors, and those that have left while one of their blocks is in play."""
    entered = {entry.entrant for entry in state.stored.entries.by_bot.values() if entry.state != LEFT}
    playing = {name for number in state.opened for name in state.schedule.block(number).bots}
    return sorted({state.entrants[name].bot for name in entered | playing if state.entrants[name].pausable})
