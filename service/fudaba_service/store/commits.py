"""Group commit: the appends of all matches that arrive while a round trip is in flight go out together in the next."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from typing import Any, Final, Protocol, final

from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import NoScriptError, ReadOnlyError, RedisError, ResponseError

from fudaba_service.store.silence import Silence

log = logging.getLogger(__name__)

Answer = int | list[int | bytes]
"""What append.lua says of one match."""
AppendKeys = tuple[bytes, bytes, bytes, bytes]
"""The keys that append.lua wants of one match."""

ANSWER_SECONDS: Final = 5.0
"""How long Redis may take to answer."""
_TURNS: Final = 4
_FIRST_RETRY: Final = 0.05
_LAST_RETRY: Final = 1.0


class CommitMetrics(Protocol):
    """What is counted here."""

    def batch(self, appends: int, seconds: float) -> None:
        """A round trip with so many appends was answered after so long."""

    def store_error(self) -> None:
        """A round trip failed and is tried again."""


@final
class Append:
    """Entries to be appended to one match's log, and who wants to know the result.

    `done` is called with what `append.lua` answers. It is called exactly once, however often the store had to be asked.
    """

    __slots__ = ("deadline_ms", "done", "entries", "expected", "keys", "match_id", "state", "tail")

    def __init__(
        self,
        match_id: str,
        expected: int,
        tail: bytes,
        entries: list[bytes],
        deadline_ms: int,
        state: bytes,
        done: Callable[[Answer], None],
        keys: AppendKeys,
    ) -> None:
        self.match_id = match_id.encode()
        self.expected = expected
        self.tail = tail
        self.entries = entries
        self.deadline_ms = deadline_ms
        self.state = state
        self.done = done
        self.keys = keys


@final
class Committer:
    """Sends appends, one round trip at a time, until each has an answer.

    A lost connection leaves open whether a batch was stored. It is then sent again as it was: the script's comparison
    of the log's length makes that harmless, and its answer tells whether the first try had come through.

    `redis` has no socket time-out of its own: the time limit is kept here.
    """

    def __init__(self, redis: Redis, replica: str, script: str, metrics: CommitMetrics, silence: Silence) -> None:
        self._silence = silence
        self._redis = redis
        self._replica = replica.encode()
        self._script = script
        self._sha = b""
        self._connection: AbstractConnection | None = None
        self._metrics = metrics
        self._queue: list[Append] = []
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.available = True
        """Whether the last round trip was answered."""

    def submit(self, append: Append) -> None:
        """Queues an append."""
        self._queue.append(append)
        self._idle.clear()
        self._wake.set()

    async def drained(self) -> None:
        """Returns when nothing is queued or in flight."""
        await self._idle.wait()

    async def run(self) -> None:
        """Commits for ever; cancel to stop."""
        while True:
            await self._wake.wait()
            # Let everybody who is ready to run, or has just been answered, add to this batch.
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            self._wake.clear()
            batch, self._queue = self._queue, []
            await self._commit(batch)
            if not self._queue:
                self._idle.set()

    async def _commit(self, batch: list[Append]) -> None:
        pause = _FIRST_RETRY
        loop = asyncio.get_running_loop()
        while batch:
            started = loop.time()
            answers = await self._ask(batch)
            self._metrics.batch(len(batch), loop.time() - started)
            failed: list[Append] = []
            why: object = None
            for append, answer in zip(batch, answers, strict=True):
                if isinstance(answer, Exception):
                    failed.append(append)
                    why = answer
                else:
                    self._tell(append, answer)
            if failed:
                pause = await self._wait(why, pause)
            elif not self.available:
                self.available = True
                log.info("the store answers again")
            if not failed:
                self._silence.heard()
            batch = failed

    @staticmethod
    def _tell(append: Append, answer: Answer) -> None:
        try:
            append.done(answer)
        except Exception:  # one match's fault must not stop the commits of all others
            log.exception("match %s cannot go on from what the store answered", append.match_id.decode())

    async def _wait(self, why: object, pause: float) -> float:
        """Waits before the next try; the pause after that."""
        if isinstance(why, NoScriptError):
            self._sha = b""
            return pause
        self._metrics.store_error()
        if self.available:
            self.available = False
            log.warning("the store does not take entries, trying again until it does: %s", why)
        await asyncio.sleep(pause)
        return min(pause * 2, _LAST_RETRY)

    async def _ask(self, batch: list[Append]) -> list[Answer | Exception]:
        try:
            if not self._sha:
                self._sha = (await self._redis.script_load(self._script)).encode()
            answers: list[Answer | Exception] = await self._round_trip(self._packed(batch))
        except (RedisError, OSError) as error:
            return [error] * len(batch)
        return answers

    def _packed(self, batch: list[Append]) -> bytes:
        """The command for a batch, as it goes over the wire. redis-py's own packing takes several times as long."""
        keys: list[bytes] = []
        arguments: list[bytes] = [self._replica]
        for a in batch:
            keys += a.keys
            arguments += (
                a.match_id, b"%d" % a.expected, a.tail, b"%d" % a.deadline_ms, a.state, b"%d" % len(a.entries),
            )  # fmt: skip
            arguments += a.entries
        words = [b"EVALSHA", self._sha, b"%d" % len(keys), *keys, *arguments]
        return b"*%d\r\n" % len(words) + b"".join([b"$%d\r\n%b\r\n" % (len(word), word) for word in words])

    async def _round_trip(self, command: bytes) -> Any:
        """Sends a packed command over a connection that is kept for this, and returns the answer."""
        pool = self._redis.connection_pool
        if self._connection is None:
            self._connection = await pool.get_connection()  # type: ignore[no-untyped-call]  # redis-py does not type it
        connection = self._connection
        try:
            # One time limit for both: redis-py's own would start a task for each command.
            async with asyncio.timeout(ANSWER_SECONDS):
                await connection.send_packed_command([command], check_health=False)
                return await connection.read_response(timeout=math.inf)
        except BaseException as error:
            if isinstance(error, ResponseError) and not isinstance(error, ReadOnlyError):
                raise
            # Whatever comes over it now may be an answer to something else; and a server that has become read-only is
            # the wrong one: its name may lead to another by now.
            self._connection = None
            await connection.disconnect(nowait=True)
            await pool.release(connection)
            raise
