"""Random play, which the simulator, the tests and the measurements share. The caller supplies the chance."""

from __future__ import annotations

from fudaba_games.game import Chance, E, Game, M, S, V


def play_out(game: Game[S, M, V, E], state: S, chance: Chance, most: int = -1) -> int:
    """Plays a state to its end by random moves, and returns their number. It changes the state.

    Time passes only when nobody is asked. After `most` moves it stops where it is, and another call continues. The
    match is over once it plays fewer.
    """
    moves = 0
    while True:
        while (seat := game.turn(state)) >= 0:
            if moves == most:
                return moves
            game.advance(state, seat, game.random_move(state, seat, chance))
            moves += 1
        timer = game.next_timer(state)
        if timer is None:
            return moves
        game.fire(state, timer.name)
