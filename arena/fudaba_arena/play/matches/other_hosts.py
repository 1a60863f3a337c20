"""The knowledge of a start order about workers on other hosts."""

from __future__ import annotations

from typing import Protocol, final

from fudaba_arena.play.matches.block_spec import BlockSpec

__all__ = ["NoOtherHosts", "OtherHosts"]


class OtherHosts(Protocol):
    """The known facts about workers on other hosts."""

    def can_play(self, spec: BlockSpec) -> bool:
        """Returns whether other workers can play a block."""
        ...

    def with_room(self, spec: BlockSpec) -> str:
        """Returns the address of workers that should continue a block now; empty if none has room."""
        ...


@final
class NoOtherHosts:
    """The facts for a single host."""

    def can_play(self, _: BlockSpec) -> bool:
        """See `OtherHosts`."""
        return False

    def with_room(self, _: BlockSpec) -> str:
        """See `OtherHosts`."""
        return ""
