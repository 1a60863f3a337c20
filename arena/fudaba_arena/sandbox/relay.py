"""A bot's only way out: its own unix socket, which carries only its bytes to the service and back.

Each connection of the bot is one connection to the service and belongs to its seat. The relay adds the tokens of the
seat and of the worker to every call (see `frames.py`), so the service allows it what the seat may do and nothing else.
If one side does not read, the other is held back, so the relay buffers little.

All relays of a worker share one event loop. So that no bot delays the others, a bot's data is read in small pieces, and
reading it, like opening a connection, uses a share of processor time (see `cpu_share.py`). A bot that has used up its
share is not read for a while, and its clock runs on.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from array import array
from collections.abc import Callable
from fcntl import ioctl
from pathlib import Path
from termios import TIOCOUTQ
from typing import Final, Self, final

from fudaba.address import parse_host_port
from fudaba.client import Endpoint
from fudaba_arena.sandbox.cpu_share import CpuShare
from fudaba_arena.sandbox.frames import Frames, NotHttp2
from fudaba_arena.sandbox.owed_decisions import Connection
from fudaba_arena.sandbox.pondering import Pondering
from fudaba_arena.sandbox.sandbox import Cause
from fudaba_arena.tournament.limits import Limits

__all__ = ["Relay"]

_MAX_BUFFER_BYTES: Final = 65_536
"""The buffer for each direction of a connection. Above it, the sender has to wait."""
_MAX_STEP_BYTES: Final = 2_048
"""The bytes of a bot that are read at once. A byte can stand for a header, which takes some 10 µs."""
_PIECE_CPU_SECONDS: Final = 0.00004
"""The approximate cost of taking a piece from a connection and passing it on, beside reading it."""
_CONNECTION_CPU_SECONDS: Final = 0.001
"""The approximate cost of a connection over its lifetime."""
_TLS_CPU_SECONDS: Final = 0.004
"""The same if the service uses TLS."""
_CONNECT_TIMEOUT_SECONDS: Final = 10.0
_NO_DESCRIPTOR_PAUSE_SECONDS: Final = 1.0
"""The pause before the next accept when there was no free descriptor."""
_MAX_BACKLOG: Final = 16


@final
class Relay:
    """Carries data between one bot and the service, until `close`."""

    def __init__(
        self, service: Endpoint, path: Path, limits: Limits, token: str, pondering: Pondering | None = None
    ) -> None:
        self._service = service
        self._pondering = pondering
        self._token = token
        self._limits = limits
        self._tls = _tls(service) if service.secure else None
        self._carried: set[asyncio.Task[None]] = set()
        self._to_bot: set[asyncio.StreamWriter] = set()
        if pondering is not None:
            pondering.unread = self.unread
        self._cpu_share = CpuShare()
        self._accepting: asyncio.Task[None] | None = None
        self.path = path
        """The bot's socket."""
        self.up = 0
        """The number of bytes that have come from the bot."""
        self.down = 0
        """The number of bytes that have come from the service."""
        self.messages = 0
        """The number of frames with headers or data that have come from the bot."""
        self.over: Callable[[], None] = lambda: None
        """Called once when there is more traffic, or more messages, than the limit. The connections are then closed."""
        self.cause = Cause.TRAFFIC
        """The limit that was exceeded."""
        self.unreached = ""
        """The reason for the latest failure to reach the service for the bot; empty if it never failed."""

    @classmethod
    async def open(
        cls, service: Endpoint, path: Path, limits: Limits, token: str, pondering: Pondering | None = None
    ) -> Self:
        """Makes the socket, which must not exist yet, for the seat of a token. `pondering` is for a bot that may not
        ponder.

        Raises `OSError`, and `ssl.SSLError` for bad certificates.
        """
        relay = cls(service, path, limits, token, pondering)
        listening = socket.socket(socket.AF_UNIX)
        try:
            listening.setblocking(False)
            listening.bind(str(path))
            path.chmod(0o600)  # noqa: ASYNC240  # a moment
            listening.listen(_MAX_BACKLOG)
        except OSError:
            listening.close()
            raise
        relay._accepting = asyncio.create_task(relay._accept(listening))
        relay._accepting.add_done_callback(lambda _: listening.close())  # a task that never began has not closed it
        return relay

    async def close(self) -> None:
        """Closes the connections and removes the socket."""
        ending = [self._accepting] if self._accepting is not None else []
        ending += [task for task in self._carried if task is not asyncio.current_task()]
        self._accepting = None
        for task in ending:
            task.cancel()
        self.path.unlink(missing_ok=True)  # a moment
        if ending:
            await asyncio.wait(ending)

    @property
    def connections(self) -> int:
        """The number of connections."""
        return len(self._carried)

    def unread(self) -> bool:
        """Returns whether the bot has unread data on any connection."""
        return any(_waits(writer) for writer in self._to_bot)

    async def _accept(self, listening: socket.socket) -> None:
        """Accepts the bot's connections until cancelled."""
        cost_seconds = _CONNECTION_CPU_SECONDS if self._tls is None else _TLS_CPU_SECONDS
        while True:
            try:
                # Not `loop.sock_accept`, which leaves a connection open that comes as this is cancelled.
                connected, _ = listening.accept()
            except BlockingIOError:
                await _readable(listening)
                continue
            except OSError as error:  # this process has no descriptor left for it
                self.unreached = f"no connection of the bot could be taken: {error}"
                await asyncio.sleep(_NO_DESCRIPTOR_PAUSE_SECONDS)
                continue
            if len(self._carried) >= self._limits.connections:
                connected.close()
            else:
                await self._begin(connected)
            await asyncio.sleep(self._cpu_share.spend(cost_seconds))

    async def _begin(self, connected: socket.socket) -> None:
        """Begins to serve a connection."""
        try:
            reader, writer = await asyncio.open_unix_connection(sock=connected, limit=_MAX_BUFFER_BYTES)
        except OSError:  # the bot has ended it already
            connected.close()
            return
        task = asyncio.create_task(self._carry(reader, writer))
        self._carried.add(task)
        task.add_done_callback(self._carried.discard)
        task.add_done_callback(lambda _: writer.transport.abort())  # a task that never began has not closed it

    async def _carry(self, from_bot: asyncio.StreamReader, to_bot: asyncio.StreamWriter) -> None:
        """Serves one connection from its beginning to its end."""
        ends = [to_bot]
        connection = self._pondering.owing.connection() if self._pondering is not None else None
        to_bot.transport.set_write_buffer_limits(high=_MAX_BUFFER_BYTES)
        self._to_bot.add(to_bot)
        try:
            from_service, to_service = await self._reached()
            ends.append(to_service)
            to_service.transport.set_write_buffer_limits(high=_MAX_BUFFER_BYTES)
            async with asyncio.TaskGroup() as both:
                both.create_task(self._pump_up(from_bot, to_service, connection))
                both.create_task(self._pump_down(from_service, to_bot, connection))
            for end in ends:  # bytes sent before still arrive
                end.close()
                await end.wait_closed()
        except* (OSError, TimeoutError, _Over, NotHttp2):
            pass  # the bot sees that the connection has ended, and tries again if it likes
        finally:
            self._to_bot.discard(to_bot)
            self._closed(connection)
            for end in ends:
                end.transport.abort()
            # a stream whose end nobody has seen can be reported as a fault when the collector takes it
            await asyncio.shield(asyncio.gather(*[end.wait_closed() for end in ends], return_exceptions=True))

    async def _reached(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Returns a connection to the service. Raises `OSError`, `TimeoutError`."""
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_SECONDS):
                return await self._connect()
        except (OSError, TimeoutError) as error:
            self.unreached = str(error) or "it does not answer"
            raise

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        address = self._service.address
        if address.startswith("unix:"):
            return await asyncio.open_unix_connection(address.removeprefix("unix:"), limit=_MAX_BUFFER_BYTES)
        host, port = parse_host_port(address)
        name = host if self._tls is not None else None
        return await asyncio.open_connection(host, port, ssl=self._tls, server_hostname=name, limit=_MAX_BUFFER_BYTES)

    async def _pump_up(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: Connection | None
    ) -> None:
        """Carries the bot's data to its end. The service may go on if a connection can be half closed."""
        called = connection.called if connection is not None else lambda _, __: None
        frames = Frames(self._token, called, self._service.token)
        while piece := await reader.read(_MAX_STEP_BYTES):
            while wait_seconds := self._cpu_share.spend(0):  # noqa: ASYNC110  # only time adds to the allowance
                await asyncio.sleep(wait_seconds)
            before, began = frames.messages, time.thread_time()
            try:
                carried = frames.carried(piece)
                if connection is not None:
                    connection.up(carried)
            finally:  # bytes that are not passed on count too
                self._cpu_share.spend(_PIECE_CPU_SECONDS + time.thread_time() - began)
                self._count(up=len(piece), messages=frames.messages - before)
            _write(carried, writer)
            await writer.drain()
            if self._pondering is not None:
                self._pondering.changed()
        self._closed(connection)
        _end(writer)

    async def _pump_down(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: Connection | None
    ) -> None:
        """Carries the service's data to its end, and wakes a frozen bot."""
        while piece := await reader.read(_MAX_BUFFER_BYTES):
            self._count(down=len(piece))
            self._cpu_share.spend(_PIECE_CPU_SECONDS)
            _write(piece, writer)
            if connection is not None and self._pondering is not None:
                # After it was written: the bot that runs now, perhaps in the place of this process, finds it there.
                connection.down(piece, time.monotonic())
                self._pondering.changed()
                self._pondering.wake()
            await writer.drain()
        self._closed(connection)
        _end(writer)

    def _closed(self, connection: Connection | None) -> None:
        """Notes that one side of a connection has finished."""
        if connection is not None and self._pondering is not None:
            connection.close()
            self._pondering.changed()

    def _count(self, *, up: int = 0, down: int = 0, messages: int = 0) -> None:
        within = self._within
        self.up += up
        self.down += down
        self.messages += messages
        if self._within:
            return
        if within:
            self.cause = Cause.MESSAGES if self.messages > self._limits.messages else Cause.TRAFFIC
            self.over()
            for task in self._carried:
                task.cancel()
        raise _Over

    @property
    def _within(self) -> bool:
        """Whether the traffic is within the limits."""
        return self.up + self.down <= self._limits.traffic and self.messages <= self._limits.messages


@final
class _Over(Exception):
    """There was more traffic, or there were more messages, than allowed."""


async def _readable(listening: socket.socket) -> None:
    """Returns when a connection may have arrived."""
    loop, connected = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(listening, connected.set)
    try:
        await connected.wait()
    finally:
        loop.remove_reader(listening)


def _write(piece: bytes, writer: asyncio.StreamWriter) -> None:
    if writer.is_closing():  # the other direction has just failed; uvloop has no OSError for that
        raise ConnectionResetError
    writer.write(piece)


def _waits(writer: asyncio.StreamWriter) -> bool:
    """Returns whether written data is still here or in the socket."""
    if writer.transport.get_write_buffer_size():
        return True
    left = array("i", [0])
    try:
        ioctl(writer.get_extra_info("socket").fileno(), TIOCOUTQ, left)
    except (OSError, ValueError):
        return False  # the connection is closed
    return left[0] > 0


def _end(writer: asyncio.StreamWriter) -> None:
    """Sends the end of the data."""
    if writer.is_closing() or not writer.can_write_eof():
        raise ConnectionResetError
    writer.write_eof()


def _tls(service: Endpoint) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=service.ca_cert or None)
    context.set_alpn_protocols(["h2"])
    return context
