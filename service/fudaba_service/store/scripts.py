"""The beginnings of scripts that change the store. Redis reads them when its memory is full.

Without them, Redis stops a script in its middle, at the first command that may need memory: then it has removed values
without storing their replacements.
"""

from __future__ import annotations

from typing import Final

__all__ = ["FREES", "IN_SAME_STORE", "WRITES"]

WRITES: Final = "#!lua\n"
"""The flags of a script that is refused as a whole when memory is full."""
FREES: Final = "#!lua flags=allow-oom\n"
"""The flags of a script that also runs then: it frees more than it needs, or makes that possible."""
IN_SAME_STORE: Final = "if (redis.call('GET', KEYS[2]) or '') ~= ARGV[1] then return end\n"
"""The start of a script that writes only where `keys.SERVICE`, its KEYS[2], still holds the id that was read, its
ARGV[1]."""
