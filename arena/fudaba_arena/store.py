"""What an arena keeps in Redis (or Valkey): tournaments, their masters, results, void blocks.

Every change is one atomic step that can be repeated: what is there already stays. So a run that was killed at any
moment, or that did not hear an answer, does the same again and nothing is lost or counted twice. All keys of a
tournament share a hash tag. Operations raise `StoreUnavailable` when Redis cannot be reached.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any, Final, Self, final

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

__all__ = ["MatchResult", "Store", "StoreUnavailable", "StoredTournament", "VoidBlock"]

_ANSWER_SECONDS: Final = 5.0
_CONNECTIONS: Final = 16
_OLDEST: Final = 7
_PAGE: Final = 1000
_TOURNAMENTS: Final = "fudaba-arena:tournaments"


class StoreUnavailable(Exception):
    """Redis cannot be reached, or refuses. Try again: nothing is done twice."""


@final
@dataclass(frozen=True, slots=True)
class MatchResult:
    """How a match ended that has a result."""

    match_id: str
    block: int
    deal: int
    bots: tuple[str, ...]
    scores: tuple[int, ...]
    forfeited: str = ""
    """The bot that forfeited."""
    forfeit_cause: str = ""
    """`resigned`, `timeouts` or `illegal`."""
    ended_ms: int = 0
    """When it ended, in milliseconds since 1970."""

    @classmethod
    def of(cls, raw: bytes) -> Self:
        """Reads a stored result."""
        values = json.loads(raw)
        return cls(**values | {"bots": tuple(values["bots"]), "scores": tuple(values["scores"])})


@final
@dataclass(frozen=True, slots=True)
class VoidBlock:
    """A block that does not count, and why."""

    block: int
    slot: int
    cause: str
    """`no_show`, `organiser`, `lost`, `stopped` or `away`."""
    match_id: str
    """The match that made it void."""
    bots: tuple[str, ...]
    """The bots to which it is put down; empty when it was nobody's fault."""
    at_ms: int = 0

    @classmethod
    def of(cls, raw: bytes) -> Self:
        """Reads what is stored."""
        values = json.loads(raw)
        return cls(**values | {"bots": tuple(values["bots"])})


@final
@dataclass(slots=True)
class StoredTournament:
    """All that is stored of a tournament."""

    definition: dict[str, Any]
    master: bytes
    results: dict[str, MatchResult]
    """By match id."""
    finished: dict[int, tuple[str, ...]]
    """The ids of the matches that count, by block number."""
    void: dict[int, VoidBlock]
    """By block number."""
    created: set[str]
    """The ids of the matches that the service was asked for and has confirmed."""
    released: set[int]
    """The blocks whose matches everybody may see."""
    withdrawn: dict[str, str]
    """Why each bot that plays no more does not."""
    no_shows: dict[str, int]
    """How many blocks in a row each bot did not show up for."""
    attempts: int
    """How many attempts a block had in the last run."""
    pardons: int
    """How often parked blocks were given further attempts."""
    alive_ms: int
    """When an arena last played it, in milliseconds since 1970; 0 for never."""
    closed: bool
    """Whether it is over and its master is open."""


@contextmanager
def _unavailable() -> Iterator[None]:
    try:
        yield
    except (RedisError, OSError) as error:
        raise StoreUnavailable(f"the arena's store cannot be reached: {error}") from error


async def _answer(command: Awaitable[Any] | Any) -> Any:  # redis-py types its commands as answers or awaitables
    with _unavailable():
        # Before Python 3.12 `asyncio.wait_for`, which redis-py uses for every command, can swallow a cancellation. This
        # wait cannot; a command that nobody waits for any more is still sent, which is the same as a lost answer.
        return await asyncio.shield(command)


