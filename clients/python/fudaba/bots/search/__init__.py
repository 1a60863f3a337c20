"""Bots that search: they need nothing of a game but its interface, so they play every game.

What a seat does not know is supposed and dealt anew for each try (`Game.suppose`, `Game.redeal`), and the try is played
to the end of the deal by chance. `flat` tries every move alike; `tree` remembers what was tried deeper down.
"""

from __future__ import annotations

from fudaba.bots.search.bot import Search
from fudaba.bots.search.budget import DEFAULT, Budget
from fudaba.bots.search.flat import flat_search
from fudaba.bots.search.tree import tree_search

__all__ = ["DEFAULT", "Budget", "Search", "flat_search", "tree_search"]
