"""Words for people that all games and the kit have in common."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, noun: str, many: str = "") -> str:
    """Returns a number with its noun: `1 block`, `2 matches`; `many` where neither `s` nor `es` does."""
    return f"{count} {noun if count == 1 else many or noun + ('es' if noun.endswith('ch') else 's')}"
