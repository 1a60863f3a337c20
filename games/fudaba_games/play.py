"""Play by chance: what the simulator, the tests and the measurements share. The caller brings the chance."""

from __future__ import annotations

from fudaba_games.game import Chance, E, Game, M, S, V


def play_out(game: Game[S, M, V, E], state: S, chance: Chance, most: int = -1) -> int:
    """Plays a state to its end by random moves, and says how many there were. The state is changed.

    Time passes only when nobody is asked. After `most` moves it stops where it is; called again it goes on, and it is
    at the end once it plays fewer.
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
