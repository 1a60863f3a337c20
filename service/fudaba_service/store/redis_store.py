"""Everything the service keeps in Redis (or Valkey), as operations by name.

Operations raise `StoreUnavailable` when Redis cannot be reached or will not answer. Only `append` keeps trying.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any, Final, NamedTuple, cast, final

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from fudaba_service.store import keys
from fudaba_service.store.beats import Beats
from fudaba_service.store.commits import ANSWER_SECONDS, Append, CommitMetrics, Committer
from fudaba_service.store.news import Appended, appended
from fudaba_service.store.silence import Silence

__all__ = ["MatchGone", "Store", "StoreUnavailable", "StoredMatch"]

_CONNECTIONS: Final = 32
_GONE_SECONDS: Final = 3600
_RECENT: Final = 10_000


class StoreUnavailable(Exception):
    """Redis cannot be reached, or refuses. Nothing was changed that the caller was told of; try again."""


class MatchGone(Exception):
    """The match is not, or no longer, in the store."""


class StoredMatch(NamedTuple):
    """A match as it is stored."""

    header: bytes
    seed: bytes
    salt: bytes
    entries: list[bytes]


@contextmanager
def _unavailable() -> Iterator[None]:
    try:
        yield
    except (RedisError, OSError) as error:
        raise StoreUnavailable(f"the store cannot be reached: {error}") from error


async def _answer(command: Awaitable[Any] | Any) -> Any:  # redis-py types its commands as answers or awaitables
    with _unavailable():
        return await command


@final
class Store:
    """The operations. One per process; `replica` is the process's name in the store."""

    def __init__(self, url: str, replica: str, metrics: CommitMetrics) -> None:
        self.url = url
        self.replica = replica
        self.silence = Silence()
        # A restart of Redis leaves the pool full of dead connections, so a command whose connection was lost is sent
        # once more. All that use this pool bear that: what they change is the same the second time, or is recognised.
        pool: BlockingConnectionPool = BlockingConnectionPool.from_url(
            url,
            max_connections=_CONNECTIONS,
            timeout=ANSWER_SECONDS,  # more operations at once than connections wait for each other
            socket_timeout=ANSWER_SECONDS,
            socket_connect_timeout=ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,)),
        )
        self._redis: Redis = Redis.from_pool(pool)
        # Here it would hide that news may have been missed.
        self._listening: Redis = Redis.from_url(
            url, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS, retry=Retry(NoBackoff(), 0)
        )
        lua = files("fudaba_service.store")
        self._create = self._redis.register_script((lua / "create.lua").read_text())
        self._load = self._redis.register_script((lua / "load.lua").read_text())
        self._finish = self._redis.register_script((lua / "finish.lua").read_text())
        self._commits: Redis = Redis.from_url(
            url, socket_timeout=None, socket_connect_timeout=ANSWER_SECONDS, retry=Retry(NoBackoff(), 0)
        )
        self._committer = Committer(self._commits, replica, (lua / "append.lua").read_text(), metrics, self.silence)
        self._beats = Beats(self._redis, replica)
        self._clock_offset_ms = 0.0

    async def connect(self) -> None:
        """Checks that Redis is there and new enough, and reads its clock."""
        try:
            info = await _answer(self._redis.info("server"))
        except StoreUnavailable as error:
            if "authenticat" not in str(error) and "password" not in str(error):
                raise
            raise StoreUnavailable(f"{error}; give the password in the URL: redis://:PASSWORD@HOST:PORT") from error
        version = str(info.get("redis_version", "0"))
        if int(version.split(".", maxsplit=1)[0]) < 7:
            raise StoreUnavailable(f"Redis 7.0 or newer is needed, and this is {version}; name another one, or none")
        await self._set_clock()

    async def _set_clock(self) -> None:
        """Reads Redis's clock: this machine's may be set at any time.

        It was read at some time between the question and the answer: what is known stands unless that rules it out. So
        an answer that took long, or was looked at late, does not put the time back for as long.
        """
        asked = time.time()
        seconds, microseconds = await _answer(self._redis.time())
        theirs = seconds + microseconds / 1e6
        least, most = (theirs - time.time()) * 1000, (theirs - asked) * 1000
        self._clock_offset_ms = min(max(self._clock_offset_ms, least), most)

    async def close(self) -> None:
        """Closes the connections."""
        await self._commits.aclose()
        await self._listening.aclose()
        await self._redis.aclose()

    async def ping(self) -> None:
        """Raises `StoreUnavailable` unless Redis answers."""
        await _answer(self._redis.ping())

    def now_ms(self) -> int:
        """The time of Redis's clock, which all replicas share: milliseconds since 1970."""
        return int(time.time() * 1000 + self._clock_offset_ms)

    # --- logs

    @property
    def available(self) -> bool:
        """Whether appends are being answered."""
        return self._committer.available

    def append(self, append: Append) -> None:
        """Appends entries with group commit."""
        self._committer.submit(append)

    async def run_commits(self) -> None:
        """Sends what is appended; runs for ever."""
        await self._committer.run()

    async def drained(self) -> None:
        """Returns when no append is queued or in flight."""
        await self._committer.drained()

    async def create(
        self, match_id: str, created_ms: int, deadline_ms: int, stored: StoredMatch, asked: bytes = b""
    ) -> bool:
        """Creates a match; False when its id is taken by one with another salt. `asked` is kept for `asked`."""
        k = keys.match_keys(match_id)
        args: list[bytes | str | int] = [match_id, created_ms, deadline_ms, *stored[:3], asked]
        return bool(await _answer(self._create(keys=[k.meta, k.live, k.deadlines, k.gone], args=args)))

    async def asked(self, match_id: str) -> bytes:
        """What was asked for when a match was created; empty when it has been gone for an hour, or was never there."""
        k = keys.match_keys(match_id)
        with _unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hget(k.meta, "asked")
                pipeline.get(k.gone)
                live, gone = await pipeline.execute()
        return live or gone or b""

    async def load(self, match_id: str, *, follow: bool) -> StoredMatch:
        """Reads a match, and follows it from now on if asked. Raises `MatchGone`."""
        k = keys.match_keys(match_id)
        replica = self.replica if follow else ""
        answer: list[bytes] = await _answer(self._load(keys=[k.log, k.meta, k.followers], args=[replica]))
        if not answer:
            raise MatchGone(match_id)
        return StoredMatch(answer[0], answer[1], answer[2], answer[3:])

    async def tail(self, match_id: str, length: int) -> tuple[int, list[bytes]]:
        """The length of a match's log and its entries after the first `length`. Raises `MatchGone`."""
        k = keys.match_keys(match_id)
        with _unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.exists(k.meta)
                pipeline.llen(k.log)
                pipeline.lrange(k.log, length, -1)
                there, now, entries = await pipeline.execute()
        if not there:
            raise MatchGone(match_id)
        return now, entries

    async def finish(self, match_id: str, created_ms: int, bots: list[str], length: int, tail: bytes) -> int:
        """Removes a match whose record is archived: 1, or 0 when another replica has done so.

        -1 when the log is not of this length with this last entry: it was put back meanwhile, and stays.
        """
        k = keys.match_keys(match_id)
        gone = [k.meta, k.log, k.followers, k.live, k.deadlines, k.gone]
        with _unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.zadd(keys.RECENT, {match_id: created_ms})
                pipeline.zremrangebyrank(keys.RECENT, 0, -_RECENT - 1)
                for bot in bots:
                    pipeline.srem(keys.bot_matches(bot), match_id)
                await pipeline.execute()
            return int(await self._finish(keys=gone, args=[match_id, _GONE_SECONDS, length, tail]))

    # --- indexes

    async def offer(self, match_id: str, bots: list[str]) -> None:
        """Notes that bots have a seat in a match. Done before the match is created, so that none is forgotten."""
        with _unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for bot in bots:
                    pipeline.sadd(keys.bot_matches(bot), match_id)
                await pipeline.execute()

    async def withdraw_offer(self, match_id: str, bot: str) -> None:
        """Forgets a seat in a match that does not exist."""
        await _answer(self._redis.srem(keys.bot_matches(bot), match_id))

    async def matches_of(self, bot: str) -> list[str]:
        """The ids of the live matches in which a bot version has a seat."""
        return sorted(m.decode() for m in await _answer(self._redis.smembers(keys.bot_matches(bot))))

    async def state(self, match_id: str) -> tuple[bytes, int] | None:
        """The header of a live match and its state, without its log; None when there is no such match."""
        header, state = await _answer(self._redis.hmget(keys.match_keys(match_id).meta, "header", "state"))
        return None if header is None else (header, int(state))

    async def live_matches(self) -> dict[str, float]:
        """The ids of all live matches, and when each was created, in ms."""
        found: list[tuple[bytes, float]] = []
        for bucket in range(keys.BUCKETS):
            found += await _answer(self._redis.zrange(keys.live(bucket), 0, -1, withscores=True))
        return {match_id.decode(): created_ms for match_id, created_ms in found}

    async def recent_matches(self) -> dict[str, float]:
        """The ids of the newest finished matches, and when each was created, in ms."""
        found = await _answer(self._redis.zrange(keys.RECENT, 0, -1, withscores=True))
        return {match_id.decode(): created_ms for match_id, created_ms in found}

    async def overdue(self, now_ms: int) -> list[str]:
        """The ids of matches whose deadline has passed."""
        with _unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for bucket in range(keys.BUCKETS):
                    pipeline.zrangebyscore(keys.deadlines(bucket), "-inf", now_ms)
                return [m.decode() for found in await pipeline.execute() for m in found]

    async def postpone(self, match_id: str, overdue_ms: int, deadline_ms: int) -> None:
        """Moves the deadline of a match that was overdue at `overdue_ms`, unless an append has moved it since."""
        script = (
            "local at = redis.call('ZSCORE', KEYS[1], ARGV[1])\n"
            "if at and tonumber(at) <= tonumber(ARGV[2]) then redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end"
        )
        key = keys.match_keys(match_id).deadlines
        await _answer(self._redis.eval(script, 1, key, match_id, str(overdue_ms), str(deadline_ms)))

    async def withhold(self, match_id: str) -> None:
        """Keeps a match back."""
        await _answer(self._redis.sadd(keys.WITHHELD, match_id))

    async def release(self, match_ids: list[str]) -> int:
        """Shows matches; how many of them were kept back."""
        return int(await _answer(self._redis.srem(keys.WITHHELD, *match_ids))) if match_ids else 0

    async def withheld(self, match_ids: list[str]) -> list[bool]:
        """Whether each match is kept back."""
        if not match_ids:
            return []
        return [bool(flag) for flag in await _answer(self._redis.smismember(keys.WITHHELD, match_ids))]

    # --- matches with seats to be taken: opaque bytes here, see `sessions.tables`

    async def open_match(self, match_id: str) -> bytes | None:
        """What is fixed of a match with seats to be taken."""
        return cast("bytes | None", await _answer(self._redis.hget(keys.OPEN, match_id)))

    async def open_matches(self) -> dict[str, bytes]:
        """All matches with seats to be taken, by their ids."""
        if not await _answer(self._redis.hlen(keys.OPEN)):
            return {}
        return {name.decode(): raw for name, raw in (await _answer(self._redis.hgetall(keys.OPEN))).items()}

    async def swap_open_match(self, match_id: str, old: bytes | None, new: bytes | None) -> bool:
        """Stores, changes or (with None) removes one if it still is `old`; False when somebody else was faster."""
        return await self._swap(keys.OPEN, match_id, old, new)

    async def put_invitation(self, digest: str, seat: bytes, valid_ms: int) -> None:
        """Stores which seat an invitation is for."""
        await _answer(self._redis.set(keys.invitation(digest), seat, px=valid_ms))

    async def invitation(self, digest: str) -> bytes | None:
        """Which seat an invitation is for."""
        return cast("bytes | None", await _answer(self._redis.get(keys.invitation(digest))))

    async def note_made(self, bot: str, match_id: str) -> None:
        """Notes that a bot version has created a match."""
        await _answer(self._redis.sadd(keys.bot_made(bot), match_id))

    async def made_by(self, bot: str) -> list[str]:
        """The ids of the matches that a bot version has created and that are not known to have ended."""
        return sorted(m.decode() for m in await _answer(self._redis.smembers(keys.bot_made(bot))))

    async def forget_made(self, bot: str, match_id: str) -> None:
        """Forgets that a bot version has created a match."""
        await _answer(self._redis.srem(keys.bot_made(bot), match_id))

    async def count_matches_of(self, bots: list[str]) -> int:
        """In how many live matches these bot versions have seats, added up."""
        with _unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for bot in bots:
                    pipeline.scard(keys.bot_matches(bot))
                return sum(await pipeline.execute())

    # --- bots and tokens: opaque bytes here, see `accounts`

    async def get_bot(self, name: str) -> bytes | None:
        """A bot's message."""
        return cast("bytes | None", await _answer(self._redis.hget(keys.BOTS, name)))

    async def all_bots(self) -> list[bytes]:
        """All bots' messages, in the order of their names."""
        bots: dict[bytes, bytes] = await _answer(self._redis.hgetall(keys.BOTS))
        return [bots[name] for name in sorted(bots)]

    async def swap_bot(self, name: str, old: bytes | None, new: bytes) -> bool:
        """Stores a bot's message if it still is `old`; False when somebody else was faster."""
        return await self._swap(keys.BOTS, name, old, new)

    async def _swap(self, key: str, name: str, old: bytes | None, new: bytes | None) -> bool:
        """Changes a field of a hash if it still is `old`; None stands for no such field."""
        script = (
            "local now = redis.call('HGET', KEYS[1], ARGV[1]) or ''\n"
            # Sent again after a lost reply, it finds its own change.
            "if now ~= '' and now == ARGV[3] then return 1 end\n"
            "if now ~= ARGV[2] then return 0 end\n"
            "if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1])\n"
            "else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end\nreturn 1"
        )
        return bool(await _answer(self._redis.eval(script, 1, key, name, old or b"", new or b"")))

    async def get_token(self, digest: str) -> bytes | None:
        """Whose token has this digest."""
        return cast("bytes | None", await _answer(self._redis.hget(keys.TOKENS, digest)))

    async def put_token(self, digest: str, owner: bytes) -> None:
        """Stores a token's owner."""
        await _answer(self._redis.hset(keys.TOKENS, digest, owner))

    async def all_tokens(self) -> dict[str, bytes]:
        """Every digest and its owner."""
        return {d.decode(): owner for d, owner in (await _answer(self._redis.hgetall(keys.TOKENS))).items()}

    async def drop_tokens(self, digests: list[str]) -> int:
        """Forgets tokens; how many there were."""
        return int(await _answer(self._redis.hdel(keys.TOKENS, *digests))) if digests else 0

    # --- replicas

    async def archive(self, identity: str) -> str:
        """Which archive the records of this store are in: this one, unless another one is known."""
        await _answer(self._redis.set(keys.ARCHIVE, identity, nx=True))
        return str((await _answer(self._redis.get(keys.ARCHIVE))).decode())

    async def tell(self, news: str) -> None:
        """Tells every replica, this one included."""
        await _answer(self._redis.publish(keys.EVERYBODY, news))

    async def listen(self) -> AsyncIterator[str | list[Appended]]:
        """News: a text for everybody, or what other replicas have appended to followed matches.

        The first item, and the first after every lost connection, is "": anything may have been missed.
        """
        while True:
            try:
                async with self._listening.pubsub() as pubsub:
                    await pubsub.subscribe(keys.EVERYBODY, keys.replica_channel(self.replica))
                    for _ in range(2):
                        if await pubsub.get_message(timeout=ANSWER_SECONDS) is None:
                            raise StoreUnavailable("the store does not confirm a subscription")
                    yield ""
                    async for news in self._news(pubsub):
                        yield news
            except (RedisError, OSError, StoreUnavailable):
                await asyncio.sleep(0.2)

    async def _news(self, pubsub: PubSub) -> AsyncIterator[str | list[Appended]]:
        """News of one connection. Raises `StoreUnavailable` when it is silent: a dead one looks like a quiet one."""
        connection: Any = pubsub.connection
        everybody, asked = keys.EVERYBODY.encode(), False
        while True:
            try:
                # What redis-py does around this for each message takes as long as what the message tells.
                async with asyncio.timeout(ANSWER_SECONDS):
                    _, channel, data = await connection.read_response(
                        disconnect_on_error=False, timeout=math.inf, push_request=True
                    )
            except TimeoutError:
                if asked:
                    raise StoreUnavailable("the store is silent") from None
                asked = True
                await self.tell(keys.STILL_THERE)
                continue
            asked = False
            if channel != everybody:
                yield appended(data)
            elif data != keys.STILL_THERE.encode():
                yield data.decode()

    async def beat(self) -> None:
        """Notes that this replica is alive, and which outages of the service are over; see `store.beats`."""
        await self._set_clock()
        with _unavailable():
            await self._beats.beat(self.now_ms())
        self.silence.heard()

    async def leave(self) -> None:
        """Takes leave in good order."""
        with _unavailable():
            await self._beats.stop(self.now_ms())

    async def memory(self) -> tuple[int, int]:
        """How much memory Redis uses, and how much it may use (0: no limit), in bytes."""
        info = await _answer(self._redis.info("memory"))
        return int(info["used_memory"]), int(info["maxmemory"])

    async def outages(self) -> list[tuple[int, int]]:
        """The newest outages of the service, (from, to) in ms."""
        with _unavailable():
            return await self._beats.outages()
