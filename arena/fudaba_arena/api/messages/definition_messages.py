"""The definition of a tournament, its forecast and its bracket, as messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from fudaba.codec import option_to_proto
from fudaba.v1 import arena_pb2
from fudaba_arena.ladder.lookalikes import lookalikes
from fudaba_arena.play.matches.match_play import clock_message
from fudaba_arena.schedule.bracket_plan import FINAL, LOWER, MAIN, RESET, THIRD_PLACE
from fudaba_arena.schedule.bracket_standing import BY_ABSENCE, BY_POINTS, BY_SEED, NOT_NEEDED, Bracket, GroupStanding
from fudaba_arena.schedule.forecast import Forecast
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.tournament.definition import APART, FRESH, Tournament
from fudaba_arena.tournament.formats import DOUBLE_ELIMINATION, GAUNTLET, ROUND_ROBIN, SINGLE_ELIMINATION, SWISS
from fudaba_arena.tournament.limits import unit_of
from fudaba_arena.tournament.seed_source import SeedSource

__all__ = ["KINDS", "bracket_of", "definition", "plan"]

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
    SINGLE_ELIMINATION: arena_pb2.TOURNAMENT_FORMAT_SINGLE_ELIMINATION,
    DOUBLE_ELIMINATION: arena_pb2.TOURNAMENT_FORMAT_DOUBLE_ELIMINATION,
}
_SITTINGS: Final[Mapping[str, arena_pb2.Sittings.ValueType]] = {
    APART: arena_pb2.SITTINGS_APART,
    FRESH: arena_pb2.SITTINGS_FRESH,
}

_SECTIONS: Final[Mapping[str, arena_pb2.BracketSection.ValueType]] = {
    MAIN: arena_pb2.BRACKET_SECTION_MAIN,
    FINAL: arena_pb2.BRACKET_SECTION_FINAL,
    THIRD_PLACE: arena_pb2.BRACKET_SECTION_THIRD_PLACE,
    LOWER: arena_pb2.BRACKET_SECTION_LOWER,
    RESET: arena_pb2.BRACKET_SECTION_RESET,
}
_DECISIONS: Final[Mapping[str, arena_pb2.BracketDecision.ValueType]] = {
    "": arena_pb2.BRACKET_DECISION_UNSPECIFIED,
    BY_POINTS: arena_pb2.BRACKET_DECISION_POINTS,
    BY_ABSENCE: arena_pb2.BRACKET_DECISION_ABSENCE,
    BY_SEED: arena_pb2.BRACKET_DECISION_SEED,
    NOT_NEEDED: arena_pb2.BRACKET_DECISION_NOT_NEEDED,
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
        seeds=tournament.format.seeds,
        third_place=tournament.format.third_place,
        tiebreak_blocks=tournament.format.tiebreak_blocks,
        limits=[
            arena_pb2.BotLimit(name=name, value=value, unit=unit_of(name))
            for name, value in tournament.limits.values().items()
        ],
        sittings=_SITTINGS[tournament.sittings],
        seeded_from=_seed_source(tournament.format.seeded_from),
    )


def _seed_source(source: SeedSource | None) -> arena_pb2.SeedSource | None:
    if source is None:
        return None
    return arena_pb2.SeedSource(ladder=source.ladder, season=source.season, game=source.game, point=source.point)


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
                bracket=_bracket(game.bracket, {}) if game.bracket is not None else None,
            )
            for game in forecast.games
        ],
        concurrency=forecast.concurrency,
        instant_seconds=forecast.instant,
        clock_seconds=forecast.clock,
    )


def bracket_of(state: ScheduledTournament) -> arena_pb2.Bracket | None:
    """Returns the bracket of a knockout; None for other formats."""
    bracket = state.bracket()
    if bracket is None:
        return None
    similar = lookalikes(state.tournament.bots)
    return _bracket(bracket, {name: similar.get(entrant.bot, "") for name, entrant in state.entrants.items()})


def _bracket(bracket: Bracket, looks_like: Mapping[str, str]) -> arena_pb2.Bracket:
    """Returns the message about a bracket. `looks_like` has the similar names of other bots, by bot."""
    seeds = {place.bot: place.seed for place in bracket.places}
    often = Counter(place.rank for place in bracket.places)
    return arena_pb2.Bracket(
        game=bracket.game,
        rounds=bracket.rounds,
        rounds_begun=bracket.rounds_begun,
        groups=[_group(group, seeds) for group in bracket.groups],
        places=[
            arena_pb2.BracketPlace(
                rank=place.rank,
                tied=place.rank > 0 and often[place.rank] > 1,
                bot=place.bot,
                seed=place.seed,
                looks_like=looks_like.get(place.bot, ""),
            )
            for place in bracket.places
        ],
    )


def _group(standing: GroupStanding, seeds: Mapping[str, int]) -> arena_pb2.BracketGroup:
    return arena_pb2.BracketGroup(
        round=standing.group.round + 1,
        section=_SECTIONS[standing.group.section],
        advancing=standing.group.advancing,
        seats=[
            arena_pb2.BracketSeat(
                bot=bot,
                seed=feed.place + 1 if feed.group is None else seeds[bot] if bot else 0,
                from_group=0 if feed.group is None else feed.group + 1,
                from_place=0 if feed.group is None else feed.place + 1,
                points=float(points),
                place=standing.places.index(bot) + 1 if standing.places else 0,
            )
            for bot, feed, points in zip(standing.bots, standing.group.feeds, standing.points, strict=True)
        ],
        blocks=standing.blocks,
        decided_by=_DECISIONS[standing.decided_by],
    )
