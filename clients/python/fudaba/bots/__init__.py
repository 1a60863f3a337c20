"""The built-in bots: opponents for trying a bot, and examples."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, final

from fudaba.bot import Bot, BotFactory, Choice, Decision, MatchInfo
from fudaba.bots.search import DEFAULT, Budget, Search, flat_search, tree_search
from fudaba.by_game import games_in, module_of
from fudaba.errors import BotNotLoaded
from fudaba_games.registry import game

__all__ = [
    "BUILT_IN",
    "STRATEGIES",
    "First",
    "Random",
    "Search",
    "Sensible",
    "budget_mistake",
    "built_in",
    "is_built_in",
]

STRATEGIES: Final = games_in("fudaba.bots")
"""The games with a sensible strategy, which is the function `choose_sensible(view, seat, legal_moves)` of the game's
module.
"""


@final
class First(Bot):
    """Always plays the default move."""

    instant = True

    def choose(self, decision: Decision) -> Choice:  # noqa: ARG002 - it looks at nothing, on purpose
        """Returns the index of the default move."""
        return 0


@final
class Random(Bot):
    """Draws a kind of move first, then a move of that kind, so that it also plays rare kinds.

    Each move of a kind is equally likely, since it draws from the bot's list. Search and measurements use
    `Game.random_move`, which knows the state and needs no list. It draws the kind in the same way, but moves of a kind
    are not always equally likely.
    """

    instant = True

    def __init__(self, chance: random.Random | None = None) -> None:
        self._chance = chance or random.Random()  # noqa: S311 - a game, not a secret

    def choose(self, decision: Decision) -> Choice:
        """Returns the index of the drawn move."""
        legal = decision.legal_moves
        kind = game(decision.game).text.move_kind
        # The moves of a kind stand together, so equal ends mean that there is one kind only.
        if kind(legal[0]) == kind(legal[-1]):
            return self._chance.randrange(len(legal))
        kinds = [kind(move) for move in legal]
        wanted = self._chance.choice(sorted(set(kinds)))
        return self._chance.choice([index for index, found in enumerate(kinds) if found == wanted])


Strategy = Callable[[Any, int, Sequence[Any]], Any]


@final
class Sensible(Bot):
    """Plays by simple common sense, in games that have such a strategy; see `STRATEGIES`."""

    wants_events = False

    def __init__(self) -> None:
        self._strategy: Strategy | None = None

    def choose(self, decision: Decision) -> Choice:
        """Returns the move of the game's strategy."""
        if self._strategy is None:
            self._strategy = strategy(decision.match)
        return self._strategy(decision.view, decision.seat, decision.legal_moves)


def strategy(match: MatchInfo) -> Strategy:
    """Returns the sensible strategy of a match's game. Raises `BotNotLoaded` if it has none."""
    module = module_of("fudaba.bots", match.game)
    if module is None:
        raise BotNotLoaded(f"there is no built-in bot `sensible` for {match.game}; there is `random`")
    found: Strategy = module.choose_sensible
    return found


BUILT_IN: Final[tuple[str, ...]] = ("random", "first", "sensible", "search-flat", "search-tree")
"""The names on the command line. Names of searches may end in a budget: `search-tree:500`, `search-tree:0.5s`."""

_EXAMPLES: Final = "search-tree:500, search-tree:0.5s"
_METHODS: Final = {"search-flat": flat_search, "search-tree": tree_search}

_NAMES: Final = f"{', '.join(BUILT_IN)}; those that search take a number of tries or a time: {_EXAMPLES}"


def is_built_in(name: str) -> bool:
    """Returns whether a name, with or without a budget, denotes a built-in bot."""
    return name.partition(":")[0] in BUILT_IN and not budget_mistake(name)


def budget_mistake(name: str) -> str:
    """Returns what is wrong with the budget after a built-in bot's name, and what to write instead; empty if nothing
    is.
    """
    bare, colon, budget = name.partition(":")
    if not colon:
        return ""
    if bare not in _METHODS:
        return f"{bare!r} takes no budget: write {bare!r} alone; only bots that search take one, as {_EXAMPLES}"
    try:
        Budget.parse(budget)
    except ValueError as error:
        return f"{error}; write {bare!r} with one or alone, as {_EXAMPLES}"
    return ""


def built_in(name: str, seed: int | None = None) -> BotFactory:
    """Returns the factory of the built-in bots with a name. Raises `BotNotLoaded` for any other name.

    `seed` makes random bots repeatable, and searches with a budget in tries: the n-th bot always plays in the same way.
    """
    bare, _, budget = name.partition(":")
    if bare not in BUILT_IN:
        raise BotNotLoaded(f"there is no built-in bot {name!r}; there are: {_NAMES}")
    if mistake := budget_mistake(name):
        raise BotNotLoaded(mistake)
    if name == "first":
        return First
    if name == "sensible":
        return Sensible
    chances = _chances(name, seed)
    if bare in _METHODS:
        method, spend = _METHODS[bare], Budget.parse(budget or DEFAULT)
        return lambda: Search(method, spend, next(chances))
    return lambda: Random(next(chances))


def _chances(name: str, seed: int | None) -> Iterator[random.Random]:
    """Yields the random generators of the first bot, the second, and so on."""
    for count in itertools.count():
        yield random.Random() if seed is None else random.Random(f"fudaba-{name} {seed} {count}")  # noqa: S311 - a game
