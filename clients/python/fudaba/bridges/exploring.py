"""Explores a game's moves and views by playing it. Fixed seeds make the result the same everywhere.

The rules list neither the words of their moves nor the maximum lengths of the lists in their views.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from fudaba_games.game import SEED_BYTES, OptionValue
from fudaba_games.registry import AnyGame

__all__ = ["positions"]

_MOVES_PER_OPTIONS: Final = 500
"""The number of moves played with each set of options."""


def positions(game: AnyGame, seats: int) -> Iterator[tuple[Any, int, Any]]:
    """Yields states of random matches, the seat that moves next, and its move; at the end of a match seat -1 and None.

    A state changes when the next one is requested.
    """
    for options in _variants(game):
        seed = sha256(f"fudaba-bridges {game.id} {seats} {sorted(options.items())}".encode()).digest()
        chance = random.Random(seed)  # noqa: S311 - has to be the same everywhere
        left = _MOVES_PER_OPTIONS
        while left > 0:
            state, _ = game.new_match(seats, options, chance.getrandbits(8 * SEED_BYTES).to_bytes(SEED_BYTES, "big"))
            while left > 0 and game.outcome(state) is None:
                due = game.decisions(state)
                if not due:
                    timer = game.next_timer(state)
                    if timer is None:
                        raise RuntimeError(f"{game.id} asks nobody, runs no timer and has no result")
                    game.fire(state, timer.name)
                    continue
                seat = due[int(chance.random() * len(due))].seat
                move = game.random_move(state, seat, chance)
                yield state, seat, move
                game.advance(state, seat, move)
                left -= 1
            if game.outcome(state) is not None:
                yield state, -1, None


def _variants(game: AnyGame) -> Iterator[Mapping[str, OptionValue]]:
    """Yields the default options, and each option's other values; for numbers the smallest and the largest."""
    usual = game.resolve_options({})
    yield usual
    for option in game.options:
        values: tuple[OptionValue, ...]
        if isinstance(option.default, bool):
            values = (False, True)
        else:
            values = option.choices or (option.minimum, option.maximum)
        for value in values:
            if value != option.default:
                yield {**usual, option.name: value}
