"""Words for people that all games and the kit have in common."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 block`, `2 matches`; `many` where neither `s` nor `es` does."""
    return f"{count} {one if count == 1 else many or one + ('es' if one.endswith('ch') else 's')}"
