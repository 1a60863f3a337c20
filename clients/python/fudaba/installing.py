"""How Fudaba is installed, as errors and help say it.

The name `fudaba` is not registered at the public index, where a stranger could take it: nobody is told to install it
from there before a release is.
"""

from __future__ import annotations

__all__ = ["how_to_install"]


def how_to_install(*extras: str) -> str:
    """What somebody types who lacks these extras."""
    return f"pip install '.[{','.join(extras)}]' in a clone of Fudaba"
