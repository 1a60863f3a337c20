"""Group commit: the appends of all matches that arrive during a round trip go out together in the next one."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from hashlib import sha1
from typing import Any, Final, Protocol, final

from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, OutOfMemoryError, ReadOnlyError, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from fudaba_service.store.appends import APPEND_KEYS_COUNT, Answer, Append, packed
from fudaba_service.store.loop_turns import LoopTurns
from fudaba_service.store.silence import Silence
from fudaba_serving.redis.connections import WatchedConnection

log = logging.getLogger(__name__)

ANSWER_SECONDS: Final = 5.0
"""The time that Redis may take to answer."""
_AWAY: Final = (RedisConnectionError, RedisTimeoutError, OSError, ReadOnlyError)
"""The errors of a store that cannot be reached, or is the wrong one."""
_LOOP_TURNS: Final = 4
_MAX_APPENDS_PER_ROUND: Final = 128
"""The largest number of appends in a round, from all senders together. However many one sender has, another waits for
few.
"""
_OWN_WORDS_COUNT: Final = 4
"""The number of words of a command that belong to no append: EVALSHA, the script, the number of keys, the replica."""
_FIRST_RETRY_SECONDS: Final = 0.05
_MAX_RETRY_SECONDS: Final = 1.0


class CommitMetrics(Protocol):
    """The counts of this process's appends."""

    def batch(self, appends: int, seconds: float) -> None:
        """Notes a round trip with this many appends and its duration."""

    def store_error(self) -> None:
        """Notes that a round trip failed and will be tried again."""

    def connection_lost(self) -> None:
        """Notes that a connection was found dead."""

    def task_error(self, task: str) -> None:
        """Notes an unexpected error in a background task."""


@final
class _Waiting:
    """Appends to be sent, in their senders' order."""

    def __init__(self) -> None:
        self._by_sender: dict[str, deque[Append]] = {}
        """The appends by sender; the sender that has the turn comes first."""

    def __bool__(self) -> bool:
        return bool(self._by_sender)

    def add(self, append: Append) -> None:
        """Adds an append."""
        theirs = self._by_sender.get(append.sender)
        if theirs is None:
            self._by_sender[append.sender] = deque((append,))
        else:
            theirs.append(append)

    def take(self, most: int) -> list[Append]:
        """Takes the next appends, one of each sender in turn."""
        taken: list[Append] = []
        while self._by_sender and len(taken) < most:
            sender, theirs = next(iter(self._by_sender.items()))
            taken.append(theirs.popleft())
            del self._by_sender[sender]
            if theirs:
                self._by_sender[sender] = theirs
        return taken


