"""How to install Fudaba, in words for errors and help.

The name `fudaba` is not registered at the public index, where a stranger could take it. So no text recommends
installing it from there before a release exists.
"""

from __future__ import annotations

__all__ = ["how_to_install"]


def how_to_install(*extras: str) -> str:
    """Returns the command for a clone that installs these extras. Only `web` includes the page, which Node builds."""
    page = "scripts/page &&" if "web" in extras else "FUDABA_PAGE=none"
    return f"{page} pip install '.[{','.join(extras)}]' in a clone of Fudaba"
