"""The queue through which workers receive blocks: Dramatiq's, in a Redis database of its own.

A message names a tournament, a block's number and an attempt, and nothing else. The store says what to play, and
whether it is still wanted (`store/leases/handed_out.py`). So a message may be lost, late or doubled without harm.

Dramatiq considers a worker dead that has not fetched for `heartbeat_timeout`, and gives its messages to others. Its
consumers of delayed messages fetch all the time, so a busy worker is not taken for dead. Here it looks for dead workers
at every fetch, not at one in a thousand. There are no time limits, since every match ends by its clock. A worker has a
dozen consumers: one for each queue, and one for its delayed messages. They share a look at which queues have messages,
since separate fetches would cost an idle worker more CPU than all its other work. Dramatiq times a worker's fetches by
that worker's clock. Here the store's clock counts, so that a wrong clock neither keeps a dead worker alive nor declares
a healthy one dead.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from math import inf
from typing import Any, Final, cast, final
from uuid import uuid4

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from dramatiq.common import q_name
from redis import Redis, exceptions

from fudaba_arena.store.answers import StoreUnavailable
from fudaba_serving.redis.sentinel import blocking_pool

__all__ = [
    "ACTOR",
    "COMMANDS",
    "HEARTBEAT_SECONDS",
    "QUEUE",
    "SUBMITTED",
    "BlockQueue",
    "addressed_to",
    "new_message",
    "queues",
]

ACTOR: Final = "play_block"
QUEUE: Final = "blocks"
COMMANDS: Final = "blocks-with-commands"
"""The queue of blocks with a bot that is given as a command. Not every worker starts such bots."""
SUBMITTED: Final = "blocks-with-submissions"
"""The queue of blocks with a submitted bot, which need a sandbox and a runtime. There is one such queue for each
profile of workers, see `KnownWorker.profile`, and one for each address; its name follows this one.
"""
BOTH: Final = "blocks-with-both"
HEARTBEAT_SECONDS: Final = 15.0

_NAMESPACE: Final = "fudaba-arena"
_ANSWER_TIMEOUT_SECONDS: Final = 5.0
_MAX_MAINTENANCE_CHANCE: Final = 1_000_000
_BEATS_PER_TIMEOUT: Final = 10
"""The number of a worker's signs of life within the time after which it is considered dead."""
_MAX_WAIT_MS: Final = 500
"""The longest wait. A worker cannot be stopped during it."""
_MAX_AGE_SECONDS: Final = 0.1
"""The greatest age of a look at the queues that may still be used."""
_MAX_UNFETCHED_SECONDS: Final = 1.0
"""An empty queue is fetched from after this time, which brings back messages that a dead worker fetched."""
_FILLED: Final = """\
local filled = {}
for place, queue in ipairs(KEYS) do
    if redis.call('LLEN', queue) > 0 then filled[#filled + 1] = place end
end
return filled
"""
"""Returns the indices, from 1, of the queues that have messages."""
_FETCHED: Final = "__acks__."
"""The prefix of Dramatiq's keys that record which messages of a queue a worker has fetched."""
_KEYS_PER_SCAN: Final = 1_000


_CLIENT_TIME: Final = "local timestamp = ARGV[2]\n"
_STORE_TIME: Final = (
    "local time = redis.call('TIME')\n"
    "local timestamp = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))\n"
)
_QUEUES: Final = {(False, False): QUEUE, (True, False): COMMANDS, (False, True): SUBMITTED, (True, True): BOTH}
"""The queues, by the needs of a block: commands, submissions."""


def queues(*, commands: bool, profile: str, address: str = "") -> list[str]:
    """Returns the queues of blocks that a worker can play, with or without commands. Without a profile, it gets no
    submissions.
    """
    able = [needs for needs in _QUEUES if needs[0] <= commands and needs[1] <= bool(profile)]
    named = [_queue(of_commands, profile if submissions else "") for of_commands, submissions in able]
    return named + [_queue(of_commands, address) for of_commands, submissions in able if submissions and address]


def new_message(*, commands: bool, to: str = "") -> str:
    """Returns the name of a message about a block, according to the workers that can play it.

    `to` is the profile or the address of workers if the block has submitted bots.
    """
    return f"{_queue(commands, to)}/{uuid4()}"


