"""Finds the tournaments, ladders, bots and versions that requests name. Refuses unknown names."""

from __future__ import annotations

from collections.abc import Collection
from typing import final

from fudaba.errors import ServiceError
from fudaba.refusals import Refused
from fudaba.v1 import bots_pb2, errors_pb2
from fudaba_arena.api.checks import entry_checks
from fudaba_arena.api.checks.entry_checks import NOT_SUBMITTED, Submitted
from fudaba_arena.api.token_owners import TokenOwner
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.programs.program import submitted_as
from fudaba_arena.submissions.submission_forms import CheckProgress
from fudaba_arena.tournament.season import Season

__all__ = ["Finder", "checked_season", "season_of"]


@final
class Finder:
    """Finds what requests name."""

    def __init__(self, registry: TournamentRegistry) -> None:
        self._registry = registry

    async def tournament(self, name: str) -> ArenaTournament:
        """Returns the tournament with a name, or the newest season of the ladder with that name."""
        arena_tournament = await self._registry.find(name) or await self._registry.season(name)
        if arena_tournament is None:
            self._registry.check_readable(name)
            await self._registry.check_season_readable(name)
            raise Refused(errors_pb2.REASON_TOURNAMENT_NOT_FOUND, f"there is no tournament or ladder {name!r}")
        return arena_tournament

    async def newest_season(self, name: str) -> ArenaTournament:
        """Returns the newest season of a ladder."""
        arena_tournament = await self._registry.season(name)
        if arena_tournament is None:
            await self._registry.check_season_readable(name)
            raise Refused(errors_pb2.REASON_LADDER_NOT_FOUND, f"there is no ladder {name!r}")
        return arena_tournament

    async def season(self, name: str, number: int) -> ArenaTournament:
        """Returns a season of a ladder by its number; 0 for the newest."""
        newest = await self.newest_season(name)
        if not number:
            return newest
        found = await self._registry.season(name, number)
        if found is None:
            await self._registry.check_season_readable(name, number)
            raise Refused.malformed(f"season is {number}, but there have been only {season_of(newest).number}")
        return found

    async def open_season(self, name: str) -> ArenaTournament:
        """Returns the newest season, which must not be over."""
        arena_tournament = await self.newest_season(name)
        if arena_tournament.state_name == "closed":
            raise Refused(
                errors_pb2.REASON_TOURNAMENT_CLOSED, f"season {arena_tournament.name} is over; the next has not begun"
            )
        return arena_tournament

    async def bot(self, name: str) -> bots_pb2.Bot:
        """Returns the bot with a name, as the service reports it."""
        try:
            bot = await self._registry.bot(name)
        except ServiceError as error:
            raise Refused(errors_pb2.REASON_SERVICE_UNAVAILABLE, f"{error}; nothing was changed, try again") from error
        if bot is None:
            raise Refused(
                errors_pb2.REASON_BOT_NOT_FOUND,
                f"there is no bot {name!r}; `fudaba bot list` lists yours, `fudaba bot create` registers one",
            )
        return bot

    async def own_bot(self, name: str, caller: TokenOwner) -> bots_pb2.Bot:
        """Returns a bot of the caller's account; for the organiser, any bot."""
        bot = await self.bot(name)
        if not caller.organiser and (not caller.account or caller.account != bot.account):
            raise Refused(errors_pb2.REASON_NOT_YOURS, f"bot {bot.name} is not one of your account's bots")
        return bot

    async def version(self, bot: bots_pb2.Bot, wanted: str) -> str:
        """Returns the requested version of a bot. The default is the newest version, without submissions that are not
        accepted.
        """
        if not wanted:
            for version in reversed(bot.versions):
                tried, submission_id = await self._registry.store.checks.submission_of(bot.name, version.label)
                if submission_id or not tried:
                    return version.label
        return entry_checks.version_of(bot, wanted)

    async def submitted(self, bot: str, version: str, games: Collection[str]) -> Submitted:
        """Looks up a submitted version and checks that it plays these games. Refuses a version that was not
        accepted.
        """
        tried, program = await submitted_as(self._registry.store, bot, version)
        if not tried:
            return NOT_SUBMITTED
        if program is None:
            raise Refused(
                errors_pb2.REASON_ENTRY_CLOSED,
                f"version {version} of {bot} is a submission that was not accepted; fix it, and submit it again",
            )
        manifest = program.manifest
        kept = await self._registry.store.submissions.get(program.submission_id)
        outcomes = CheckProgress.read(kept.over).outcomes if kept is not None and kept.over is not None else ()
        timed = [outcome for outcome in outcomes if outcome.slowest_ms and outcome.game in games]
        slowest = max(timed, key=lambda timed_outcome: timed_outcome.slowest_ms, default=None)
        about = not manifest.keeps, manifest.games, program.needs, manifest.ram_mb
        return Submitted(program.submission_id, *about, slowest)


def season_of(arena_tournament: ArenaTournament) -> Season:
    """Returns a tournament as a season."""
    return checked_season(arena_tournament.state.tournament.season)


def checked_season(season: Season | None) -> Season:
    """Returns the season. Raises `ValueError` for a tournament that is not a season."""
    if season is None:
        raise ValueError("this tournament is not a season of a ladder")
    return season
