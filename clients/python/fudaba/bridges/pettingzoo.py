"""Every registered game as a PettingZoo AEC environment. Needs `fudaba[pettingzoo]`.

    from fudaba.bridges import pettingzoo

    env = pettingzoo.env("naga", options={"deals": 1})
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        action = None if terminated or truncated else env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

An agent chooses a move word by word (`fudaba.bridges.words`) and sees its own view as numbers
(`fudaba.bridges.features`). docs/training.md says more.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping
from typing import Any, final

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from fudaba.bridges.features import MAX_FEATURE, MIN_FEATURE, layout_of
from fudaba.bridges.sequential import NOBODY, SequentialMatch
from fudaba.bridges.words import words_of
from fudaba_games.game import SEED_BYTES
from fudaba_games.registry import game

__all__ = ["FudabaEnv", "Observation", "env"]

Observation = dict[str, NDArray[Any]]
"""`observation`: float32, see `FudabaEnv.layout`; `action_mask`: int8, 1 for each legal action."""


@final
class FudabaEnv(AECEnv):
    """A game without the wrappers of `env`: its `step` raises `ValueError` for an illegal action and changes nothing.

    `words.texts[action]` describes an action, and `layout.parts` has the offset of each part of an observation. A
    teacher can use `match` to find the actions of a move (`match.spelling`).
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        game_id: str,
        seats: int | None = None,
        options: Mapping[str, object] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.game = game(game_id)
        self.seats = self.game.min_seats if seats is None else operator.index(seats)
        self.game.check_seats(self.seats)
        self.options = self.game.resolve_options(options or {})
        self.metadata = {
            "name": f"fudaba_{game_id}_v{self.game.rules_version}",
            "render_modes": ["human", "ansi"],
            "is_parallelizable": False,
            "render_fps": 1,
        }
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode is one of {', '.join(self.metadata['render_modes'])}, not {render_mode!r}")
        self.render_mode = render_mode
        self.words = words_of(game_id)
        self.layout = layout_of(game_id, self.seats)
        self.possible_agents = [f"seat_{seat}" for seat in range(self.seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        actions = len(self.words)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(MIN_FEATURE, MAX_FEATURE, (self.layout.size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._chance: np.random.Generator | None = None
        self.match: SequentialMatch

    def __getstate__(self) -> dict[str, Any]:
        """Pickles what a worker process needs, also during a match. Words and layout are made again there."""
        kept = self.__dict__ | {"game": self.game.id}
        del kept["words"], kept["layout"]
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        game_id = kept["game"]
        self.__dict__.update(kept, game=game(game_id))
        self.words = words_of(game_id)
        self.layout = layout_of(game_id, self.seats)

    def observation_space(self, agent: str) -> spaces.Dict:
        """Returns the space of `Observation`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the space of actions, the same for every seat, number of seats and options of a game."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 - PettingZoo's
        """Deals. With a seed, this match and those after it, until the next seed, are always the same."""
        if seed is not None or self._chance is None:
            self._chance, _ = seeding.np_random(seed)
        self.match = SequentialMatch(self.game, self.seats, self.options, self.words, self._chance.bytes(SEED_BYTES))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._select()
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Takes the next word of the agent to move. Rewards are the scores when the match is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is asked and has to act; None is for agents whose match is over")
        self.match.take(operator.index(action))
        self._cumulative_rewards[agent] = 0.0
        outcome = self.match.outcome
        if outcome is not None:
            self.rewards = dict(zip(self.agents, map(float, outcome.scores), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        self._select()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Returns an agent's observation. Its mask is empty unless it is the agent's turn."""
        seat = self._seat_of.get(agent, NOBODY)
        if seat == NOBODY:
            raise ValueError(f"there is no agent {agent!r}; there are: {', '.join(self.possible_agents)}")
        asked = seat == self.match.asked
        row = self.layout.row(self.match.view(seat), seat, asked, self.match.chosen(seat))
        mask = np.zeros(len(self.words), np.int8)
        if asked:
            mask[self.match.actions()] = 1
        return {"observation": np.asarray(row, np.float32), "action_mask": mask}

    def render(self) -> str | None:
        """Returns the table as text, as the agent to move sees it; at the end, as a spectator does."""
        if self.render_mode is None:
            return None
        seat = None if self.match.asked == NOBODY else self.match.asked
        words = [self.words.texts[action] for action in self.match.chosen(seat)] if seat is not None else []
        text = self.game.text.render_view(self.match.view(seat))
        text += f"\nseat {seat} chooses: {' '.join(words)}\n" if words else "\n"
        if self.render_mode == "human":
            sys.stdout.write(text)
            return None
        return text

    def close(self) -> None:
        """Does nothing, since nothing is open."""

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[max(self.match.asked, 0)]


def env(
    game_id: str,
    seats: int | None = None,
    options: Mapping[str, object] | None = None,
    render_mode: str | None = None,
    illegal_reward: float = -1.0,
) -> AECEnv:
    """Returns an environment of a game, by default with the fewest seats and the default options.

    As in PettingZoo's own card games, an illegal action ends the match with `illegal_reward` for the agent that chose
    it. Raises `fudaba_games.game.GameError` for a game, number of seats or option that does not exist.
    """
    made = FudabaEnv(game_id, seats, options, render_mode)
    ending = wrappers.TerminateIllegalWrapper(made, illegal_reward=illegal_reward)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(ending))
