"""Bots that search. They need only the interface of a game, so they play every game.

For each try, `Game.suppose` and `Game.redeal` fill in what the seat does not know, and random play continues to the end
of the deal. `flat` tries every move alike; `tree` remembers what was tried deeper down.
"""

from __future__ import annotations

from fudaba.bots.search.bot import Search
from fudaba.bots.search.budget import DEFAULT, Budget
from fudaba.bots.search.flat import flat_search
from fudaba.bots.search.tree import tree_search

__all__ = ["DEFAULT", "Budget", "Search", "flat_search", "tree_search"]