@final
class Store:
    """The operations."""

    def __init__(self, url: str) -> None:
        self.url = url
        pool: BlockingConnectionPool = BlockingConnectionPool.from_url(
            url,
            max_connections=_CONNECTIONS,
            timeout=None,  # operations of many matches at once wait for each other
            socket_timeout=_ANSWER_SECONDS,
            socket_connect_timeout=_ANSWER_SECONDS,
            # A command that failed is never sent again behind our back: whoever sent it decides.
            retry=Retry(NoBackoff(), 0),
        )
        self._redis: Redis = Redis.from_pool(pool)
        scripts = files("fudaba_arena")
        self._result = self._redis.register_script((scripts / "store_result.lua").read_text())
        self._void = self._redis.register_script((scripts / "store_void.lua").read_text())
        self._block = self._redis.register_script((scripts / "store_block.lua").read_text())

    async def connect(self) -> None:
        """Checks that Redis is there and new enough."""
        info = await _answer(self._redis.info("server"))
        version = str(info.get("redis_version", "0"))
        if int(version.split(".", maxsplit=1)[0]) < _OLDEST:
            raise StoreUnavailable(f"Redis {_OLDEST}.0 or newer is needed, {self.url} is {version}")

    async def close(self) -> None:
        """Closes the connections."""
        await self._redis.aclose()

    async def tournaments(self) -> tuple[str, ...]:
        """The names of all tournaments, sorted."""
        return tuple(sorted(name.decode() for name in await _answer(self._redis.smembers(_TOURNAMENTS))))

    async def begin(self, name: str, definition: Mapping[str, Any], master: bytes) -> None:
        """Stores a new tournament. One that is there stays as it is."""
        await _answer(self._redis.sadd(_TOURNAMENTS, name))
        # One key, so that no tournament ever has a definition and another's master.
        value = json.dumps({"definition": definition, "master": master.hex()}, sort_keys=True)
        await _answer(self._redis.set(_key(name, "tournament"), value, nx=True))

    async def load(self, name: str) -> StoredTournament | None:
        """Everything of a tournament, or None when there is none of that name."""
        raw = await _answer(self._redis.get(_key(name, "tournament")))
        if raw is None:
            return None
        with _unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                for part in ("finished", "void", "withdrawn", "no-shows", "state"):
                    pipeline.hgetall(_key(name, part))
                for part in ("created", "released"):
                    pipeline.smembers(_key(name, part))
                finished, void, withdrawn, no_shows, state, created, released = await pipeline.execute()
        first = json.loads(raw)
        return StoredTournament(
            definition=first["definition"],
            master=bytes.fromhex(first["master"]),
            results=await self._results(name),
            finished={int(number): tuple(json.loads(matches)) for number, matches in finished.items()},
            void={int(number): VoidBlock.of(noted) for number, noted in void.items()},
            created={match_id.decode() for match_id in created},
            released={int(number) for number in released},
            withdrawn={bot.decode(): why.decode() for bot, why in withdrawn.items()},
            no_shows={bot.decode(): int(count) for bot, count in no_shows.items()},
            attempts=int(state.get(b"attempts", 1)),
            pardons=int(state.get(b"pardons", 0)),
            alive_ms=int(state.get(b"alive_ms", 0)),
            closed=b"closed" in state,
        )

    async def _results(self, name: str) -> dict[str, MatchResult]:
        results: dict[str, MatchResult] = {}
        begin = "-"
        while True:
            page = await _answer(self._redis.xrange(_key(name, "results"), begin, "+", count=_PAGE))
            for _, fields in page:
                result = MatchResult.of(fields[b"result"])
                results[result.match_id] = result
            if len(page) < _PAGE:
                return results
            begin = f"({page[-1][0].decode()}"

    async def store_result(self, name: str, result: MatchResult) -> bool:
        """Stores the result of a match; False when it has one already. Its bots have shown up."""
        keys = [_key(name, f"result:{result.match_id}"), _key(name, "results"), _key(name, "no-shows")]
        return bool(await _answer(self._result(keys=keys, args=[_json(result), *result.bots])))

    async def store_void(self, name: str, void: VoidBlock) -> bool:
        """Notes that a block is void; False when it is void or finished already."""
        keys = [_key(name, part) for part in ("void", "finished", "no-shows")]
        absent = void.bots if void.cause == "no_show" else ()
        return bool(await _answer(self._void(keys=keys, args=[void.block, _json(void), *absent])))

    async def store_finished(self, name: str, block: int, match_ids: Sequence[str]) -> bool:
        """Notes that a block counts, with these matches; False when it is void or finished already."""
        keys = [_key(name, part) for part in ("finished", "void")]
        return bool(await _answer(self._block(keys=keys, args=[block, json.dumps(list(match_ids))])))

    async def store_created(self, name: str, match_id: str) -> None:
        """Notes that the service has a match."""
        await _answer(self._redis.sadd(_key(name, "created"), match_id))

    async def store_released(self, name: str, block: int) -> None:
        """Notes that everybody may see a block's matches."""
        await _answer(self._redis.sadd(_key(name, "released"), block))

    async def withdraw(self, name: str, bot: str, why: str) -> None:
        """Notes that a bot plays no more, and why."""
        await _answer(self._redis.hset(_key(name, "withdrawn"), bot, why))

    async def pardon(self, name: str) -> None:
        """Lets withdrawn bots play again, and gives parked blocks further attempts."""
        with _unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.delete(_key(name, "withdrawn"), _key(name, "no-shows"))
                pipeline.hincrby(_key(name, "state"), "pardons", 1)
                await pipeline.execute()

    async def store_attempts(self, name: str, attempts: int) -> None:
        """Notes how many attempts a block has in this run."""
        await _answer(self._redis.hset(_key(name, "state"), "attempts", attempts))

    async def beat(self, name: str, now_ms: int) -> None:
        """Notes that an arena plays the tournament at this time."""
        await _answer(self._redis.hset(_key(name, "state"), "alive_ms", now_ms))

    async def close_tournament(self, name: str) -> None:
        """Notes that the tournament is over and its master is open."""
        await _answer(self._redis.hset(_key(name, "state"), "closed", 1))

    async def claim(self, name: str, owner: str, seconds: float) -> bool:
        """Takes, or keeps, the right to play a tournament for a while; False while another arena has it."""
        script = (
            "local now = redis.call('GET', KEYS[1])\n"
            "if now and now ~= ARGV[1] then return 0 end\n"
            "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])\nreturn 1"
        )
        return bool(await _answer(self._redis.eval(script, 1, _key(name, "player"), owner, int(seconds * 1000))))

    async def disclaim(self, name: str, owner: str) -> None:
        """Gives that right up."""
        script = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"
        await _answer(self._redis.eval(script, 1, _key(name, "player"), owner))


def _key(name: str, part: str) -> str:
    return f"fudaba-arena:{{{name}}}:{part}"


def _json(value: MatchResult | VoidBlock) -> str:
    return json.dumps(asdict(value), sort_keys=True)
