"""Positions drawn in a terminal."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any

from fudaba.bot import MatchInfo, Player
from fudaba_games.game import OptionValue
from fudaba_games.match import Match
from fudaba_games.registry import AnyGame, game
from tests.support.conformance.cases import some_moves

BOARD_COLUMNS = 39
"""The columns of the table in a terminal of 80."""
MAX_MOVES_DRAWN = 300
"""The moves of a longer list are not all made to draw one of them."""


def two_deals(rules: AnyGame) -> dict[str, OptionValue]:
    """Returns the options of a match in which a deal follows another."""
    name = "deals" if any(option.name == "deals" for option in rules.options) else "max_deals"
    return rules.resolve_options({name: 2})


def info(game_id: str, seat: int = 0, *, bots: tuple[str, ...] = ()) -> MatchInfo:
    rules = game(game_id)
    players = tuple(Player(bot, "1") for bot in bots or ("house-sensible",) * rules.min_seats)
    return MatchInfo("m", game_id, seat, players, two_deals(rules))


@lru_cache(maxsize=8)  # several tests look at the same matches
def positions(game_id: str, seed: int, seats: int = 0, *, listed: bool = True) -> list[tuple[int, Any, Any]]:
    """Returns every decision of a match by chance: the seat, its view, its legal moves; and at last everybody's last
    view.

    Then every event that a seat is told. `seats`: 0 for as few as the game takes. `listed`: whether the moves are
    listed, which takes most of the time.
    """
    rules, chance = game(game_id), random.Random(seed)
    match: Match[Any, Any, Any, Any] = Match(rules, seats or rules.min_seats, two_deals(rules), chance.randbytes(32))
    found: list[tuple[int, Any, Any]] = []
    while (decision := next(iter(match.open_decisions()), None)) is not None:
        found.append((decision.seat, match.view(decision.seat), some_moves(decision.legal) if listed else ()))
        if len(decision.legal) > MAX_MOVES_DRAWN:
            match.play(decision.seat, rules.random_move(match.state, decision.seat, chance))
            continue
        kinds = sorted({rules.text.move_kind(move) for move in decision.legal})
        kind = chance.choice(kinds)
        of_kind = [move for move in decision.legal if rules.text.move_kind(move) == kind]
        match.play(decision.seat, chance.choice(of_kind))
    found += [(seat, match.view(seat), ()) for seat in range(match.seats)]
    events = [(seat, event) for seat in range(match.seats) for event in match.shown(seat)]
    return [*found, *[(seat, None, event) for seat, event in events]]
