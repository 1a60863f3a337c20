"""Short matches of every registered game, for tests that look at every point of one."""

from __future__ import annotations

import random
from typing import Final

import pytest

from fudaba.bridges.sequential import NOBODY, SequentialMatch
from fudaba.bridges.words import words_of
from fudaba_games.game import OptionValue
from fudaba_games.registry import GAMES
from tests.support.conformance.cases import is_long

SIZES: Final = [
    pytest.param(game.id, seats, marks=[pytest.mark.exhaustive] * is_long(game))
    for game in GAMES.values()
    for seats in sorted({game.min_seats, game.max_seats})
]
"""Each game with the fewest and with the most seats. A sample leaves out those whose matches are long."""
GAME_IDS: Final = [pytest.param(game.id, marks=[pytest.mark.exhaustive] * is_long(game)) for game in GAMES.values()]
"""Each game. A sample leaves out those whose matches are long: to find their words takes longer than all else."""
LENGTHS: Final = {"deals", "max_deals"}
"""Options that say how long a match is."""


def short(game_id: str) -> dict[str, OptionValue]:
    """Options of a match of one deal."""
    return {option.name: 1 for option in GAMES[game_id].options if option.name in LENGTHS}


def dealt(game_id: str, seats: int, number: int) -> SequentialMatch:
    """Returns a match of a short match that remembers."""
    game = GAMES[game_id]
    seed = random.Random(f"bridges {game_id} {seats} {number}").randbytes(32)
    return SequentialMatch(game, seats, game.resolve_options(short(game_id)), words_of(game_id), seed, remember=True)


def play_on(match: SequentialMatch, actions: int, chance: random.Random) -> None:
    """Plays this many actions by chance, or fewer if the match is over before."""
    for _ in range(actions):
        if match.asked == NOBODY:
            return
        match.take(chance.choice(match.actions()))
