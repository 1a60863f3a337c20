"""A TCP proxy that can cut, delay, refuse, freeze, and swallow answers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import final


@final
class Left:
    """How many bytes a connection may still carry, in both directions together; None for any number."""

    def __init__(self, number: int | None) -> None:
        self._number = number
        self.struck = False

    def take(self, wanted: int) -> int:
        """How many of so many bytes still pass."""
        if self._number is None:
            return wanted
        passing = min(wanted, self._number)
        self._number -= passing
        return passing

    @property
    def over(self) -> bool:
        """Whether nothing passes any more."""
        return self._number == 0


@final
class Proxy:
    """Stands before `127.0.0.1:port`. `address` is where it listens."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self._refuses = False
        self._cut_after: Callable[[bytes], bool] | None = None
        self._then_refuses = False
        self.lifetime: Callable[[], int] | None = None
        """How many bytes each new connection carries before it is cut in the middle of them."""
        self.cuts = 0
        """How often `cut_answer_to` or `lifetime` has struck."""
        self.delay = 0.0
        """How long each piece of data is kept, in seconds."""

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

    def freeze(self) -> None:
        """Lets nothing through until `thaw`; connections stay."""
        self._flows.clear()

    def thaw(self) -> None:
        self._flows.set()

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

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[Proxy]:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        try:
            yield self
        finally:
            self._server.close()
            self.thaw()
            self.cut()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refuses:
            writer.transport.abort()
            return
        try:
            beyond, to_beyond = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.transport.abort()
            return
        doomed = asyncio.Event()
        left = Left(self.lifetime() if self.lifetime is not None else None)
        self._writers |= {writer, to_beyond}
        for task in (
            asyncio.create_task(self._pump(reader, to_beyond, doomed, left, up=True)),
            asyncio.create_task(self._pump(beyond, writer, doomed, left, up=False)),
        ):
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        doomed: asyncio.Event,
        left: Left,
        *,
        up: bool,
    ) -> None:
        try:
            while data := await reader.read(65536):
                if self.delay:
                    await asyncio.sleep(self.delay)
                await self._flows.wait()
                if up and self._cut_after is not None and self._cut_after(data):
                    self._cut_after = None
                    doomed.set()
                if not up and doomed.is_set():
                    self.cuts += 1
                    self._refuses = self._refuses or self._then_refuses
                    writer.transport.abort()
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
            writer.close()
