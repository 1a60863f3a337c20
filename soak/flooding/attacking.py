"""The common part of attacks: their targets, their pace, and the replies that they get."""

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
    """Returns the environment in which all connections of a process, including gRPC's channels, come from that
    address.
    """
    library = compiled(_SHIM, folder)
    if library is None:
        raise RuntimeError("gcc is missing, or fails: attackers would have the address of who is good")
    return {"LD_PRELOAD": str(library), "FUDABA_SOURCE": ELSEWHERE[0]}


@final
@dataclass(frozen=True)
class Target:
    """The target of an attack, and the data that it needs."""

    address: str
    """The service's address, `host:port`."""
    token: str
    """The attacker's token."""
    bot: str
    others: str
    """A long archived match of other bots."""
    own: list[str]
    """Archived matches of the attacker."""
    arena: str = ""
    """The arena's address; empty if no arena is attacked."""
    ladder: str = ""
    """A ladder in which blocks were played."""
    authors: list[list[str]] = field(default_factory=list)
    """Tokens of the attacker's accounts, each with the name of one of the account's bots."""


@final
class Attacker:
    """Attacks as fast as it can, or at a rate."""

    def __init__(self, target: Target, rate: float = 0.0) -> None:
        self.target = target
        self.replies: Counter[str] = Counter()
        """The replies that it got, with their counts."""
        self.acts = 0
        """The number of calls that it has made, or of frames that it has sent."""
        self._rate = rate
        self._began = time.monotonic()

    async def turn(self, acts: int = 1) -> None:
        """Waits until that many more acts are allowed."""
        self.acts += acts
        if self._rate:
            await asyncio.sleep(max(0.0, self._began + self.acts / self._rate - time.monotonic()))

    async def forever(self, call: Callable[[], Awaitable[object]]) -> None:
        """Repeats a call until it is cancelled."""
        while True:
            await self.turn()
            await self.once(call)

    async def once(self, call: Callable[[], Awaitable[object]]) -> bool:
        """Makes a call. Returns whether it succeeded."""
        try:
            await call()
        except aio.AioRpcError as error:
            self.replies[reason_of(error) or error.code().name] += 1
            return False
        self.replies["OK"] += 1
        return True

    async def at_once(self, count: int, call: Callable[[], Awaitable[object]]) -> None:
        """Repeatedly makes that many simultaneous calls."""
        await asyncio.gather(*[self.forever(call) for _ in range(count)])

    def channel(self, address: str = "") -> aio.Channel:
        """Returns a connection of its own to the service, or to another address."""
        return aio.insecure_channel(address or self.target.address, options=CHANNEL)


Attack = Callable[[Attacker], Awaitable[None]]
"""An attack, which goes on until it is cancelled."""
