"""Who is here of the bots of a ladder.

Of those that somebody else runs the service knows, and is asked now and then; and also which versions are paused, be
they submitted or not. One that was submitted is not here while it is paused, or no worker has a runtime that it needs.

It is asked of all of them together, and of a thousand entries every four seconds. Each costs the service 0.1 ms of CPU,
so asking takes a few hundredths of a core, however many there are; whoever comes is chosen seconds later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba_arena.errors import Say
from fudaba_arena.play.offers import Offers
from fudaba_arena.play.service import Present, ServiceClient
from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.store.entries import LEFT
from fudaba_arena.tournament.definition import BotEntry

__all__ = ["Presence"]

_EVERY_SECONDS: Final = 2.0
_PER_ENTRY_SECONDS: Final = 0.002


@final
class Presence:
    """Which entrants of one season are here, be it with a version that was replaced, as the service has said last."""

    def __init__(self, service: ServiceClient, offers: Offers, say: Say) -> None:
        self._service = service
        self._offers = offers
        self._say = say
        self._here: frozenset[str] = frozenset()
        self._paused: frozenset[str] = frozenset()
        self._asked: frozenset[str] = frozenset()
        self._refused = ""
        self.known = False
        """Whether the service has been asked."""

    def absent(self, state: TournamentState) -> set[str]:
        """The entrants that are not here. Before the service has been asked, all of those that somebody else runs."""
        return {name for name in state.entrants if self.away(state, name)}

    def away(self, state: TournamentState, entrant: str) -> bool:
        """Whether an entrant is among them."""
        bot = state.entrants[entrant]
        return (bot.remote and entrant not in self._here) or bool(self.why_absent(bot))

    def why_absent(self, bot: BotEntry) -> str:
        """Why a bot is absent that is paused, or was submitted and cannot be run, and what to do; empty for others."""
        if bot.pausable and bot.name in self._paused:
            return f"it is paused; resume it with `fudaba bot resume {bot.name}`"
        return self._offers.lacking(bot.needs) if bot.submission else ""

    def known_absent(self, bot: BotEntry) -> bool:
        """Whether the service has said that a bot which somebody else runs is not here."""
        return bot.remote and bot.bot in self._asked and bot.name not in self._here

    async def look_for(self, bot: BotEntry) -> None:
        """Asks about one bot of an author at once: who has just entered it is to be told what is so."""
        if not bot.pausable:
            return
        present = await self._ask([bot.bot])
        self._here = _without(self._here, bot.bot) | present.here
        self._paused = _without(self._paused, bot.bot) | present.paused
        self._asked |= {bot.bot}

    def missed(self, state: TournamentState, entrant: str) -> bool:
        """A bot did not connect: it is not here until the service says so again. False for one of the arena's own."""
        self._here -= {entrant}
        return state.entrants[entrant].remote

    async def watch(self, state: Callable[[], TournamentState], changed: Callable[[], None]) -> None:
        """Asks until the season is over. `changed` is called when somebody has come or gone.

        In a final it is called after each answer: once nobody is waited for any more, it ends.
        """
        unrun: set[str] = set()
        while not (now := state()).stored.closed:
            bots = sorted(
                entry.bot
                for entry in now.stored.entries.of.values()
                if entry.state != LEFT and now.entrants[entry.entrant].pausable
            )
            present = await self._ask(bots)
            here, self._paused, self._asked = present.here, present.paused, frozenset(bots)
            before, unrun = unrun, {name for name, bot in now.entrants.items() if self.why_absent(bot)}
            if here != self._here or unrun != before or not self.known or not now.goes_on:
                self._here, self.known = here, True
                changed()
            await asyncio.sleep(_EVERY_SECONDS + _PER_ENTRY_SECONDS * len(bots))

    async def _ask(self, bots: Sequence[str]) -> Present:
        try:
            present = await self._service.present(bots)
        except ServiceError as error:  # one that waiting cannot mend
            if str(error) != self._refused:
                self._say(f"who is here cannot be asked: {error}")
            self._refused = str(error)
            return Present(self._here, self._paused)
        self._refused = ""
        return present


def _without(versions: frozenset[str], bot: str) -> frozenset[str]:
    return frozenset(name for name in versions if name.partition("@")[0] != bot)
