"""The bots `search-flat` and `search-tree`."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, Final, final

from fudaba.bot import Bot, Choice, Decision, MatchInfo
from fudaba.bots.search.budget import Budget, Spending
from fudaba.bots.search.position import Position
from fudaba_games.game import Chance
from fudaba_games.registry import game

__all__ = ["Search"]

_MIN_BUDGET_SECONDS: Final = 0.001
"""The time in seconds of a decision whose time is already over. Zero would mean no limit."""

_MAX_TIME_SHARE: Final = 0.3
"""The share of a decision's remaining time that is never exceeded, whatever the budget."""

Method = Callable[[Position, Spending, Chance], Any]


@final
class Search(Bot):
    """Searches each decision with a method, within a budget."""

    wants_events = False

    def __init__(
        self,
        method: Method,
        budget: Budget,
        chance: random.Random | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._method = method
        self._budget = budget
        self._clock = clock
        self._chance = chance or random.Random()  # noqa: S311 - a game, not a secret

    def started(self, match: MatchInfo) -> None:
        """Loads the rules before the first decision, since that can take a good part of a short clock."""
        game(match.game)

    def choose(self, decision: Decision) -> Choice:
        """Returns the best move of the search."""
        if decision.legal_count == 1:
            return 0
        most = max(_MIN_BUDGET_SECONDS, decision.time_left_ms * _MAX_TIME_SHARE / 1000) if decision.time_ms else 0.0
        spending = self._budget.begin(most, self._clock)
        match = decision.match
        position = Position(
            game(match.game), len(match.players), match.options, decision.seat, decision.view, self._chance
        )
        return self._method(position, spending, self._chance)
