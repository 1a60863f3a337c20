"""The words that the permission tables of the service and the arena use for what a role may do with a method."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Reach"]


class Reach(StrEnum):
    """What a role may do with a method."""

    NONE = "-"
    """The role may not call the method: the call is refused."""
    PUBLIC = "public"
    """The role may see what everybody may see."""
    OWN = "own"
    """The role may see and change what belongs to it; the table says what that is."""
    ALL = "all"
    """The role may see and change everything."""