@final
class Committer:
    """Sends appends, one round trip at a time, until each has an answer.

    After a lost connection, it is unknown whether a batch was stored. The same batch is then sent again: the script
    compares the log's length, which makes that harmless, and its answer tells whether the first try succeeded.

    `redis` has no socket time-out of its own, since this class keeps the time limit.
    """

    def __init__(
        self, redis: Redis, replica: str, script: str, metrics: CommitMetrics, silence: Silence, turns: LoopTurns
    ) -> None:
        self._silence = silence
        self._turns = turns
        self._redis = redis
        self._replica = packed((replica.encode(),))
        self._load = b"*3\r\n" + packed((b"SCRIPT", b"LOAD", script.encode()))
        self._sha = sha1(script.encode(), usedforsecurity=False).hexdigest().encode()
        self._connection: WatchedConnection | None = None
        self._metrics = metrics
        self._waiting = _Waiting()
        self._sent: list[Append] = []
        """The appends that were sent and have no answer yet, or are sent again."""
        self._aside = 0
        """How many appends wait because they alone were refused."""
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.available = True
        """Whether the last round trip was answered."""

    def submit(self, append: Append) -> None:
        """Queues an append."""
        self._waiting.add(append)
        self._idle.clear()
        self._wake.set()

    @property
    def unanswered_since(self) -> float | None:
        """The monotonic time since which the store owes an answer to some append; None if it owes none."""
        return self._sent[0].since if self._sent else None

    async def drained(self) -> None:
        """Waits until nothing is queued or in flight."""
        await self._idle.wait()

    async def run(self) -> None:
        """Commits until cancelled. It may then be run again: queued appends stay queued."""
        if self._sent or self._waiting:
            self._wake.set()
        while True:
            await self._wake.wait()
            # Let everybody who is ready to run, or has just been answered, add to this batch.
            for _ in range(_LOOP_TURNS):
                await asyncio.sleep(0)
            self._wake.clear()
            await self._commit()
            if not (self._sent or self._waiting or self._aside):
                self._idle.set()

    async def _commit(self) -> None:
        """Sends a round until each append has an answer or is put aside. No append is lost.

        It does not use `retry_until_answered`, since each try includes newly queued appends, and every append has its
        own answer.
        """
        pause = _FIRST_RETRY_SECONDS
        loop = asyncio.get_running_loop()
        while True:
            self._sent += self._waiting.take(_MAX_APPENDS_PER_ROUND)
            batch = self._sent[:]
            if not batch:
                return None
            started = loop.time()
            for append in batch:
                append.since = append.since or started
            answers = await self._answers(batch)
            self._metrics.batch(len(batch), loop.time() - started)
            self._sent = []
            failed = await self._tell_all(batch, answers)
            if len(failed) < len(batch):
                if not self.available:
                    self.available = True
                    log.info("the store answers again")
                self._silence.heard()
                # Whoever was cut off while they were asked for one by one was not refused.
                self._put_aside([(append, error) for append, error in failed if not isinstance(error, _AWAY)])
                failed = [(append, error) for append, error in failed if isinstance(error, _AWAY)]
                if not failed:
                    return self._wake.set() if self._waiting else None
            # What came meanwhile goes along: it may be that these alone are refused.
            self._sent = [append for append, _ in failed]
            pause = await self._wait(failed[-1][1], pause)

    async def _tell_all(self, batch: list[Append], answers: list[Answer | Exception]) -> list[tuple[Append, Exception]]:
        """Passes the answers on. Returns those that failed, with the reasons. Other work gets its turn between many of
        them.
        """
        failed: list[tuple[Append, Exception]] = []
        answered = 0
        for place, (append, answer) in enumerate(zip(batch, answers, strict=True)):
            if answered >= self._turns.step:
                answered = 0
                try:
                    await asyncio.sleep(0)
                except BaseException:  # told to stop: whoever has no answer yet asks again when this goes on
                    self._sent = [append for append, _ in failed] + batch[place:]
                    raise
            answered += 1
            if isinstance(answer, Exception):
                failed.append((append, answer))
                if not isinstance(answer, _AWAY) and not _is_full(answer):
                    append.since = None
            else:
                self._tell(append, answer)
        return failed

    async def _answers(self, batch: list[Append]) -> list[Answer | Exception]:
        """Asks the store for the outcome of each append of a batch. A refused one does not spoil the others."""
        answers = await self._ask(batch)
        if len(batch) == 1 or not isinstance(answers[0], Exception) or isinstance(answers[0], (NoScriptError, *_AWAY)):
            return answers
        found: list[Answer | Exception] = []
        for append in batch:
            found += await self._ask([append])
            if isinstance(found[-1], _AWAY):
                return found + [found[-1]] * (len(batch) - len(found))
        return found

    def _put_aside(self, refused: list[tuple[Append, Exception]]) -> None:
        """Tries refused appends again later, if others are accepted."""
        for append, error in refused:
            log.error("the store does not take an entry of match %s: %s", append.match_id.decode(), error)
            self._metrics.store_error()
            self._aside += 1
            append.since = None
            asyncio.get_running_loop().call_later(_MAX_RETRY_SECONDS, self._take_back, append)

    def _take_back(self, append: Append) -> None:
        self._aside -= 1
        self.submit(append)

    @staticmethod
    def _tell(append: Append, answer: Answer) -> None:
        try:
            append.done(answer)
        except Exception:  # one match's fault must not stop the commits of all others
            log.exception("match %s cannot go on from what the store answered", append.match_id.decode())

    async def _wait(self, why: object, pause: float) -> float:
        """Waits before the next try. Returns the next pause."""
        self._metrics.store_error()
        if self.available:
            self.available = False
            log.warning("the store does not take entries, trying again until it does: %s", why)
        await asyncio.sleep(pause)
        return min(pause * 2, _MAX_RETRY_SECONDS)

    async def _ask(self, batch: list[Append]) -> list[Answer | Exception]:
        try:
            answers: list[Answer | Exception] = await self._run_script(self._command(batch))
            if not isinstance(answers, list) or len(answers) != len(batch):
                raise TypeError(f"{len(batch)} appends were answered with {answers!r:.200}")
        except (RedisError, OSError) as error:
            return [error] * len(batch)
        except Exception as error:  # the other matches, and the process, go on; these appends are tried again
            log.exception("a fault in the commit of %d appends", len(batch))
            self._metrics.task_error("commits")
            return [error] * len(batch)
        return answers

    async def _run_script(self, command: bytes) -> Any:
        """Returns the answer to a command that runs the script, and loads the script if the server does not have it."""
        try:
            return await self._round_trip(command)
        except NoScriptError:
            await self._round_trip(self._load)
            return await self._round_trip(command)

    def _command(self, batch: list[Append]) -> bytes:
        """Returns the serialised command for a batch."""
        words = _OWN_WORDS_COUNT + sum([a.words_count for a in batch])
        own = packed((b"EVALSHA", self._sha, b"%d" % (APPEND_KEYS_COUNT * len(batch))))
        keys, appends = [a.keys for a in batch], [a.packed() for a in batch]
        return b"".join((b"*%d\r\n" % words, own, *keys, self._replica, *appends))

    async def _round_trip(self, command: bytes) -> Any:
        """Sends a serialised command over a dedicated connection. Returns the answer."""
        pool, connection = self._redis.connection_pool, self._connection
        try:
            # One time limit for all, the handshake of a new connection included: redis-py's own would start a task for
            # each command.
            async with asyncio.timeout(ANSWER_SECONDS):
                if connection is None:
                    connection = await pool.get_connection()  # type: ignore[no-untyped-call]  # redis-py does not type it
                    self._connection = connection
                elif not connection.fit:
                    await connection.connect()
                await connection.send_packed_command([command], check_health=False)
                return await connection.read_response(timeout=math.inf)
        except BaseException as error:
            if isinstance(error, ResponseError) and not isinstance(error, ReadOnlyError):
                raise
            # Whatever comes over it now may be an answer to something else; and a server that has become read-only is
            # the wrong one: its name may lead to another by now.
            self._connection = None
            if connection is not None:
                await connection.disconnect(nowait=True)
                await pool.release(connection)
            raise


def _is_full(error: Exception) -> bool:
    """Returns whether a store refused an append because there is no room in its memory or on its disk."""
    return isinstance(error, OutOfMemoryError) or str(error).startswith("MISCONF")
