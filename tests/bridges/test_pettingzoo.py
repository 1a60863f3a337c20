"""PettingZoo's own tests pass for every game."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import random
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from fudaba.bridges import pettingzoo
from fudaba_games.game import BadOption, BadSeats
from fudaba_games.registry import GAMES, UnknownGame
from tests.support.bridges.short import SIZES, short

pytestmark = [
    # Its tests know by name the environments of its own that have a mask in the observation.
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be gymnasium.spaces.box"),
]


@pytest.mark.parametrize(("game_id", "seats"), SIZES)
@pytest.mark.exhaustive
def test_pettingzoos_own_tests_pass(game_id: str, seats: int, capsys: pytest.CaptureFixture[str]) -> None:
    def make(render_mode: str | None = None) -> Any:
        return pettingzoo.env(game_id, seats, short(game_id), render_mode)

    api_test(make(), num_cycles=15)
    seed_test(make, num_cycles=10)
    render_test(make)
    capsys.readouterr()


def play(env: Any, seed: int) -> tuple[dict[str, float], int]:
    """Returns the rewards of a match by chance, and how many actions it had."""
    env.reset(seed=seed)
    chance = np.random.default_rng(seed)
    rewards, actions = dict.fromkeys(env.possible_agents, 0.0), 0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        rewards[agent] += reward
        over = terminated or truncated
        env.step(None if over else int(chance.choice(np.flatnonzero(observation["action_mask"]))))
        actions += not over
    return rewards, actions


@pytest.mark.exhaustive
@pytest.mark.parametrize("game_id", GAMES)
def test_rewards_of_a_match_are_its_scores(game_id: str) -> None:
    env = pettingzoo.env(game_id, options=short(game_id))
    rewards, _ = play(env, 5)
    outcome = env.unwrapped.match.outcome
    assert list(rewards.values()) == list(outcome.scores)


def test_the_same_seed_is_the_same_match_and_another_is_not() -> None:
    env = pettingzoo.env("naga")
    env.reset(seed=3)
    hand = env.unwrapped.match.view(0).hand
    env.reset()
    assert env.unwrapped.match.view(0).hand != hand
    env.reset(seed=3)
    assert env.unwrapped.match.view(0).hand == hand


def test_an_illegal_action_ends_the_match_for_a_reward_of_its_own() -> None:
    env = pettingzoo.env("naga", illegal_reward=-7)
    env.reset(seed=1)
    guilty = env.agent_selection
    env.step(0)
    assert env.rewards[guilty] == -7
    assert all(env.terminations.values())


def test_without_the_wrappers_an_illegal_action_is_refused_and_changes_nothing() -> None:
    env = pettingzoo.FudabaEnv("naga")
    env.reset(seed=1)
    agent, before = env.agent_selection, env.observe(env.agent_selection)
    with pytest.raises(ValueError, match="action 0 is not legal now; legal are"):
        env.step(0)
    with pytest.raises(ValueError, match="has to act"):
        env.step(None)
    with pytest.raises(TypeError):
        env.step(env.observe(agent)["action_mask"].argmax() + 0.5)  # type: ignore[arg-type]  # no action at all
    assert env.agent_selection == agent
    assert all(np.array_equal(before[key], value) for key, value in env.observe(agent).items())


def test_what_does_not_exist_is_refused() -> None:
    with pytest.raises(UnknownGame):
        pettingzoo.env("whist")
    with pytest.raises(BadSeats):
        pettingzoo.env("naga", 3)
    with pytest.raises(BadOption):
        pettingzoo.env("naga", options={"colour": 1})
    with pytest.raises(ValueError, match="render_mode is one of human, ansi"):
        pettingzoo.env("naga", render_mode="rgb_array")
    with pytest.raises(TypeError):
        pettingzoo.env("naga", "2")  # type: ignore[arg-type]  # no number
    env = pettingzoo.FudabaEnv("naga")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="there is no agent 'seat_9'; there are: seat_0, seat_1"):
        env.observe("seat_9")


def test_a_part_of_an_observation_stands_where_the_layout_says() -> None:
    env = pettingzoo.FudabaEnv("naga")
    env.reset(seed=1)
    seat = env.agent_selection
    row = env.observe(seat)["observation"]
    hand = row[env.layout.parts["hand"]].reshape(3, -1)
    view = env.match.view(env.match.asked)
    assert [card - 1 for card in np.flatnonzero(hand[0])] == [card for card in range(51) if view.hand >> card & 1]
    assert [place * 64 for place in hand[1][hand[1] > 0]] == [1, 2, 3, 4, 5]


def finish(env: Any, seed: int) -> dict[str, float]:
    """Returns the rewards of a match that is played on by chance."""
    chance = np.random.default_rng(seed)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        rewards[agent] += reward
        over = terminated or truncated
        env.step(None if over else int(chance.choice(np.flatnonzero(observation["action_mask"]))))
    return rewards


@pytest.mark.exhaustive
def test_an_environment_in_play_goes_to_a_worker_process_and_is_played_on_there() -> None:
    env = pettingzoo.env("naga", options=short("naga"))
    env.reset(seed=3)
    for _ in range(5):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(mask)[-1]))
    # Forked, this process, which has threads of gRPC's, could leave a child that waits for a lock for ever.
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        rewards = pool.apply(finish, (env, 8))
    assert any(rewards.values())
    assert rewards == finish(env, 8)


def test_a_layout_is_pickled_as_the_one_of_its_game() -> None:
    layout = pettingzoo.FudabaEnv("naga").layout
    assert pickle.loads(pickle.dumps(layout)) is layout


@pytest.mark.exhaustive
@pytest.mark.parametrize(("game_id", "seats"), SIZES)
def test_a_pickled_environment_is_the_same_before_in_and_after_a_match(game_id: str, seats: int) -> None:
    env = pettingzoo.env(game_id, seats, short(game_id))
    unpickled = pickle.loads(pickle.dumps(env))
    play(unpickled, 4)
    play(env, 4)
    assert unpickled.unwrapped.match.view(None) == env.unwrapped.match.view(None)
    for again in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        again.reset()
        env.unwrapped._chance = copy.deepcopy(unpickled.unwrapped._chance)
        env.reset()
        for agent in env.possible_agents:
            for key, value in env.observe(agent).items():
                assert np.array_equal(value, again.observe(agent)[key])


def test_a_redealt_match_is_not_pickled_since_its_actions_lead_elsewhere() -> None:
    env = pettingzoo.FudabaEnv("naga")
    env.reset(seed=1)
    env.match = env.match.redealt(random.Random(1))
    with pytest.raises(ValueError, match="a redealt match cannot be pickled"):
        pickle.dumps(env)


def test_pettingzoos_parallel_view_of_turns_plays_to_the_end() -> None:
    env = turn_based_aec_to_parallel(pettingzoo.env("naga", options=short("naga")))
    observations, _ = env.reset(seed=1)
    rewards: dict[str, float] = {}
    while env.agents:
        masks = {agent: observations[agent]["action_mask"] for agent in env.agents}
        actions = {agent: int(np.flatnonzero(mask)[0]) if mask.any() else 0 for agent, mask in masks.items()}
        observations, rewards, _, _, _ = env.step(actions)
    assert sorted(rewards.values()) == [-1, 1]
