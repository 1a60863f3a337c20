"""Random play in process, from dealt states, beside rlcard's `uno` and games of OpenSpiel."""

from __future__ import annotations

import random
import time

import fudaba_games.match
from bench.strength import one_deal
from fudaba_games.play import play_out
from fudaba_games.registry import game

_MAX_SEATS = 4
"""The number of seats, in games that allow that many."""

COMPILED = not fudaba_games.match.__file__.endswith(".py")
"""Whether mypyc has compiled these rules."""


def fudaba_moves(name: str, seconds: float, seed: int) -> float:
    """Returns moves per second of random play (kind first, then move) of one of our games, without the dealing."""
    rules, chance = game(name), random.Random(seed)
    seats = min(rules.max_seats, max(rules.min_seats, _MAX_SEATS))
    options = one_deal(name, seats)
    moves, spent = 0, 0.0
    while spent < seconds:
        states = [rules.new_match(seats, options, chance.randbytes(32))[0] for _ in range(200)]
        began = time.perf_counter()
        for state in states:
            moves += play_out(rules, state, chance)
        spent += time.perf_counter() - began
    return moves / spent


def uno_moves(seconds: float, seed: int) -> float:
    """Returns moves per second of random play of rlcard's `uno`, without the dealing."""
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


def spiel_moves(name: str, seconds: float, seed: int) -> float:
    """Returns moves per second of random play of a game of OpenSpiel, driven from Python, without the dealing.

    Later chance events, such as the cards that are drawn in `crazy_eights`, are not moves, but take their time.
    """
    import pyspiel

    chance, spiel = random.Random(seed), pyspiel.load_game(name)
    moves, spent = 0, 0.0
    while spent < seconds:
        states = [spiel.new_initial_state() for _ in range(200)]
        for state in states:
            while state.is_chance_node():
                state.apply_action(chance.choice([action for action, _ in state.chance_outcomes()]))
        began = time.perf_counter()
        for state in states:
            while not state.is_terminal():
                actions = state.legal_actions()
                if state.is_chance_node():
                    state.apply_action(actions[int(chance.random() * len(actions))])
                    continue
                state.apply_action(actions[int(chance.random() * len(actions))])
                moves += 1
        spent += time.perf_counter() - began
    return moves / spent
