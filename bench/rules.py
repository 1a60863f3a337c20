"""Random play in process, from dealt states, beside rlcard's `uno`."""

from __future__ import annotations

import random
import time

from fudaba_games.play import play_out
from fudaba_games.registry import game


def fudaba_moves(name: str, seats: int, seconds: float, seed: int) -> float:
    """Moves a second of random play (kind first, then move) of one of our games, dealing left out."""
    rules, chance = game(name), random.Random(seed)
    options = rules.resolve_options({})
    moves, spent = 0, 0.0
    while spent < seconds:
        states = [rules.new_match(seats, options, chance.randbytes(32))[0] for _ in range(200)]
        began = time.perf_counter()
        for state in states:
            moves += play_out(rules, state, chance)
        spent += time.perf_counter() - began
    return moves / spent


def uno_moves(seconds: float, seed: int) -> float:
    """Moves a second of random play of rlcard's `uno`, dealing left out."""
    import rlcard

    chance = random.Random(seed)
    env = rlcard.make("uno", config={"seed": seed})
    moves, spent = 0, 0.0
    while spent < seconds:
        state, _ = env.reset()
        began = time.perf_counter()
        while not env.is_over():
            state, _ = env.step(chance.choice(list(state["legal_actions"])))
            moves += 1
        spent += time.perf_counter() - began
    return moves / spent
