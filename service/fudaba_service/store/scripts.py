"""The beginnings of scripts that change the store, which Redis asks for when its memory is full.

A script that does not say so is stopped in its middle there, at the first command that may need memory: what it has
removed before that is gone, and what was to take its place is not there.
"""

from __future__ import annotations

from typing import Final

__all__ = ["FREES", "IN_SAME_STORE", "WRITES"]

WRITES: Final = "#!lua\n"
"""The flags of a script that is refused as a whole when memory is full."""
FREES: Final = "#!lua flags=allow-oom\n"
"""The flags of a script that runs then, too: it gives back more than it needs, or makes that possible."""
IN_SAME_STORE: Final = "if (redis.call('GET', KEYS[2]) or '') ~= ARGV[1] then return end\n"
"""The start of a script that writes only where `keys.SERVICE`, its KEYS[2], still holds the id that was read, its
ARGV[1]."""
