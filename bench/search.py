"""Measures tries per second of a tree search, on a dealt position, beside OpenSpiel's Python search on its `hearts`."""

from __future__ import annotations

import random
import time


def tree_tries(seconds: float, seed: int) -> float:
    """Returns tries per second of `search-tree`, for the first decision of a deal of Napoleon after its auction."""
    from fudaba.bots.search.budget import Budget
    from fudaba.bots.search.position import Position
    from fudaba.bots.search.tree import Tree
    from fudaba_games.registry import game

    rules, chance = game("napoleon"), random.Random(seed)
    options = rules.resolve_options({"deals": 1})
    tries, spent = 0, 0.0
    while spent < seconds:
        state, _ = rules.new_match(5, options, chance.randbytes(32))
        seat = rules.decisions(state)[0].seat
        while rules.legal_kinds(state, seat)[0][0] in {"approve", "bid"}:
            rules.advance(state, seat, rules.random_move(state, seat, chance))
            seat = rules.decisions(state)[0].seat
        tree = Tree(Position(rules, 5, options, seat, rules.view(state, seat), chance), chance, Budget(100).begin())
        began = time.perf_counter()
        for _ in range(100):
            tree.grow()
        spent += time.perf_counter() - began
        tries += 100
    return tries / spent


def hearts_tries(seconds: float, seed: int) -> float:
    """Returns simulations per second of `open_spiel.python.algorithms.mcts.MCTSBot` with one random rollout, on dealt
    hearts.
    """
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms import mcts

    chance = random.Random(seed)
    numbers = np.random.RandomState(seed)
    hearts = pyspiel.load_game("hearts")
    tries, spent = 0, 0.0
    while spent < seconds:
        state = hearts.new_initial_state()
        while state.is_chance_node():
            state.apply_action(chance.choice([action for action, _ in state.chance_outcomes()]))
        bot = mcts.MCTSBot(hearts, 2.0, 100, mcts.RandomRolloutEvaluator(1, numbers), random_state=numbers)
        began = time.perf_counter()
        bot.mcts_search(state)
        spent += time.perf_counter() - began
        tries += 100
    return tries / spent
