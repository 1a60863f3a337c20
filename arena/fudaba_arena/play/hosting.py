"""All tournaments of a standing arena: new ones, those of an earlier process, those that others play from its store."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final, final

from fudaba_arena.errors import ArenaError
from fudaba_arena.metrics import STATES
from fudaba_arena.play.beginning import begin, check_games, registered
from fudaba_arena.play.hosted import Arena, HostedTournament, stored_state
from fudaba_arena.schedule.planning import source_schedule
from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.file import Source

__all__ = ["DEFINITION", "Exists", "Host"]

DEFINITION: Final = "definition"
"""What mistakes in a definition are said to be in."""


@final
class Exists(Exception):
    """A tournament of that name is there, with another definition."""


@final
class Host:
    """The tournaments of an arena."""

    def __init__(self, arena: Arena, commands: Path | None) -> None:
        self._arena = arena
        self._store = arena.home.store
        self._commands = commands
        self._tournaments: dict[str, HostedTournament] = {}
        self._unreadable: set[str] = set()
        self._finding = asyncio.Lock()
        self._creating = asyncio.Lock()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def open(self) -> None:
        """Goes on with what an earlier process has left. Raises `StoreUnavailable`."""
        await self.all()

    async def all(self) -> list[HostedTournament]:
        """Every tournament, in the order of their names."""
        names = await self._store.tournaments()
        found = [await self.find(name) for name in names]
        return [one for one in found if one is not None]

    async def find(self, name: str) -> HostedTournament | None:
        """The tournament of a name, as it is now."""
        async with self._finding:
            known = self._tournaments.get(name)
            if known is None:
                state = await self._stored(name)
                if state is None:
                    return None
                text = await self._store.source(name)
                source = self.source(text) if text is not None else None
                known = HostedTournament(self._arena, state, source, await self._store.wanted(name))
                await known.journal.catch_up(state, known.word)
                self._keep(known)
        await known.refresh()
        return known

    async def _stored(self, name: str) -> TournamentState | None:
        """A tournament as it is stored; None for one that there is not, or that this release cannot read."""
        if name in self._unreadable or name not in await self._store.tournaments():
            return None
        try:
            return await stored_state(self._store, name)
        except ArenaError as error:
            self._unreadable.add(name)
            self._arena.say(str(error))
            return None

    def states(self) -> dict[str, int]:
        """How many of the tournaments that are known here are in each state."""
        words = [one.word for one in self._tournaments.values()]
        return {word: words.count(word) for word in STATES}

    def source(self, text: str) -> Source:
        """A definition that came with a call."""
        return Source(text, DEFINITION, self._commands, hosted=True)

    async def checked(self, source: Source) -> Tournament:
        """The tournament of a definition, its bots known to the service.

        Raises `BadTournament`, `NotRegistered`, `ArenaError`, `ServiceError`.
        """
        tournament = source.read()
        source_schedule(tournament, source)
        await check_games(tournament, self._arena.service)
        return await registered(tournament, None, source, self._arena.service)

    async def create(self, tournament: Tournament, source: Source, *, paused: bool) -> HostedTournament:
        """Begins a tournament that was checked, or finds the one that an equal text has begun. Raises `Exists`."""
        name = tournament.name
        async with self._creating:
            known = await self.find(name)
            if known is None:
                await self._store.store_source(name, source.text)
                await self._store.want(name, "paused" if paused else "playing")
                await begin(tournament, self._store)
                known = await self.find(name)
        if known is None or known.source is None or known.source.text != source.text:
            raise Exists(name)
        return known

    async def leave(self) -> None:
        """Stops playing when the matches in play are over."""
        for one in self._tournaments.values():
            one.leave()
            if one.plan is None and one.name in self._tasks:
                self._tasks[one.name].cancel()  # it may wait for a service that is away
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def hurry(self) -> None:
        """Does not wait for matches in play any more."""
        for one in self._tournaments.values():
            one.leave(at_once=True)

    def _keep(self, one: HostedTournament) -> None:
        self._tournaments[one.name] = one
        if one.source is not None:
            self._tasks[one.name] = asyncio.create_task(one.run())
