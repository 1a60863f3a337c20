"""OpenSpiel's search over information sets plays Naga against chance.

    python docs/examples/search_openspiel.py 10

Needs the extra: in a clone `FUDABA_PAGE=none pip install '.[openspiel]'`.
"""

import sys

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

import fudaba.bridges.openspiel  # noqa: F401 - registers the games


def play(matches: int, simulations: int, seed: int = 1) -> list[float]:
    """What the search scored in each match, from one seat and the other in turn."""
    chance = np.random.RandomState(seed)
    game = pyspiel.load_game("fudaba_naga", {"deals": 1})
    # Which words another seat could choose depends on its hand, which is dealt anew in each simulation.
    search = ISMCTSBot(
        game,
        RandomRolloutEvaluator(1, chance),
        uct_c=1.4,
        max_simulations=simulations,
        random_state=chance,
        allow_inconsistent_action_sets=True,
    )
    # With the sampler that it takes by itself, no two runs would be the same.
    search.set_resampler(lambda state, player: state.resample_from_infostate(player, chance.random_sample))
    scores = []
    for number in range(matches):
        state, own = game.new_initial_state(), number % 2
        while not state.is_terminal():
            if state.is_chance_node():
                actions, likely = zip(*state.chance_outcomes(), strict=True)
                action = chance.choice(actions, p=likely)
            elif state.current_player() == own:
                action = search.step(state)
            else:
                action = chance.choice(state.legal_actions())
            state.apply_action(int(action))
        scores.append(state.returns()[own])
    return scores


if __name__ == "__main__":
    found = play(int(sys.argv[1]) if len(sys.argv) > 1 else 10, simulations=30)
    print("scores:", " ".join(f"{score:+.0f}" for score in found), f"mean {np.mean(found):+.2f}")
