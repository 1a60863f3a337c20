"""The host of a worker, and what the worker knows of workers on other hosts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from fudaba_arena.errors import Say
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.workers.block_queue import BlockQueue, new_message
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.store.store import StoreUnavailable

__all__ = ["Hosts", "OtherHostsKnown", "this_host"]

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def this_host() -> str:
    """Returns the name of the kernel that all processes here share, also in containers; empty if the system does not
    tell.
    """
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""


@final
class Hosts:
    """Keeps the facts that a worker knows about other hosts, and passes blocks on to them."""

    def __init__(self, host: str, offers: Offers, queue: BlockQueue, say: Say) -> None:
        """`host` is its own host; if it is empty, the worker knows no other host either."""
        self.host = host
        self._offers = offers
        self._queue = queue
        self._say = say
        self._others = 0

    async def refresh(self) -> None:
        """Notes the present workers. Repeat it every second. While the store is away, the last news stays."""
        try:
            await self._offers.refresh()
        except StoreUnavailable:
            return  # the player reports it
        others = len(self._offers.hosts - {self.host}) if self.host else 0
        if others != self._others:
            self._say(
                f"other hosts that play submitted bots: {others}; a deal's next sitting goes to one that has room"
            )
        self._others = others

    def plays_elsewhere(self, spec: BlockSpec) -> bool:
        """Returns whether workers on other hosts can play a block."""
        return bool(self._offers.on_others(self.host, spec.needs, commands=spec.commands))

    def elsewhere(self, spec: BlockSpec, load: float) -> str:
        """See `Offers.elsewhere`."""
        return self._offers.elsewhere(self.host, spec.needs, commands=spec.commands, seats=spec.seats, load=load)

    @staticmethod
    def message(spec: BlockSpec, to: str) -> str:
        """Returns the message in the queue about a block for workers of an address."""
        return new_message(commands=spec.commands, to=to)

    async def tell(self, spec: BlockSpec, message: str) -> None:
        """Sends it. Raises `StoreUnavailable`."""
        await self._queue.send(message, spec.tournament, spec.number, spec.attempt)


@final
@dataclass(frozen=True, slots=True)
class OtherHostsKnown:
    """See `OtherHosts`."""

    hosts: Hosts
    load: Callable[[], float]
    """The number of blocks for each seat of the asking worker."""

    def can_play(self, spec: BlockSpec) -> bool:
        """See `OtherHosts`."""
        return self.hosts.plays_elsewhere(spec)

    def with_room(self, spec: BlockSpec) -> str:
        """See `OtherHosts`."""
        return self.hosts.elsewhere(spec, self.load())