def addressed_to(message: str) -> str:
    """Returns the profile or the address of the workers that receive a message; empty if any worker may play the
    block.
    """
    queue = message.partition("/")[0]
    kind = next((kind for kind in (SUBMITTED, BOTH) if queue.startswith(f"{kind}-")), "")
    return queue.removeprefix(f"{kind}-") if kind else ""


def _queue(commands: bool, to: str) -> str:
    kind = _QUEUES[commands, bool(to)]
    return f"{kind}-{to}" if to else kind


def _by_queue(messages: Collection[str]) -> dict[str, list[str]]:
    """Returns the ids of messages, grouped by queue."""
    found: dict[str, list[str]] = {}
    for message in messages:
        queue, _, message_id = message.partition("/")
        found.setdefault(queue, []).append(message_id)
    return found


@final
class _Client(Redis):
    """A client that reconnects after silence, too. Dramatiq waits for a lost connection to return, but treats a silent
    one as a fault.
    """

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """See redis-py. Raises `exceptions.ConnectionError` also for silence."""
        try:
            return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]  # redis-py's own
        except exceptions.TimeoutError as error:
            raise exceptions.ConnectionError(f"Redis is silent: {error}") from error


@final
class _Broker(RedisBroker):
    """A broker that uses the store's time, and fetches from an empty queue only as often as a sign of life requires."""

    def __init__(self, client: Redis, **settings: Any) -> None:
        super().__init__(client=client, **settings)  # type: ignore[no-untyped-call]  # Dramatiq's own
        raw = self.scripts["dispatch"].script
        script = raw.decode() if isinstance(raw, bytes) else str(raw)
        if script.count(_CLIENT_TIME) != 1:
            raise RuntimeError(
                "this release of Dramatiq reads the time elsewhere; install the version in requirements.lock"
            )
        self.scripts["dispatch"] = client.register_script(script.replace(_CLIENT_TIME, _STORE_TIME))
        self._filled_queues = client.register_script(_FILLED)
        self._beat_ms: int = min(_MAX_WAIT_MS, self.heartbeat_timeout // _BEATS_PER_TIMEOUT)
        self._filled: Collection[str] = ()
        """The queues that had messages when that was looked at last."""
        self._looked_at = -inf
        self._beat_at = -inf
        """The time when this worker fetched last, by the monotonic clock."""
        self._fetched_at: dict[str, float] = {}
        """The time when it fetched from each queue last."""

    def consume(self, queue_name: str, prefetch: int = 1, timeout: int = 5000) -> dramatiq.Consumer:
        """See Dramatiq."""
        if queue_name != q_name(queue_name):
            timeout = max(timeout, self._beat_ms)
        return super().consume(queue_name, prefetch, timeout)

    def do_fetch(self, queue_name: str, prefetch: int) -> list[bytes]:
        """See Dramatiq. Each of its consumers calls this in its own thread."""
        if not self._is_to_fetch(queue_name):
            return []
        self._fetched_at[queue_name] = self._beat_at = time.monotonic()
        return cast("list[bytes]", self._dispatch("fetch")(queue_name, prefetch))  # type: ignore[no-untyped-call]  # Dramatiq's own

    def _is_to_fetch(self, queue_name: str) -> bool:
        """Returns whether a queue has messages, or a sign of life is due."""
        now = time.monotonic()
        if queue_name != q_name(queue_name):  # of delayed messages, of which there never are any
            return now - self._beat_at >= self._beat_ms / 1000
        if now - self._fetched_at.get(queue_name, -inf) >= _MAX_UNFETCHED_SECONDS:
            return True
        if now - self._looked_at >= _MAX_AGE_SECONDS:
            self._looked_at = now  # the others do not wait for the answer
            names = sorted(self.queues)
            places = self._filled_queues(keys=[f"{self.namespace}:{name}" for name in names])
            self._filled = {names[place - 1] for place in cast("list[int]", places)}
        return queue_name in self._filled


@final
class BlockQueue:
    """The queue of blocks. Its database is the one after the store's."""

    def __init__(self, url: str, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> None:
        pool = blocking_pool(
            url, socket_timeout=_ANSWER_TIMEOUT_SECONDS, socket_connect_timeout=_ANSWER_TIMEOUT_SECONDS
        )
        pool.connection_kwargs["db"] = int(pool.connection_kwargs.get("db") or 0) + 1
        self._redis = _Client(connection_pool=pool)
        self.broker = _Broker(
            self._redis,
            middleware=[],
            namespace=_NAMESPACE,
            heartbeat_timeout=int(heartbeat_seconds * 1000),
            maintenance_chance=_MAX_MAINTENANCE_CHANCE,
        )

    async def close(self) -> None:
        """Closes the connections."""
        await asyncio.to_thread(self.broker.close)
        await asyncio.to_thread(self._redis.close)
        await asyncio.to_thread(self._redis.connection_pool.disconnect)  # a client leaves a pool open that it was given

    async def send(self, message: str, tournament: str, block: int, attempt: int) -> None:
        """Sends a worker a message about a block, by a name from `new_message`. Raises `StoreUnavailable`."""
        queue, _, message_id = message.partition("/")
        envelope: dramatiq.Message[None] = dramatiq.Message(
            queue, ACTOR, (tournament, block, attempt), {}, {"redis_message_id": message_id}
        )
        try:
            # The last step of the broker's `enqueue`, which would give it an id that nobody knows before it is sent.
            await asyncio.to_thread(self.broker.do_enqueue, queue, message_id, envelope.encode())
        except (exceptions.RedisError, OSError) as error:
            raise StoreUnavailable(f"the queue of blocks cannot be reached: {error}") from error

    async def fetched(self, messages: Collection[str]) -> set[str]:
        """Returns which of these messages any worker, alive or dead, has fetched. Raises `StoreUnavailable`."""
        try:
            return await asyncio.to_thread(self._fetched, messages)
        except (exceptions.RedisError, OSError) as error:
            raise StoreUnavailable(f"the queue of blocks cannot be reached: {error}") from error

    def _fetched(self, messages: Collection[str]) -> set[str]:
        by_queue = _by_queue(messages)
        waiting = {
            f"{queue}/{message_id.decode()}"
            for queue in by_queue
            for message_id in cast("list[bytes]", self._redis.lrange(f"{_NAMESPACE}:{queue}", 0, -1))
        }
        return set(messages) - waiting

    async def lost(self, messages: Collection[str]) -> set[str]:
        """Returns which of these messages are neither in the queue nor with a worker. Raises `StoreUnavailable`."""
        try:
            return await asyncio.to_thread(self._lost, messages)
        except (exceptions.RedisError, OSError) as error:
            raise StoreUnavailable(f"the queue of blocks cannot be reached: {error}") from error

    def _lost(self, messages: Collection[str]) -> set[str]:
        by_queue = _by_queue(messages)
        lost: set[str] = set()
        for queue, ids in by_queue.items():
            there = cast("list[bytes | None]", self._redis.hmget(f"{_NAMESPACE}:{queue}.msgs", ids))
            lost.update(f"{queue}/{message_id}" for message_id, known in zip(ids, there, strict=True) if known is None)
        return lost

    async def forget_gone(self, addressees: Collection[str]) -> None:
        """Removes the queues of all profiles and addresses except these, with all their messages.

        The arena finds the messages lost, and sends others. Raises `StoreUnavailable`.
        """
        try:
            await asyncio.to_thread(self._forget_gone, frozenset(addressees))
        except (exceptions.RedisError, OSError) as error:
            raise StoreUnavailable(f"the queue of blocks cannot be reached: {error}") from error

    def _forget_gone(self, addressees: frozenset[str]) -> None:
        gone = [
            key
            for key in self._redis.scan_iter(match=f"{_NAMESPACE}:*", count=_KEYS_PER_SCAN)
            if (to := addressed_to(_queue_of(key.decode()))) and to not in addressees
        ]
        if gone:
            self._redis.delete(*gone)


def _queue_of(key: str) -> str:
    """Returns the queue of a key of Dramatiq's, which holds messages, or those that a worker fetched."""
    name = key.removeprefix(f"{_NAMESPACE}:")
    return (name.split(".", 2)[-1] if name.startswith(_FETCHED) else name).partition(".")[0]
