"""The definition of a tournament and its forecast, as messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fudaba.codec import option_to_proto
from fudaba.v1 import arena_pb2
from fudaba_arena.play.matches.match_play import clock_message
from fudaba_arena.schedule.forecast import Forecast
from fudaba_arena.tournament.definition import APART, FRESH, Tournament
from fudaba_arena.tournament.formats import GAUNTLET, ROUND_ROBIN, SWISS
from fudaba_arena.tournament.limits import unit_of

__all__ = ["KINDS", "definition", "plan"]

KINDS: Final[Mapping[str, arena_pb2.EntrantKind.ValueType]] = {
    "builtin": arena_pb2.ENTRANT_KIND_BUILTIN,
    "command": arena_pb2.ENTRANT_KIND_COMMAND,
    "remote": arena_pb2.ENTRANT_KIND_REMOTE,
    "submitted": arena_pb2.ENTRANT_KIND_SUBMITTED,
}
_FORMATS: Final[Mapping[str, arena_pb2.TournamentFormat.ValueType]] = {
    ROUND_ROBIN: arena_pb2.TOURNAMENT_FORMAT_ROUND_ROBIN,
    GAUNTLET: arena_pb2.TOURNAMENT_FORMAT_GAUNTLET,
    SWISS: arena_pb2.TOURNAMENT_FORMAT_SWISS,
}
_SITTINGS: Final[Mapping[str, arena_pb2.Sittings.ValueType]] = {
    APART: arena_pb2.SITTINGS_APART,
    FRESH: arena_pb2.SITTINGS_FRESH,
}


def definition(tournament: Tournament) -> arena_pb2.TournamentDefinition:
    """Returns the message about a tournament's definition. It omits how the organiser starts bots, which may contain
    secrets.
    """
    return arena_pb2.TournamentDefinition(
        games=[
            arena_pb2.TournamentGame(
                game=game.game,
                seats=game.seats,
                options={name: option_to_proto(value) for name, value in game.options.items()},
                blocks=game.blocks,
                deals=game.deals,
                win_margin=game.win_margin,
                rules_version=game.rules_version,
            )
            for game in tournament.games
        ],
        entrants=[
            arena_pb2.Entrant(
                bot=bot.name,
                version=bot.version,
                author=bot.author,
                kind=KINDS[bot.kind],
                builtin=bot.builtin,
                stateless=bot.stateless,
                games=bot.games,
            )
            for bot in sorted(tournament.bots, key=lambda bot: bot.name)
        ],
        clock=clock_message(tournament.clock, tournament.connect_seconds),
        same_author=tournament.same_author,
        format=_FORMATS[tournament.format.kind],
        challengers=tournament.format.challengers,
        rounds=tournament.format.rounds,
        limits=[
            arena_pb2.BotLimit(name=name, value=value, unit=unit_of(name))
            for name, value in tournament.limits.values().items()
        ],
        sittings=_SITTINGS[tournament.sittings],
    )


def plan(forecast: Forecast) -> arena_pb2.TournamentPlan:
    """Returns the message with a tournament's forecast."""
    return arena_pb2.TournamentPlan(
        games=[
            arena_pb2.GamePlan(
                game=game.game,
                seats=game.seats,
                blocks=game.blocks,
                groups=game.groups,
                matches=game.matches,
                moves=game.length.moves,
                instant_seconds=game.instant,
                clock_seconds=game.clock,
                rounds=[
                    arena_pb2.PlannedRound(groups=[arena_pb2.PlannedGroup(bots=group) for group in groups])
                    for groups in game.rounds
                ],
                byes=game.byes,
            )
            for game in forecast.games
        ],
        concurrency=forecast.concurrency,
        instant_seconds=forecast.instant,
        clock_seconds=forecast.clock,
    )
