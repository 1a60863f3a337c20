"""A Sentinel that watches two servers, and promotes the other one on request."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, final

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from soak.chaos.supervised import Supervised
from tests.support.service.processes import free_port
from tests.support.service.servers import store_server

__all__ = ["Sentinel"]

_MASTER: Final = "soak"
_SETTINGS: Final = """\
sentinel monitor {master} 127.0.0.1 {port} 1
sentinel down-after-milliseconds {master} 3600000
sentinel failover-timeout {master} 2000
"""
"""The settings of the Sentinel. It never declares a server dead by itself, because other faults freeze and kill the
master for a while.
"""


@final
class Sentinel:
    """The process, which first watches the master at `port`."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = free_port()
        self._refusal = ""
        settings = folder / "sentinel.conf"
        settings.write_text(_SETTINGS.format(master=_MASTER, port=port))
        command = [str(store_server()), str(settings), "--sentinel", "--port", str(self.port)]
        self.process = Supervised(folder / "logs", "sentinel", lambda: command, {}, lambda log: "+monitor" in log)

    @property
    def url(self) -> str:
        """The URL for the service's replicas."""
        return f"redis+sentinel://127.0.0.1:{self.port}/{_MASTER}/0"

    async def knows_the_replica(self) -> bool:
        """Returns whether it knows the server that may take over."""
        return bool(await self._ask("SENTINEL", "REPLICAS", _MASTER))

    async def begins_failover(self) -> bool:
        """Requests a failover. Returns whether it has begun; then do not request it again, since the next one would go
        back.
        """
        return "INPROG" in self._refusal if await self._ask("SENTINEL", "FAILOVER", _MASTER) is None else True

    async def has_failed_over(self, port: int) -> bool:
        """Returns whether the server at a port is the primary."""
        found = await self._ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", _MASTER)
        return isinstance(found, list) and [int(part) for part in found[1:]] == [port]

    async def _ask(self, *command: str) -> Any:
        """Returns its answer; None if it does not answer or refuses. `_refusal` has the reason."""
        client: Any = redis.asyncio.Redis(
            port=self.port, socket_timeout=3, socket_connect_timeout=3, retry=Retry(NoBackoff(), 0)
        )
        async with client:
            try:
                return await client.execute_command(*command)
            except (RedisError, OSError, TimeoutError) as error:
                self._refusal = str(error)
                return None
