"""Learns to beat chance in Mokkaik, with nothing but numpy: a linear policy and its gradient (REINFORCE).

    python docs/examples/train_pettingzoo.py 500

One of two seats learns, the other one takes any legal action. Needs the extra: in a clone
`FUDABA_PAGE=none pip install '.[pettingzoo]'`.
"""

import sys
from typing import Any

import numpy as np

from fudaba.bridges import pettingzoo

LEARNING_RATE = 0.01


def policy(weights: Any, seen: Any) -> Any:
    """The chance of each action, 0 where it is not legal."""
    worth = np.where(seen["action_mask"] == 1, weights @ seen["observation"], -np.inf)
    chances = np.exp(worth - worth.max())
    return chances / chances.sum()


def play(env: Any, weights: Any, chance: np.random.Generator, learner: str) -> tuple[float, list[Any]]:
    """One match: what the learner scored, and at each of its actions what it saw, its chances, and what it took."""
    env.reset(seed=int(chance.integers(1 << 31)))
    score, taken = 0.0, []
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            score = reward if agent == learner else score
            env.step(None)
            continue
        if agent == learner:
            chances = policy(weights, seen)
            action = int(chance.choice(len(chances), p=chances))
            taken.append((seen["observation"], chances, action))
        else:
            action = int(chance.choice(np.flatnonzero(seen["action_mask"])))
        env.step(action)
    return score, taken


def train(matches: int, seed: int = 1) -> list[float]:
    """The learner's mean score in each quarter of the matches."""
    chance = np.random.default_rng(seed)
    env = pettingzoo.env("mokkaik", options={"deals": 1})
    inputs = env.observation_space("seat_0")["observation"].shape[0]
    weights = np.zeros((env.action_space("seat_0").n, inputs))
    scores: list[float] = []
    for number in range(matches):
        score, taken = play(env, weights, chance, f"seat_{number % 2}")
        usual = float(np.mean(scores[-200:])) if scores else 0.0
        for seen, chances, action in taken:
            slope = -chances
            slope[action] += 1
            legal = np.flatnonzero(chances)
            weights[legal] += LEARNING_RATE * np.sign(score - usual) * np.outer(slope[legal], seen)
        scores.append(score)
    return [float(np.mean(part)) for part in np.array_split(scores, 4)]


if __name__ == "__main__":
    means = train(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
    print("mean score in each quarter:", " ".join(f"{mean:+.2f}" for mean in means))
