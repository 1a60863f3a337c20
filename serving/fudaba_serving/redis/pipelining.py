"""Commands to Redis over one connection: each is sent as it comes, without a wait for the answers to earlier ones.

For each command redis-py takes a connection from a pool, and guards each step with timers of its own: that costs
several times the CPU of the command itself. Here a command is one write and one future. The connection is redis-py's,
which connects, encrypts and authenticates; no command is ever sent twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, final

import hiredis
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import InvalidResponse, NoScriptError, ReadOnlyError, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from fudaba_serving.redis.connections import WatchedConnection

__all__ = ["Pipelined", "Script"]

Word = str | bytes | int | float

_CHUNK_BYTES: Final = 65_536
_KINDS: Final = {"NOSCRIPT": NoScriptError, "READONLY": ReadOnlyError}
_NOTHING: Final = object()


@final
class Script:
    """A Lua script."""

    __slots__ = ("sha", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        """The script's name in Redis: the SHA-1 of its text, in hexadecimal digits."""


@final
class Pipelined:
    """A sender of commands over one connection of a client, which is replaced after its death.

    Calls raise `RedisError` or `OSError` if there is no answer, also for commands in flight when the connection died:
    then nobody knows whether the server ran them.
    """

    def __init__(self, redis: Redis, answer_seconds: float) -> None:
        self._pool = redis.connection_pool
        self._answer_seconds = answer_seconds
        self._link: _Link | None = None
        self._linking: asyncio.Task[_Link] | None = None
        """The task that connects, for all callers that wait for the connection."""

    async def __call__(self, *words: Word) -> Any:
        """Sends a command and returns its answer."""
        return await (self._fit or await self._linked_anew()).send([words])[0]

    async def together(self, commands: Sequence[Sequence[Word]]) -> list[Any]:
        """Sends commands together and returns their answers in order; an error stands for one that Redis refuses."""
        sent = (self._fit or await self._linked_anew()).send(commands)
        try:
            await asyncio.wait(sent)
        except asyncio.CancelledError:
            for future in sent:
                future.cancel()
            raise
        answers = [future.exception() or future.result() for future in sent]
        for answer in answers:
            if isinstance(answer, RedisConnectionError | RedisTimeoutError):
                raise answer
        return answers

    async def run(self, script: Script, keys: Sequence[Word], args: Sequence[Word] = ()) -> Any:
        """Runs a script and returns its answer."""
        try:
            return await self("EVALSHA", script.sha, len(keys), *keys, *args)
        except NoScriptError:  # the server refused it, so it has done nothing
            return await self("EVAL", script.text, len(keys), *keys, *args)

    @property
    def _fit(self) -> _Link | None:
        """The connection, if it can be used."""
        return self._link if self._link is not None and self._link.fit else None

    async def _linked_anew(self) -> _Link:
        if self._linking is None:
            self._linking = asyncio.create_task(self._connect())
            self._linking.add_done_callback(self._linked)
        return await asyncio.shield(self._linking)

    async def close(self) -> None:
        """Closes the connection and gives it back to the client."""
        if self._linking is not None:
            self._linking.cancel()
            await asyncio.wait([self._linking])
        await self._drop()

    async def _connect(self) -> _Link:
        await self._drop()
        connection = await self._pool.get_connection()  # type: ignore[no-untyped-call]  # redis-py has no type for it
        self._link = _Link(connection, self._answer_seconds)
        return self._link

    def _linked(self, linking: asyncio.Task[_Link]) -> None:
        self._linking = None
        if not linking.cancelled():
            linking.exception()  # callers that wait for it get the error; there may be none any more

    async def _drop(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            await link.end()
            with contextlib.suppress(RedisError, OSError):
                await link.connection.disconnect(nowait=True)
            await self._pool.release(link.connection)


@final
class _Link:
    """A connection, with the futures that wait for its answers."""

    def __init__(self, connection: WatchedConnection, answer_seconds: float) -> None:
        self.connection = connection
        self._ended = False
        self._demoted = False
        self._heard = time.monotonic()
        self._seconds = answer_seconds
        self._reader, self._writer = connection.streams()
        self._loop = asyncio.get_running_loop()
        self._parser = hiredis.Reader(InvalidResponse, _error_of, notEnoughData=_NOTHING)
        self._waiting: deque[tuple[asyncio.Future[Any], float]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._reading = asyncio.create_task(self._read())

    @property
    def fit(self) -> bool:
        """Whether the connection can be used, as far as is known.

        What has cut another connection has usually cut this one, too.
        """
        if self._ended or self._demoted or self.connection.demoted:
            return False
        return bool(self._waiting) or self._heard >= self.connection.deaths.last

    def send(self, commands: Sequence[Sequence[Word]]) -> list[asyncio.Future[Any]]:
        """Sends commands and returns the future answer to each."""
        futures, now = [self._loop.create_future() for _ in commands], self._loop.time()
        self._waiting.extend([(future, now) for future in futures])
        try:
            self._writer.write(b"".join([hiredis.pack_command(tuple(words)) for words in commands]))  # type: ignore[arg-type]  # of any length
        except Exception as error:  # noqa: BLE001  # uvloop raises RuntimeError for a connection that was reset
            self._die(RedisConnectionError, f"the connection has ended: {error}")
        else:
            if self._timer is None:
                self._timer = self._loop.call_at(now + self._seconds, self._look)
        return futures

    async def end(self) -> None:
        """Closes the connection; futures that still wait get a `ConnectionError`."""
        self._end(RedisConnectionError, "the connection was closed")
        self._reading.cancel()
        await asyncio.wait([self._reading])

    async def _read(self) -> None:
        try:
            while data := await self._reader.read(_CHUNK_BYTES):
                self._heard = time.monotonic()
                self._parser.feed(data)
                while (answer := self._parser.gets()) is not _NOTHING:
                    if not isinstance(answer, hiredis.PushNotification):
                        self._answered(answer)
        except Exception as error:  # noqa: BLE001  # whatever the error is, no answer comes any more
            self._die(RedisConnectionError, f"the connection has ended: {type(error).__name__}: {error}")
        else:
            self._die(RedisConnectionError, "the connection has ended")

    def _answered(self, answer: Any) -> None:
        future, _ = self._waiting.popleft()
        if isinstance(answer, ReadOnlyError):
            self._demoted = True
            self.connection.deaths.demoted()
        if future.done():  # no caller waits for it any more
            return
        if isinstance(answer, RedisError):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    def _look(self) -> None:
        """Ends the connection if the longest awaited answer is late; otherwise checks again when that answer is due."""
        self._timer = None
        if self._waiting:
            due = self._waiting[0][1] + self._seconds
            if due <= self._loop.time():
                self._die(RedisTimeoutError, f"no answer within {self._seconds:g} s")
            else:
                self._timer = self._loop.call_at(due, self._look)

    def _die(self, kind: type[RedisError], why: str) -> None:
        if not self._ended:
            self.connection.deaths.found()
            self._end(kind, why)

    def _end(self, kind: type[RedisError], why: str) -> None:
        self._ended = True
        self._writer.transport.abort()
        if self._timer is not None:
            self._timer.cancel()
        for future, _ in self._waiting:
            if not future.done():
                future.set_exception(kind(why))
        self._waiting.clear()


def _error_of(text: str) -> ResponseError:
    """Returns the error that an answer stands for."""
    return _KINDS.get(text.partition(" ")[0], ResponseError)(text)
