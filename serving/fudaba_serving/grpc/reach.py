"""What a role may do with a method: the words of the tables of permissions, of service and arena."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Reach"]


class Reach(StrEnum):
    """What a role may do with a method."""

    NONE = "-"
    """Nothing: the call is refused."""
    PUBLIC = "public"
    """See what everybody may see."""
    OWN = "own"
    """See and change what belongs to it; the table says what that is."""
    ALL = "all"
    """See and change everything."""
