"""OpenSpiel's own tests pass for every game."""

from __future__ import annotations

import pickle
import random
from itertools import product
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import observation, rl_environment
from open_spiel.python.algorithms import ismcts, mcts

import fudaba.bridges.openspiel  # registers the games
from fudaba_games.game import BadOption, BadSeats
from fudaba_games.registry import GAMES
from tests.support.bridges.short import short
from tests.support.conformance.cases import is_long
from tests.support.sizes import exhaustive, some


def load(game_id: str, seats: int, **more: Any) -> Any:
    return pyspiel.load_game(f"fudaba_{game_id}", {"players": seats, **short(game_id), **more})


def dealt(game: Any, chance: random.Random) -> Any:
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(chance.choice(state.chance_outcomes())[0])
    return state


def played(state: Any, actions: int, chance: random.Random) -> Any:
    for _ in range(actions):
        if state.is_terminal():
            break
        state.apply_action(chance.choice(state.legal_actions()))
    return state


SOON_OVER = ("naga", "makkaik")
"""A sample is content with these games where a test takes long."""
LONGEST_AT_NIGHT = pytest.mark.nightly("the same with all other games; the tests below have some moves of this one")


@pytest.mark.parametrize(
    "game_id", [pytest.param(name, marks=[LONGEST_AT_NIGHT] * (name == "numbers_crush")) for name in GAMES]
)
@pytest.mark.exhaustive
def test_openspiels_random_simulation_passes(game_id: str, capfd: pytest.CaptureFixture[str]) -> None:
    """With the fewest and the most seats; a sample has the fewest where matches are long, else the most."""
    game = GAMES[game_id]
    seats_of_sample = {game.min_seats} if is_long(game) else {game.max_seats}
    for seats in {game.min_seats, game.max_seats} if exhaustive() else seats_of_sample:
        pyspiel.random_sim_test(load(game_id, seats), num_sims=1, serialize=True, verbose=False)
    capfd.readouterr()


@pytest.mark.parametrize(
    "game_id", [pytest.param(name, marks=[pytest.mark.exhaustive] * (name not in SOON_OVER)) for name in GAMES]
)
def test_a_resampled_state_tells_its_player_the_same(game_id: str) -> None:
    chance = random.Random(f"spiel {game_id}")
    varied = 0
    for seats, number in product({GAMES[game_id].min_seats, GAMES[game_id].max_seats}, range(some(5))):
        state = played(dealt(load(game_id, seats), chance), 5 * number, chance)
        if state.is_terminal():
            continue
        player = state.current_player()
        other = state.resample_from_infostate(player, chance.random)
        assert other.current_player() == player
        assert other.legal_actions() == state.legal_actions()
        assert other.information_state_string(player) == state.information_state_string(player)
        assert other.observation_string(player) == state.observation_string(player)
        assert other.observation_tensor(player) == state.observation_tensor(player)
        varied += str(other) != str(state)
        with pytest.raises(ValueError, match="a resampled state cannot be serialised"):
            other.serialize()
    assert varied


def test_a_state_is_resampled_for_the_player_who_is_to_act() -> None:
    state = dealt(load("naga", 2), random.Random(1))
    with pytest.raises(ValueError, match="states are resampled for the player who is to act"):
        state.resample_from_infostate(1 - state.current_player(), random.random)


@pytest.mark.parametrize("game_id", GAMES)
@pytest.mark.exhaustive
def test_information_states_remember_what_observations_do_not(game_id: str) -> None:
    chance = random.Random(f"recall {game_id}")
    state = played(dealt(load(game_id, GAMES[game_id].min_seats), chance), 12, chance)
    for player in range(state.num_players()):
        assert state.observation_string(player) in state.information_state_string(player)
        assert len(state.information_state_string(player)) > len(state.observation_string(player))


def test_a_state_survives_pickling_and_so_does_its_game() -> None:
    chance = random.Random(2)
    game = load("naga", 2)
    state = played(dealt(game, chance), 10, chance)
    assert str(pickle.loads(pickle.dumps(game))) == str(game)
    assert str(pickle.loads(pickle.dumps(state))) == str(state)


def test_the_seed_is_drawn_by_as_many_chance_nodes_as_it_has_bytes() -> None:
    game = load("naga", 2, seed_bytes=2)
    state = game.new_initial_state()
    assert state.observation_string(0) == "nothing is dealt"
    assert not any(state.observation_tensor(0))
    nodes = 0
    while state.is_chance_node():
        assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1)
        state.apply_action(7)
        nodes += 1
    assert nodes == 2


def test_observers_show_a_part_by_its_name_and_spectators_no_hand() -> None:
    game = load("naga", 2)
    state = dealt(game, random.Random(1))
    player = state.current_player()
    own = observation.make_observation(game)
    own.set_from(state, player)
    assert np.array_equal(own.tensor, state.observation_tensor(player))
    assert own.dict["hand"].any()
    public = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    spectator = observation.make_observation(game, public)
    spectator.set_from(state, player)
    assert not spectator.dict["hand"].any()
    assert spectator.string_from(state, 0) == spectator.string_from(state, 1)
    everything = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(ValueError, match="no observer shows what all players hold"):
        observation.make_observation(game, everything)


def test_its_search_over_information_sets_plays() -> None:
    game = load("naga", 2)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = ismcts.ISMCTSBot(
        game, evaluator, 1.4, 6, random_state=np.random.RandomState(2), allow_inconsistent_action_sets=True
    )
    state = dealt(game, random.Random(3))
    for _ in range(8):
        state.apply_action(int(bot.step(state)))


def test_its_environment_for_learners_plays() -> None:
    env = rl_environment.Environment(load("niekhi", 2))
    step = env.reset()
    chance = random.Random(4)
    while not step.last():
        player = step.observations["current_player"]
        assert len(step.observations["info_state"][player]) == env.observation_spec()["info_state"][0]
        step = env.step([chance.choice(step.observations["legal_actions"][player])])
    assert sum(step.rewards) == 0


def test_what_does_not_exist_is_refused() -> None:
    with pytest.raises(BadSeats):
        fudaba.bridges.openspiel.FudabaGame.__subclasses__()[0]({"players": 99})
    with pytest.raises(BadOption):
        load("naga", 2, first_dealer=9)
    with pytest.raises(ValueError, match="seed_bytes is 1 to 32"):
        load("naga", 2, seed_bytes=0)
    state = load("naga", 2).new_initial_state()
    with pytest.raises(ValueError, match="action 999 is not a byte of the seed"):
        state.apply_action(999)
    with pytest.raises(ValueError, match="there is no action 9999; they are numbered from 0 to"):
        state.action_to_string(0, 9999)
