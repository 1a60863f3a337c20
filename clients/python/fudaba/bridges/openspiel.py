"""Every registered game as an OpenSpiel game. Needs `fudaba[openspiel]`; importing this module registers them.

    import pyspiel
    import fudaba.bridges.openspiel

    game = pyspiel.load_game("fudaba_naga", {"deals": 1})

Parameters are `players`, the game's options, and `seed_bytes`, the number of chance nodes with 256 outcomes that draw
the seed of the match at its beginning. After that nothing is random. A move is chosen word by word
(`fudaba.bridges.words`). docs/training.md says more.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, ClassVar, Final, final

import numpy as np
import pyspiel
from numpy.typing import NDArray

from fudaba.bridges.features import layout_of
from fudaba.bridges.sequential import NOBODY, SequentialMatch
from fudaba.bridges.words import words_of
from fudaba_games.game import OptionValue
from fudaba_games.registry import GAMES, AnyGame

__all__ = ["FudabaGame", "FudabaState", "Observer"]

_SEED_BYTES: Final = 4
_MAX_SEED_BYTES: Final = 32
_MAX_GAME_MOVES: Final = 1 << 24
"""A bound that no match comes near. The rules do not say how long a match can be."""


class FudabaGame(pyspiel.Game):
    """A game with its parameters. `rules` are the rules that it is played by; `words.texts[action]` describes an
    action.
    """

    rules: ClassVar[AnyGame]
    game_type: ClassVar[Any]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        rules = self.rules
        self.seats = int(given.get("players", rules.min_seats))
        rules.check_seats(self.seats)
        self.seed_bytes = int(given.get("seed_bytes", _SEED_BYTES))
        if not 1 <= self.seed_bytes <= _MAX_SEED_BYTES:
            raise ValueError(f"seed_bytes is 1 to {_MAX_SEED_BYTES}, not {self.seed_bytes}")
        self.options: dict[str, OptionValue] = rules.resolve_options(
            {name: value for name, value in given.items() if name not in {"players", "seed_bytes"}}
        )
        self.words = words_of(rules.id)
        self.layout = layout_of(rules.id, self.seats)
        lowest = self._lowest()
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.words),
            max_chance_outcomes=256,
            num_players=self.seats,
            min_utility=lowest,
            max_utility=-lowest * (self.seats - 1),
            utility_sum=0.0,
            max_game_length=_MAX_GAME_MOVES,
        )
        super().__init__(self.game_type, info, given)

    def _lowest(self) -> float:
        """Returns a bound on a player's loss: a player who resigns at the start loses everything at stake."""
        state, _ = self.rules.new_match(self.seats, self.options, bytes(_MAX_SEED_BYTES))
        return float(min(self.rules.forfeit(state, seat).scores[seat] for seat in range(self.seats)))

    def new_initial_state(self) -> FudabaState:
        """Returns a match whose seed is not drawn yet."""
        return FudabaState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Observer:
        """Makes an observer of states: by default of a player's view, with perfect recall also of its past."""
        if params:
            raise ValueError(f"an observer takes no parameters, not {dict(params)}")
        return Observer(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


@final
class FudabaState(pyspiel.State):
    """A match in progress. `match` is None while its seed is being drawn."""

    def __init__(self, game: FudabaGame) -> None:
        super().__init__(game)
        # Clones copy these deeply; games are shared, since nothing in them changes.
        self._shared = _Shared(game)
        self._drawn = b""
        self.match: SequentialMatch | None = None

    def current_player(self) -> int:
        """Returns the seat to move."""
        if self.match is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.match.asked == NOBODY else self.match.asked

    def _legal_actions(self, player: int) -> list[int]:
        return self.match.actions() if self.match is not None and player == self.match.asked else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the outcomes of the chance node that draws a byte of the seed, each with its probability."""
        return [(byte, 1 / 256) for byte in range(256)]

    def _apply_action(self, action: int) -> None:
        if self.match is not None:
            self.match.take(action)
            return
        if not 0 <= action < 256:
            raise ValueError(f"action {action} is not a byte of the seed; legal are 0 to 255")
        self._drawn += bytes([action])
        game = self._shared.game
        if len(self._drawn) == game.seed_bytes:
            seed = sha256(b"fudaba-bridges-deal" + self._drawn).digest()
            self.match = SequentialMatch(game.rules, game.seats, game.options, game.words, seed, remember=True)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"seed byte {action}"
        texts = self._shared.game.words.texts
        if not 0 <= action < len(texts):
            raise ValueError(f"there is no action {action}; they are numbered from 0 to {len(texts) - 1}")
        return texts[action]

    def is_terminal(self) -> bool:
        """Returns whether the match is over."""
        return self.match is not None and self.match.asked == NOBODY

    def returns(self) -> list[float]:
        """Returns the scores once the match is over."""
        outcome = self.match.outcome if self.match is not None else None
        return [0.0] * self._shared.game.seats if outcome is None else [float(score) for score in outcome.scores]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> FudabaState:
        """Returns another state that is the same for the current player. `Game.redeal` deals everything that it does
        not know.

        `sampler` returns numbers from 0 to below 1. The actions in its `history` are still those of this state, so it
        can be played and cloned, but not serialised. Raises `ValueError` for another player.
        """
        if self.match is None or player != self.match.asked:
            raise ValueError(
                f"states are resampled for the player who is to act, {self.current_player()}, not {player}"
            )
        other: FudabaState = self.clone()
        chance = random.Random(int(sampler() * (1 << 53)))  # noqa: S311 - a game, not a secret
        other.match = self.match.redealt(chance)
        return other

    def serialize(self) -> str:
        """Returns the actions so far. Raises `ValueError` for a resampled state, to which they do not lead."""
        if self.match is not None and self.match.supposed:
            raise ValueError("a resampled state cannot be serialised: its actions lead to the state it was made from")
        text: str = super().serialize()
        return text

    def __str__(self) -> str:
        if self.match is None:
            return f"drawing the seed: {self._drawn.hex()}"
        match = self.match
        views = [match.game.text.render_view(match.view(seat)) for seat in range(match.seats)]
        chosen = [f"seat {seat} has chosen {' '.join(self._texts(seat)) or '-'}" for seat in range(match.seats)]
        return "\n".join([f"seed {self._drawn.hex()}", *views, *chosen])

    def observed(self, player: int | None, perfect_recall: bool) -> str:
        """Writes a player's knowledge (None: a spectator's) as exact text: its view, and with perfect recall its
        past.
        """
        match = self.match
        if match is None:
            return "nothing is dealt"
        lines = match.history(player) if perfect_recall else []
        lines.append(repr(match.view(player)))
        if player is not None:
            asked = " is asked" if player == match.asked else ""
            lines.append(f"seat {player}{asked}: {' '.join(self._texts(player))}")
        return "\n".join(lines)

    def fill(self, tensor: NDArray[np.float32], player: int | None) -> None:
        """Writes a player's (None: a spectator's) row of numbers; all are 0 before the deal."""
        match = self.match
        if match is None:
            tensor.fill(0)
            return
        chosen = () if player is None else match.chosen(player)
        tensor[:] = self._shared.game.layout.row(match.view(player), player, player == match.asked, chosen)

    def _texts(self, seat: int) -> list[str]:
        return [] if self.match is None else [self.match.words.texts[action] for action in self.match.chosen(seat)]


@final
class _Shared:
    """Holds the game of a state through deep copies."""

    def __init__(self, game: FudabaGame) -> None:
        self.game = game

    def __deepcopy__(self, memo: dict[int, object]) -> _Shared:
        return self


@final
class Observer:
    """OpenSpiel's interface of observers.

    With perfect recall there is a text and no tensor: the past has no fixed length. Without it `tensor` is the row of
    `fudaba.bridges.features`, and `dict` has its parts by name.
    """

    def __init__(self, game: FudabaGame, kind: Any) -> None:
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("no observer shows what all players hold; take the private info of one player, or of none")
        self._recall = bool(kind.perfect_recall)
        self._own = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if not self._recall:
            tensor = self.tensor = np.zeros(game.layout.size, np.float32)
            self.dict = {name: tensor[part] for name, part in game.layout.parts.items()}

    def set_from(self, state: FudabaState, player: int) -> None:
        """Writes a player's observation."""
        if self.tensor is not None:
            state.fill(self.tensor, player if self._own else None)

    def string_from(self, state: FudabaState, player: int) -> str:
        """Writes the observation as exact text."""
        return state.observed(player if self._own else None, self._recall)


def _register(rules: AnyGame) -> None:
    parameters: dict[str, Any] = {"players": rules.min_seats, "seed_bytes": _SEED_BYTES}
    parameters |= {option.name: option.default for option in rules.options}
    game_type = pyspiel.GameType(
        short_name=f"fudaba_{rules.id}",
        long_name=f"{rules.name} {rules.japanese_name} (Fudaba)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=rules.max_seats,
        min_num_players=rules.min_seats,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )
    name = "".join([part.title() for part in rules.id.split("_")]) + "Game"
    made = type(name, (FudabaGame,), {"rules": rules, "game_type": game_type, "__module__": __name__})
    globals()[name] = made  # pickle looks for it here
    pyspiel.register_game(game_type, made)


for _rules in GAMES.values():
    _register(_rules)
