"""The identity of a service's store. The service avoids any other store, such as one that came back empty.

Each connection asks the store for its id before anything else is sent, and each heartbeat asks again. So nothing is
written to a store that has lost its data, and the service resumes by itself once the data are back.
"""

from __future__ import annotations

from typing import final

from redis.exceptions import ConnectionError as RedisConnectionError

from fudaba_service.store import keys
from fudaba_serving.redis.connections import Deaths, WatchedConnection

__all__ = ["Identity", "OtherStore"]


class OtherStore(RedisConnectionError):
    """The store is empty, or another one than before."""


@final
class Identity:
    """The id of the store, once it is known."""

    def __init__(self) -> None:
        self.store_id = ""
        self.deaths: list[Deaths] = []
        """Ends the connections that have to ask again once one has found another store."""
        self.lost = False
        """Whether the store, when it was last asked, was another one than this."""

    def check(self, found: bytes | None) -> None:
        """Compares the store's id with the known one. Raises `OtherStore`."""
        if not self.store_id:
            return
        was_lost, self.lost = self.lost, found != self.store_id.encode()
        if self.lost:
            for deaths in [] if was_lost else self.deaths:
                deaths.found()
            raise OtherStore(f"the store {'is empty' if found is None else 'is another one than before'}")

    async def greet(self, connection: WatchedConnection) -> None:
        """Asks for the id over a new connection. Raises `OtherStore`."""
        if self.store_id:
            await connection.send_command("GET", keys.SERVICE)
            self.check(await connection.read_response())
