"""The log of a bot in a match, as its author gets it: the bot's lines after a bar, and lines of the arena's own.

```
| thinking about 3.a
-- careful ended with status 1; 0.5 s of CPU
```

A bot prints what it likes, even text that looks like the arena's. So no line of a bot begins like one of the arena's,
wherever a reader's tool ends a line.
"""

from __future__ import annotations

from typing import Final

__all__ = ["end_of_log", "own_line", "printed_lines"]

_BOT: Final = "| "
_ARENA: Final = "-- "
_LEFT_OUT: Final = "…"


def printed_lines(output: bytes) -> str:
    """Adds a bot's output."""
    return "".join(f"{_BOT}{line}\n" for line in output.decode(errors="replace").strip().splitlines())


def own_line(text: str) -> str:
    """Adds a line of the arena's. It stays one line, whatever it quotes."""
    return f"{_ARENA}{' '.join(text.splitlines())}\n"


def end_of_log(log: str, most: int) -> str:
    """Returns the end of a log, at most `most` characters.

    The first line is shown as the bot's, even if it is cut.
    """
    if len(log) <= most:
        return log
    return f"{_BOT}{_LEFT_OUT}{log[len(_BOT + _LEFT_OUT) - most :]}"
