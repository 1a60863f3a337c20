"""The methods of ArenaService by which authors read what their submitted bots printed: see arena.proto."""

from __future__ import annotations

from typing import Final, final

from fudaba.refusals import Refused
from fudaba.v1 import bots_pb2, errors_pb2, submissions_pb2
from fudaba_arena.api.checks.finder import Finder
from fudaba_arena.api.frozen_season import FrozenSeasons
from fudaba_arena.api.guard import Context, Doorkeeper
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry

__all__ = ["BotLogMethods"]

_MAX_VERSIONS_SEARCHED: Final = 50
"""Only this many of the newest versions are searched for a match."""


@final
class BotLogMethods:
    """The methods about logs of bots. arena.proto describes each of them."""

    def __init__(self, registry: TournamentRegistry, door: Doorkeeper, finder: Finder, frozen: FrozenSeasons) -> None:
        self._registry = registry
        self._store = registry.store
        self._door = door
        self._finder = finder
        self._frozen = frozen

    async def ListBotLogs(
        self, request: submissions_pb2.ListBotLogsRequest, context: Context
    ) -> submissions_pb2.ListBotLogsResponse:
        """See arena.proto."""
        caller = await self._door.caller(context)
        bot = await self._finder.own_bot(request.bot, caller)
        response = submissions_pb2.ListBotLogsResponse(version=await self._finder.version(bot, request.version))
        hiding = [
            (await self._frozen.shown(season, organiser=caller.organiser)).state
            for season in await self._registry.all()
            if season.state.tournament.names_hidden
        ]  # of these an author learns the opponents when the block is over
        for kept in await self._store.bot_logs.matches(bot.name, response.version):
            hidden = not caller.organiser and any(state.hides_names_of(kept.match_id) for state in hiding)
            opponents = () if hidden else kept.opponents
            log = response.logs.add(match_id=kept.match_id, opponents=opponents, ending=kept.ending)
            log.end_time.FromMilliseconds(kept.at_ms)
        return response

    async def _with_logs(self, bot: bots_pb2.Bot) -> dict[str, set[str]]:
        """Returns the newest versions that have stored logs, with the ids of their matches."""
        labels = [version.label for version in reversed(bot.versions)][:_MAX_VERSIONS_SEARCHED]
        found = [await self._store.bot_logs.matches(bot.name, label) for label in labels]
        return {
            label: {kept_match.match_id for kept_match in kept}
            for label, kept in zip(labels, found, strict=True)
            if kept
        }

    async def GetBotLog(
        self, request: submissions_pb2.GetBotLogRequest, context: Context
    ) -> submissions_pb2.GetBotLogResponse:
        """See arena.proto."""
        bot = await self._finder.own_bot(request.bot, await self._door.caller(context))
        version = await self._finder.version(bot, request.version)
        text = await self._store.bot_logs.get(bot.name, version, request.match_id)
        if text is None:
            name = f"{bot.name}@{version}"
            others = await self._with_logs(bot)
            where = [label for label, matches in others.items() if request.match_id in matches]
            hint = f"`fudaba bot logs {name}` lists the matches with a log"
            if where:
                hint = f"version {where[0]} played there: `fudaba bot logs {bot.name}@{where[0]} {request.match_id}`"
            elif others and version not in others:
                hint = f"versions with a log: {', '.join(others)}"
            raise Refused(errors_pb2.REASON_LOG_NOT_FOUND, f"no log of {name} in {request.match_id!r} is kept; {hint}")
        return submissions_pb2.GetBotLogResponse(text=text)
