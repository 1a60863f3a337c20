"""A TCP proxy in a link: it resets, cuts in mid-message, stalls either direction, delays, and drops one side."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import time
from collections import deque
from collections.abc import AsyncIterator
from typing import Final, cast, final

from tests.support.loop_turns import closed, stop_accepting

__all__ = ["DOWN_INDEX", "UP_INDEX", "Proxy"]

UP_INDEX: Final = 0
"""The index of the direction from the client to the server behind the proxy."""
DOWN_INDEX: Final = 1
"""The index of the other direction."""
_RESET: Final = struct.pack("ii", 1, 0)
"""A linger time of zero: closing sends RST."""
_IDLE_SECONDS: Final = 0.2
"""The seconds without data after which a connection is idle."""


@final
class _End(asyncio.Protocol):
    """An end of a connection."""

    def __init__(self, connection: _Connection, side: int) -> None:
        self._connection = connection
        self._side = side
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self._connection.opened(self._side)

    def data_received(self, data: bytes) -> None:
        self._connection.take(self._side, data)

    def eof_received(self) -> bool:
        self._connection.take(self._side, None)
        return True  # the other direction may go on

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.lost(self._side)

    def write(self, data: bytes | None) -> None:
        """Sends data on; None ends this direction."""
        if self.transport is None or self.transport.is_closing():
            return
        if data is not None:
            self.transport.write(data)
        elif self.transport.can_write_eof():
            with contextlib.suppress(OSError, RuntimeError):  # it has gone in the meantime
                self.transport.write_eof()

    def close(self, *, reset: bool) -> None:
        """Closes it, with RST or, after all written data, in order."""
        if self.transport is None or self.transport.is_closing():
            return
        if not reset:
            self.transport.close()
            return
        with contextlib.suppress(OSError):  # it has gone in the meantime
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.transport.abort()


@final
class _Connection:
    """Two ends with the data between them; `sides[UP_INDEX]` is the client, whose data go up."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self.sides = (_End(self, UP_INDEX), _End(self, DOWN_INDEX))
        self._waiting: tuple[deque[tuple[float, bytes | None]], ...] = (deque(), deque())
        self._timers: list[asyncio.TimerHandle | None] = [None, None]
        self._ended = [False, False]
        self._dropped: int | None = None
        """The end that has gone without the other's knowledge. Data from the other end are discarded."""
        self.left: int | None = None
        """The number of bytes that it still carries, in both directions together."""
        self.used = time.monotonic()

    def opened(self, side: int) -> None:
        """Adds an end. The first end is the client."""
        if side == UP_INDEX:
            self._proxy.accepted(self)
        else:
            self.flow(UP_INDEX)

    def take(self, direction: int, data: bytes | None) -> None:
        """Takes data that an end has sent."""
        self.used = time.monotonic()
        if self._dropped is None:
            self._waiting[direction].append((self.used + self._proxy.delays[direction], data))
            self.flow(direction)

    def flow(self, direction: int) -> None:
        """Passes on the data that are due."""
        waiting, to = self._waiting[direction], self.sides[1 - direction]
        while waiting and to.transport is not None and not self._proxy.stalled[direction]:
            wait = waiting[0][0] - time.monotonic()
            if wait > 0:
                timer = self._timers[direction]
                if timer is None or timer.cancelled() or timer.when() <= asyncio.get_running_loop().time():
                    self._timers[direction] = asyncio.get_running_loop().call_later(wait, self.flow, direction)
                return
            data = waiting.popleft()[1]
            if data is not None and self.left is not None:
                data = data[: self.left]
                self.left -= len(data)
            to.write(data)
            if self.left == 0:
                self.end(reset=False)
                return
            if data is None:
                self._ended[direction] = True
                if all(self._ended):
                    self.end(reset=False)

    def lost(self, side: int) -> None:
        """Notes that an end has gone. The other end goes too, after the data of the first."""
        if side == self._dropped:
            return
        if self._waiting[side] and self.sides[1 - side].transport is not None:
            self._waiting[side].append((0.0, None))
            asyncio.get_running_loop().call_later(20.0, lambda: self.end(reset=True))
            return
        self.end(reset=True)

    def end(self, *, reset: bool) -> None:
        """Ends both ends."""
        for end in self.sides:
            end.close(reset=reset)
        self._proxy.connections.discard(self)

    def drop(self, side: int) -> None:
        """Resets one end; the other learns nothing."""
        self._dropped = side
        for waiting in self._waiting:
            waiting.clear()
        self.sides[side].close(reset=True)


@final
class Proxy:
    """Listens at `address`, and forwards to `127.0.0.1:target`."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.connections: set[_Connection] = set()
        self.stalled = [False, False]
        """Whether nothing passes up, or down. Data are kept, and pass later."""
        self.delays = [0.0, 0.0]
        """The number of seconds that each piece takes, up and down."""
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @contextlib.asynccontextmanager
    async def run(self, port: int = 0) -> AsyncIterator[Proxy]:
        """Listens until the context is left."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self).sides[UP_INDEX], "127.0.0.1", port)
        try:
            yield self
        finally:
            await stop_accepting(self._server)
            self.reset()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self.reset()
            await closed()

    def accepted(self, connection: _Connection) -> None:
        """Accepts a connection."""
        self.connections.add(connection)
        task = asyncio.get_running_loop().create_task(self._connect(connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, connection: _Connection) -> None:
        try:
            await asyncio.get_running_loop().create_connection(
                lambda: connection.sides[DOWN_INDEX], "127.0.0.1", self.target
            )
        except OSError:
            connection.end(reset=True)
        else:
            client = connection.sides[UP_INDEX].transport
            if client is None or client.is_closing():
                connection.end(reset=True)

    # --- faults

    def reset(self, *, idle: bool = False) -> None:
        """Ends all connections with RST, or only idle ones, like a firewall that forgets them."""
        now = time.monotonic()
        for connection in list(self.connections):
            if not idle or now - connection.used > _IDLE_SECONDS:
                connection.end(reset=True)

    def truncate(self, number: int) -> None:
        """Lets each connection carry this many more bytes, and then ends it in the middle of whatever is in flight."""
        for connection in list(self.connections):
            connection.left = number

    def reset_truncated(self) -> None:
        """Ends the truncated connections that have carried nothing since `truncate`."""
        for connection in list(self.connections):
            if connection.left is not None:
                connection.end(reset=True)

    def drop(self, side: int) -> list[_Connection]:
        """Resets one side of all connections (UP: the client's) while the other believes them alive."""
        dropped = list(self.connections)
        for connection in dropped:
            connection.drop(side)
        return dropped

    def stall(self, *directions: int) -> None:
        """Stops these directions. Connections stay, and new ones are accepted."""
        for direction in directions:
            self.stalled[direction] = True

    def delay(self, seconds: float) -> None:
        """Delays all data by that time in both directions."""
        self.delays[:] = [seconds, seconds]

    def heal(self) -> None:
        """Ends stalls and delays. The waiting data pass."""
        self.stalled[:] = [False, False]
        self.delays[:] = [0.0, 0.0]
        for connection in list(self.connections):
            for direction in (UP_INDEX, DOWN_INDEX):
                connection.flow(direction)
