"""Words how Fudaba is installed, for errors and help.

The name `fudaba` is not registered at the public index, where a stranger could take it: nobody is told to install it
from there before a release is.
"""

from __future__ import annotations

__all__ = ["how_to_install"]


def how_to_install(*extras: str) -> str:
    """Returns the command for a clone that installs these extras; with the page, which Node builds, for `web` only."""
    page = "scripts/page &&" if "web" in extras else "FUDABA_PAGE=none"
    return f"{page} pip install '.[{','.join(extras)}]' in a clone of Fudaba"
