"""All tournaments of a standing arena: new ones, those of an earlier process, and those that others play from its
store.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, final
from weakref import WeakValueDictionary

from fudaba.v1 import bots_pb2
from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored, readable
from fudaba_arena.metrics import STATES
from fudaba_arena.play.seasons.first_entries import first_entries
from fudaba_arena.play.service.accounts import check_accounts
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.resources import ArenaResources
from fudaba_arena.play.standing_arena.season_edits import SeasonEdits
from fudaba_arena.play.tournaments.beginning import begin, check_games, registered
from fudaba_arena.play.tournaments.deleting import LadderPlayed, delete_season
from fudaba_arena.play.tournaments.followed_tournament import stored_state
from fudaba_arena.schedule.planning import source_schedule
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.answers import StoreFull
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.season_archive import SeasonUnavailable
from fudaba_arena.tournament.challenge_definition import challenge_name
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.file import Source
from fudaba_arena.tournament.season import NAMES_HIDDEN, NAMES_SHOWN, Span, season_name, span_of

__all__ = ["DEFINITION", "Exists", "TournamentRegistry"]

DEFINITION: Final = "definition"
"""The name of a definition in the messages about its mistakes."""
_UNAVAILABLE_SECONDS: Final = 60.0
"""The time for which `look` leaves out a season whose files could not be read: each try may take long."""


@final
class Exists(Exception):
    """A tournament of that name exists with another definition."""


@final
class TournamentRegistry:
    """The tournaments of an arena."""

    def __init__(self, arena: ArenaResources, commands: Path | None) -> None:
        self._arena = arena
        self._store = arena.home.store
        self._commands = commands
        self._tournaments: dict[str, ArenaTournament] = {}
        self._unreadable: dict[str, str] = {}
        """For each tournament that could not be read, why it is not shown. It is read again at the next request for
        it."""
        self._unavailable: dict[str, float] = {}
        """For each season whose files could not be read at the last try, the monotonic time until which `look` skips
        it."""
        self._leaving = False
        self._finding: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """For each tournament, the lock that finding or forgetting it holds. Reading may take long, and the others go
        on."""
        self._creating = asyncio.Lock()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def store(self) -> Store:
        """The store of the tournaments."""
        return self._store

    @property
    def service(self) -> ServiceClient:
        """The service on which they are played."""
        return self._arena.service

    async def open(self) -> None:
        """Resumes the tournaments of an earlier process. Raises `StoreUnavailable`."""
        await self.all()

    async def all(self) -> list[ArenaTournament]:
        """Returns every tournament that can be shown now, ordered by name.

        It skips a season whose files could not be read, since each try may take long: `look` tries again.
        """
        found = []
        for name in await self._store.listing.names():
            if name in self._unavailable:
                continue
            try:
                found.append(await self.find(name))
            except SeasonUnavailable:
                pass  # `_stored` says so
            except ArenaError as error:
                self._cannot_read(name, error)
        return [arena_tournament for arena_tournament in found if arena_tournament is not None]

    async def find_new(self) -> None:
        """Finds tournaments that another arena on the same store has begun. This arena resumes them when that one ends.

        A stopping arena finds nothing. If a season's files cannot be read, which may take long, the rest waits for the
        next look.
        """
        for name in await self._store.listing.names():
            if self._leaving:
                return
            if name not in self._tournaments and name not in self._unreadable and not self._is_left_out(name):
                try:
                    await self.find(name)
                except SeasonUnavailable:
                    return  # `_stored` logs it; the next try comes after a while
                except ArenaError as error:
                    self._cannot_read(name, error)

    def known_states(self) -> list[ScheduledTournament]:
        """Returns the present states of the known tournaments."""
        return [arena_tournament.state for arena_tournament in self._tournaments.values()]

    def seasons(self) -> list[ArenaTournament]:
        """Returns the known seasons of ladders, those that are over included."""
        known = self._tournaments.values()
        return [arena_tournament for arena_tournament in known if arena_tournament.state.tournament.season is not None]

    async def find(self, name: str) -> ArenaTournament | None:
        """Returns the tournament with a name in its present state."""
        async with self._lock(name):
            known = self._tournaments.get(name)
            if known is not None and await known.was_deleted():
                await self._let_go(known)
                known = None
            if known is None:
                state = await self._stored(name)
                if state is None:
                    return None
                with readable(f"tournament {name}"):
                    known = await self._made(name, state)
                self._keep(known)
                self._unreadable.pop(name, None)
        await known.refresh()
        return known

    def _lock(self, name: str) -> asyncio.Lock:
        return self._finding.setdefault(name, asyncio.Lock())

    def _is_left_out(self, name: str) -> bool:
        return time.monotonic() < self._unavailable.get(name, 0.0)

    def check_readable(self, name: str) -> None:
        """Raises `BadStored` if `find` did not find a tournament because this release cannot read it."""
        if name in self._unreadable:
            raise BadStored(self._unreadable[name])

    async def check_season_readable(self, ladder: str, number: int = 0) -> None:
        """Raises `BadStored` if `season` did not find a season, the newest without a number, for that reason."""
        newest = (await self._store.listing.ladders()).get(ladder, 0)
        self.check_readable(season_name(ladder, number or newest))

    async def _made(self, name: str, state: ScheduledTournament) -> ArenaTournament:
        text = await self._store.steering.source(name)
        span = span_of(state.stored.definition) if state.tournament.season is not None else None
        source = self.source(text, span) if text is not None else None
        arena_tournament = ArenaTournament(self._arena, state, source, await self._store.steering.wanted(name))
        with suppress(StoreFull):  # followers get the changes now; they are stored when the store has room
            await arena_tournament.journal.catch_up(state, arena_tournament.state_name)
        return arena_tournament

    async def _stored(self, name: str) -> ScheduledTournament | None:
        """Reads a stored tournament. Returns None if it does not exist or this release cannot read it."""
        if name not in await self._store.listing.names():
            return None
        try:
            state = await stored_state(self._store, name)
        except SeasonUnavailable as error:
            if name not in self._unavailable:
                self._arena.say(f"season {name} cannot be shown now: {error}")
            self._unavailable[name] = time.monotonic() + _UNAVAILABLE_SECONDS
            raise
        except ArenaError as error:
            self._cannot_read(name, error)
            return None
        self._unavailable.pop(name, None)
        return state

    def _cannot_read(self, name: str, error: ArenaError) -> None:
        """Reports once why a tournament is not shown. All others are still shown."""
        if self._unreadable.get(name) != str(error):
            self._unreadable[name] = str(error)
            self._arena.say(str(error))

    async def stored(self, name: str) -> ScheduledTournament:
        """Reads a tournament with its entries, for a caller that needs its own state.

        Raises `ArenaError` if it does not exist.
        """
        state = await stored_state(self._store, name, keep_blocks=True)
        if state is None:
            raise ArenaError(f"the store has lost tournament {name}")
        return state

    def states(self) -> dict[str, int]:
        """Returns how many of the tournaments known here are in each state."""
        words = [arena_tournament.state_name for arena_tournament in self._tournaments.values()]
        return {word: words.count(word) for word in STATES}

    def unfinished(self) -> list[str]:
        """Returns the names of the known tournaments that standing arenas play and that are not over."""
        return [
            name
            for name, arena_tournament in self._tournaments.items()
            if arena_tournament.source is not None and not arena_tournament.state.stored.closed
        ]

    @property
    def is_restored(self) -> bool:
        """Whether a season in progress had to begin a generation, see `play.restored`."""
        seasons = [arena_tournament.state.stored for arena_tournament in self._tournaments.values()]
        return any(season.generations and not season.closed for season in seasons)

    @property
    def waits_for_room(self) -> bool:
        """Whether any rated play waits for room here."""
        return any(tournament.waits_for_room for tournament in self._tournaments.values())

    def source(self, text: str, span: Span | None = None) -> Source:
        """Makes a source of the definition in a call. With `span` it is a ladder's, and `span` says which season to
        read.
        """
        return Source(text, DEFINITION, self._commands, hosted=True, span=span)

    async def checked(self, source: Source) -> Tournament:
        """Reads a definition whose bots the service knows. A tournament that would begin must have no contradictions.

        Raises `BadTournament`, `NotRegistered`, `ArenaError`, `ServiceError`.
        """
        tournament = source.read()
        if await self._would_begin(tournament, source):
            tournament = source.read_new(int(time.time() * 1000))
            if tournament.season is not None:
                await check_accounts(tournament.season, self._arena.service, source)
        source_schedule(tournament, source)
        await check_games(tournament, self._arena.service)
        return await registered(tournament, None, source, self._arena.service)

    async def _would_begin(self, tournament: Tournament, source: Source) -> bool:
        """Returns whether a definition is new: it belongs neither to a begun tournament nor to a later season of a
        ladder.
        """
        if tournament.season is not None and tournament.season.number > 1:
            return False
        known = await self.find(tournament.name)
        return known is None or known.source is None or known.source.text != source.text

    async def create(self, tournament: Tournament, source: Source, *, paused: bool) -> tuple[ArenaTournament, bool]:
        """Begins a checked tournament, or finds the one with an equal text. Also returns whether it began now.

        Raises `Exists`, and `BadStored` if the stored tournament of its name cannot be read.
        """
        name, season = tournament.name, tournament.season
        async with self._creating:
            await self._check_name(tournament)
            known = await self.find(name)
            self.check_readable(name)
            begun = known is None
            if known is None:
                await self._store.steering.store_source(name, source.text)
                await self._store.steering.want(name, "paused" if paused else "playing")
                if season is not None:
                    earlier = await self.season(season.ladder, season.number - 1) if season.number > 1 else None
                    stored = None if earlier is None else earlier.state.stored.entries
                    await self._store.progress.change_entries(name, 0, first_entries(tournament.bots, stored))
                await begin(tournament, self._store)
                known = await self.find(name)
            if known is None or known.source is None or known.source.text != source.text:
                raise Exists(name)
            if season is not None:  # this covers a tournament whose arena died before it noted the beginning
                await self._store.listing.begin_season(season.ladder, season.number)
        return known, begun

    async def _check_name(self, tournament: Tournament) -> None:
        """Raises `Exists` if a ladder has the tournament's name, or a tournament has the ladder's."""
        season = tournament.season
        if await self._is_challenge(tournament.name) or tournament.name in await self._store.listing.aside():
            raise Exists(tournament.name)
        if season is None:
            taken = tournament.name in await self._store.listing.ladders()
        else:
            taken = season.ladder in await self._store.listing.names()
        if taken:
            raise Exists(tournament.name)

    async def _is_challenge(self, name: str) -> bool:
        of_challenge = challenge_name("")
        if not name.startswith(of_challenge):
            return False
        return await self._store.challenges.get(name.removeprefix(of_challenge)) is not None

    # --- ladders

    async def delete(self, ladder: str) -> None:
        """Deletes a ladder without counting blocks. Raises `LadderPlayed`, and what `delete_season` raises."""
        async with self._creating:
            first_season = await self.season(ladder, 1)
            if (
                first_season is None
                or (await self._store.listing.ladders())[ladder] > 1
                or first_season.state.stored.blocks.counted
            ):
                raise LadderPlayed(ladder)
            async with self._lock(first_season.name):
                await self._let_go(first_season)
                await delete_season(await self.stored(first_season.name), ladder, self._arena.home, self._arena.service)

    async def ladders(self) -> dict[str, int]:
        """Returns the number of each ladder's newest season, by the ladder's name."""
        return await self._store.listing.ladders()

    async def season(self, ladder: str, number: int = 0) -> ArenaTournament | None:
        """Returns the newest season of a ladder, or the one with `number`."""
        newest = (await self._store.listing.ladders()).get(ladder, 0)
        number = number or newest
        return await self.find(season_name(ladder, number)) if 0 < number <= newest else None

    def edits(self, season: ArenaTournament) -> SeasonEdits:
        """Returns the edits of a season."""
        return SeasonEdits(season, self._store, self._arena.service)

    def next_season(self, before: ArenaTournament, span: Span) -> Source:
        """Makes the source of the season after another one."""
        if before.source is None:
            raise ValueError(f"{before.name} is not a season of a ladder")
        names = NAMES_HIDDEN if before.state.tournament.names_hidden else NAMES_SHOWN
        return self.source(before.source.text, replace(span, names=names))

    async def house_bot(self, game: str) -> str:
        """Returns the best house bot for a game; empty if no house bot plays it. Raises `ServiceError`."""
        hosted = (await self._arena.service.games()).get(game)
        return hosted.house_bots[0].name if hosted is not None and hosted.house_bots else ""

    async def has_account(self, name: str) -> bool:
        """Returns whether the service has an account. Raises `ServiceError`."""
        return await self._arena.service.has_account(name)

    async def bot(self, name: str) -> bots_pb2.Bot | None:
        """Returns a bot as the service reports it; None if it does not exist. Raises `ServiceError`."""
        return await self._arena.service.bot(name)

    async def leave(self) -> None:
        """Stops playing when the matches in play are over. Tournaments found later are shown, but not played."""
        self._leaving = True
        for arena_tournament in self._tournaments.values():
            arena_tournament.leave()
            if arena_tournament.plan is None and arena_tournament.name in self._tasks:
                self._tasks[arena_tournament.name].cancel()  # the task may wait for a service that is away
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def hurry(self) -> None:
        """Stops waiting for the matches in play."""
        for arena_tournament in self._tournaments.values():
            arena_tournament.leave(at_once=True)

    def _keep(self, arena_tournament: ArenaTournament) -> None:
        self._tournaments[arena_tournament.name] = arena_tournament
        if arena_tournament.source is not None and not self._leaving:
            self._tasks[arena_tournament.name] = task = asyncio.create_task(arena_tournament.run())
            task.add_done_callback(lambda _: self._forget(arena_tournament) if arena_tournament.deleted else None)

    def _forget(self, arena_tournament: ArenaTournament) -> None:
        if self._tournaments.get(arena_tournament.name) is arena_tournament:
            del self._tournaments[arena_tournament.name]
            self._tasks.pop(arena_tournament.name, None)

    async def _let_go(self, arena_tournament: ArenaTournament) -> None:
        """Stops playing a tournament here, and forgets it. The next request reads it from the store."""
        arena_tournament.leave(at_once=True)
        task = self._tasks.get(arena_tournament.name)
        if task is not None:
            if arena_tournament.plan is None:
                task.cancel()  # it may wait for a service that is away
            await asyncio.gather(task, return_exceptions=True)
        self._forget(arena_tournament)
