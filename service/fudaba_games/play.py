"""Play by chance: what the simulator, the tests and the measurements share. The caller brings the chance."""

from __future__ import annotations

from collections.abc import Mapping

from fudaba_games.game import Chance, E, Game, M, OptionValue, S, V
from fudaba_games.match import Match


def random_move(game: Game[S, M, V, E], state: S, seat: int, chance: Chance) -> M:
    """A legal move of a seat with an open decision: its kind is drawn first, then one of the moves of that kind.

    Uniform play over all moves would hardly ever choose a kind that has few moves.
    """
    kinds = game.legal_kinds(state, seat)
    if len(kinds) == 1:
        return game.legal_moves(state, seat)[int(chance.random() * kinds[0][1])]
    kind = int(chance.random() * len(kinds))
    start = sum([count for _, count in kinds[:kind]])
    return game.legal_moves(state, seat)[start + int(chance.random() * kinds[kind][1])]


def play_out(game: Game[S, M, V, E], state: S, chance: Chance) -> int:
    """Plays a state to its end by random moves, and says how many there were. The state is changed."""
    moves = 0
    decisions = game.decisions
    apply = game.apply
    while open_decisions := decisions(state):
        seat = open_decisions[0].seat
        apply(state, seat, random_move(game, state, seat, chance))
        moves += 1
    return moves


def random_match(
    game: Game[S, M, V, E], seats: int, options: Mapping[str, OptionValue], seed: bytes, chance: Chance
) -> Match[S, M, V, E]:
    """A match that was played to its end by random moves; open decisions are answered in random order."""
    match = Match(game, seats, options, seed)
    while due := match.open_decisions():
        seat = due[chance.randrange(len(due))].seat
        match.play(seat, random_move(game, match.state, seat, chance))
    return match
