"""Random play in process, from dealt states, beside rlcard's `uno` and OpenSpiel's `hearts`."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping

from fudaba_games.play import play_out
from fudaba_games.registry import game


def fudaba_moves(name: str, seats: int, seconds: float, seed: int, given: Mapping[str, object] | None = None) -> float:
    """Moves a second of random play (kind first, then move) of one of our games, the first deal left out."""
    rules, chance = game(name), random.Random(seed)
    options = rules.resolve_options(given or {})
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


def hearts_moves(seconds: float, seed: int) -> float:
    """Moves a second of random play of OpenSpiel's `hearts`, driven from Python, dealing left out."""
    import pyspiel

    chance, hearts = random.Random(seed), pyspiel.load_game("hearts")
    moves, spent = 0, 0.0
    while spent < seconds:
        states = [hearts.new_initial_state() for _ in range(200)]
        for state in states:
            while state.is_chance_node():
                state.apply_action(chance.choice([action for action, _ in state.chance_outcomes()]))
        began = time.perf_counter()
        for state in states:
            while not state.is_terminal():
                actions = state.legal_actions()
                state.apply_action(actions[int(chance.random() * len(actions))])
                moves += 1
        spent += time.perf_counter() - began
    return moves / spent
