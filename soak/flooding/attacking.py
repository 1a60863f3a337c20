"""The common part of attacks: their targets, their pace, and the answers that they get."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, final

from grpc import aio

from soak.shims import compiled
from tests.support.service.bots import CHANNEL, reason_of

__all__ = ["ELSEWHERE", "Attack", "Attacker", "Target", "from_elsewhere"]

ELSEWHERE: Final = ("127.0.0.2", 0)
"""The address of attackers in raw HTTP/2, which differs from that of good callers."""
_SHIM: Final = Path(__file__).with_name("source_shim.c")


def from_elsewhere(folder: Path) -> dict[str, str]:
    """Returns the environment in which all connections of a process come from that address, gRPC's channels too."""
    library = compiled(_SHIM, folder)
    if library is None:
        raise RuntimeError("gcc is missing, or fails: attackers would have the address of who is good")
    return {"LD_PRELOAD": str(library), "FUDABA_SOURCE": ELSEWHERE[0]}


@final
@dataclass(frozen=True)
class Target:
    """The target of an attack, and its means."""

    address: str
    """The service's, `host:port`."""
    token: str
    """The attacker's."""
    bot: str
    others: str
    """A long archived match of others."""
    own: list[str]
    """Archived matches of the attacker."""
    arena: str = ""
    """The arena's address; empty where none is struck."""
    ladder: str = ""
    """A ladder that has been played."""
    authors: list[list[str]] = field(default_factory=list)
    """Tokens of the attacker's accounts, each with the name of a bot of it."""


@final
class Attacker:
    """Strikes as fast as it can, or at a rate."""

    def __init__(self, target: Target, rate: float = 0.0) -> None:
        self.target = target
        self.replies: Counter[str] = Counter()
        """The messages that it got, and how often."""
        self.acts = 0
        """Calls that it has made, or frames that it has sent."""
        self._rate = rate
        self._began = time.monotonic()

    async def turn(self, acts: int = 1) -> None:
        """Waits until that many more acts may be done."""
        self.acts += acts
        if self._rate:
            await asyncio.sleep(max(0.0, self._began + self.acts / self._rate - time.monotonic()))

    async def forever(self, call: Callable[[], Awaitable[object]]) -> None:
        """Makes a call again and again."""
        while True:
            await self.turn()
            await self.once(call)

    async def once(self, call: Callable[[], Awaitable[object]]) -> bool:
        """Makes a call. Returns whether it was not refused."""
        try:
            await call()
        except aio.AioRpcError as error:
            self.replies[reason_of(error) or error.code().name] += 1
            return False
        self.replies["OK"] += 1
        return True

    async def at_once(self, count: int, call: Callable[[], Awaitable[object]]) -> None:
        """Makes that many calls at once, again and again."""
        await asyncio.gather(*[self.forever(call) for _ in range(count)])

    def channel(self, address: str = "") -> aio.Channel:
        """Returns a connection of its own to the service, or to another address."""
        return aio.insecure_channel(address or self.target.address, options=CHANNEL)


Attack = Callable[[Attacker], Awaitable[None]]
"""Goes on until it is cancelled."""
