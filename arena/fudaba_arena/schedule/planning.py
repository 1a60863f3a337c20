"""Makes the schedule of a tournament from its definition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fudaba_arena.schedule.blocks import Entrant
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.drawn_schedule import DrawnGame, DrawnSchedule
from fudaba_arena.schedule.knockout import KnockoutSchedule
from fudaba_arena.schedule.round_robin import FixedSchedule, RoundRobin
from fudaba_arena.schedule.schedule import BadSchedule, Schedule
from fudaba_arena.schedule.swiss import SwissSchedule
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.file import BadTournament, Source
from fudaba_arena.tournament.formats import DRAWN, SWISS, Format
from fudaba_arena.tournament.games import TournamentGame

__all__ = ["drawn_schedule", "schedule_of", "source_schedule"]


def schedule_of(tournament: Tournament, tournament_id: str, chosen: Iterable[ChosenBlock] = ()) -> Schedule:
    """Returns the blocks of a tournament, with match ids that begin with `tournament_id`. Raises `BadSchedule`.

    `chosen` are the blocks of a season that have been chosen so far.
    """
    if tournament.season is not None:
        return ChosenSchedule(tournament_id, tournament.games, chosen, fresh=tournament.fresh)
    if tournament.format.kind in DRAWN:
        games = [
            DrawnGame(
                _players(tournament, game),
                game.seats,
                game.game,
                game.deals,
                tournament.same_author,
                game.win_margin,
                tournament.fresh,
            )
            for game in tournament.games
        ]
        return drawn_schedule(tournament_id, games, tournament.games[0].blocks, tournament.format)
    return FixedSchedule(*(_round_robin(tournament, game, tournament_id) for game in tournament.games))


def drawn_schedule(tournament_id: str, games: Sequence[DrawnGame], blocks: int, form: Format) -> DrawnSchedule:
    """Returns the schedule of a Swiss or a knockout, without rounds. Raises `BadSchedule`.

    `blocks` is the number of blocks of a group of a knockout.
    """
    if form.kind == SWISS:
        return SwissSchedule(tournament_id, games, form.rounds)
    return KnockoutSchedule(tournament_id, games, blocks, form)


def source_schedule(tournament: Tournament, source: Source) -> Schedule:
    """Returns the blocks of a tournament that was read from a text.

    Raises `BadTournament` if it cannot be scheduled.
    """
    try:
        return schedule_of(tournament, tournament.name)
    except BadSchedule as error:
        text = str(error)
        key = "challengers" if "challenger" in text else "same_author" if "author" in text else "bots"
        raise BadTournament(source.file, [source.mistake([(key,)], text)]) from error


def _round_robin(tournament: Tournament, game: TournamentGame, tournament_id: str) -> RoundRobin:
    return RoundRobin(
        tournament_id,
        _players(tournament, game),
        game.blocks,
        game.deals,
        tournament.same_author,
        seats=game.seats,
        game=game.game,
        challengers=tournament.format.challengers,
        fresh=tournament.fresh,
    )


def _players(tournament: Tournament, game: TournamentGame) -> tuple[Entrant, ...]:
    return tuple(
        Entrant(bot.name, bot.author, bot.stateless, bot.account) for bot in tournament.bots if bot.plays(game.game)
    )
