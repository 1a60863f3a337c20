"""A TCP proxy that can cut, delay, hold, refuse, freeze, fall mute, and swallow answers."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import struct
from collections.abc import AsyncIterator, Callable, Coroutine
from importlib.resources import files
from typing import Any, Final, final

from fudaba_serving.redis.pipelining import Script
from tests.support.loop_turns import closed, stop_accepting

_APPEND: Final = Script((files("fudaba_service.store") / "append.lua").read_text())
_SCRIPT: Final = re.compile(rb"(EVALSHA\r\n\$40\r\n)[0-9a-f]{40}")


@final
class Left:
    """The number of bytes that a connection may still carry, in both directions together; None for any number."""

    def __init__(self, number: int | None) -> None:
        self._number = number
        self.struck = False

    def take(self, wanted: int) -> int:
        """Returns how many of this many bytes still pass."""
        if self._number is None:
            return wanted
        passing = min(wanted, self._number)
        self._number -= passing
        return passing

    @property
    def over(self) -> bool:
        """Whether nothing passes any more."""
        return self._number == 0


def reset(writer: asyncio.StreamWriter) -> None:
    """Ends a connection with a reset (RST)."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def appends(request: bytes) -> bool:
    """Returns whether a request appends to logs. Heartbeats and other calls run scripts of their own."""
    return _APPEND.sha.encode() in request


@final
class Proxy:
    """Stands before `127.0.0.1:port`. `address` is where it listens."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._clients: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self._refuses = False
        self.resets = False
        """Whether it cuts with a reset where it cuts by itself."""
        self._cut_after: Callable[[bytes], bool] | None = None
        self._then_refuses = False
        self.lifetime: Callable[[], int] | None = None
        """The number of bytes that each new connection carries before it is cut in the middle of them."""
        self.cuts = 0
        """The number of times that `cut_answer_to` or `lifetime` has struck."""
        self._holds: Callable[[bytes], bool] | None = None
        self._released = asyncio.Event()
        self.held = 0
        """The number of requests that `hold` has struck."""
        self._is_mute = False
        self.muted = 0
        """The number of connections that carry nothing."""
        self._news_flow = asyncio.Event()
        self._news_flow.set()
        self._subscribers: set[asyncio.StreamWriter] = set()
        self._loses_news = False
        self.delay = 0.0
        """The time for which each piece of data is kept, in seconds."""
        self.mistakes_scripts = False
        """Whether it has Redis run scripts by names that it does not know."""

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Ends all connections at once."""
        for writer in list(self._writers):
            writer.transport.abort()

    def reset(self) -> None:
        """Ends all connections at once, as a firewall does that has forgotten them: with a reset (RST)."""
        for writer in list(self._writers):
            reset(writer)

    def half_close(self) -> None:
        """Says to all clients that nothing more comes, and goes on to listen to them."""
        for writer in list(self._clients):
            writer.write_eof()

    def switch(self, port: int) -> None:
        """Stands before another port from now on; connections to the one before end."""
        self._port = port
        self.cut()

    def freeze(self) -> None:
        """Lets nothing through until `thaw`; connections stay."""
        self._flows.clear()

    def thaw(self) -> None:
        self._flows.set()

    def hold_news(self) -> None:
        """Keeps what Redis tells its subscribers until `release_news`; connections stay, and all else goes through."""
        self._news_flow.clear()

    def release_news(self) -> None:
        self._news_flow.set()

    def lose_news(self) -> None:
        """Cuts the connections over which Redis tells its subscribers, and every new one until `deliver_news`."""
        self._loses_news = True
        for writer in list(self._subscribers):
            writer.transport.abort()

    def deliver_news(self) -> None:
        self._loses_news = False

    def refuse(self) -> None:
        """Cuts, and takes no new connections until `accept`."""
        self._refuses = True
        self.cut()

    def accept(self) -> None:
        self._refuses = False

    def cut_answer_to(self, request: Callable[[bytes], bool], *, refuse: bool = False) -> None:
        """Lets the next request that fits through, and cuts its connection instead of giving the answer.

        With `refuse` it takes no new connections from then on, until `accept`.
        """
        self._cut_after, self._then_refuses = request, refuse

    def hold(self, request: Callable[[bytes], bool]) -> None:
        """Keeps every request that fits, and what follows it over its connection, until `release`."""
        self._holds = request
        self._released.clear()

    def release(self) -> None:
        self._holds = None
        self._released.set()

    def fall_mute(self) -> None:
        """Accepts connections that never carry anything, until `speak`; those accepted meanwhile never will."""
        self._is_mute = True

    def speak(self) -> None:
        self._is_mute = False

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[Proxy]:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        try:
            yield self
        finally:
            await stop_accepting(self._server)
            self.thaw()
            self.release_news()
            self.release()
            self.cut()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self.cut()
            await closed()

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refuses:
            self._abort(writer)
            return
        self._writers.add(writer)
        if self._is_mute:
            self.muted += 1
            return
        self._keep(self._connect(reader, writer))

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs this until it ends, or the proxy does."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            beyond, to_beyond = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.transport.abort()
            self._writers.discard(writer)
            return
        doomed, subscribed = asyncio.Event(), asyncio.Event()
        left = Left(self.lifetime() if self.lifetime is not None else None)
        self._writers.add(to_beyond)
        self._clients.add(writer)
        self._keep(self._pump(reader, to_beyond, doomed, subscribed, left, up=True))
        self._keep(self._pump(beyond, writer, doomed, subscribed, left, up=False))

    def _mistaken(self, data: bytes) -> bytes:
        return _SCRIPT.sub(rb"\g<1>" + b"0" * 40, data) if self.mistakes_scripts else data

    def _abort(self, writer: asyncio.StreamWriter) -> None:
        if self.resets:
            reset(writer)
        else:
            writer.transport.abort()

    async def _open_for(self, data: bytes, subscribed: asyncio.Event, *, up: bool) -> None:
        """Waits until nothing keeps this any more."""
        await self._flows.wait()
        if up and self._holds is not None and self._holds(data):
            self.held += 1
            await self._released.wait()
        if not up and subscribed.is_set():
            await self._news_flow.wait()

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        doomed: asyncio.Event,
        subscribed: asyncio.Event,
        left: Left,
        *,
        up: bool,
    ) -> None:
        try:
            while data := self._mistaken(await reader.read(65536)):
                if self.delay:
                    await asyncio.sleep(self.delay)
                await self._open_for(data, subscribed, up=up)
                if up and b"SUBSCRIBE" in data:
                    subscribed.set()
                    self._subscribers.add(writer)
                    if self._loses_news:
                        writer.transport.abort()
                        return
                if up and self._cut_after is not None and self._cut_after(data):
                    self._cut_after = None
                    doomed.set()
                if not up and doomed.is_set():
                    self.cuts += 1
                    self._refuses = self._refuses or self._then_refuses
                    self._abort(writer)
                    return
                writer.write(data[: left.take(len(data))])
                if left.over:
                    # What is written goes out; then both directions end, with a piece of a message in each.
                    self.cuts += not left.struck
                    left.struck = True
                    return
                await writer.drain()
        except OSError:
            pass  # one side has gone: so does the other
        finally:
            self._writers.discard(writer)
            self._clients.discard(writer)
            self._subscribers.discard(writer)
            writer.close()
