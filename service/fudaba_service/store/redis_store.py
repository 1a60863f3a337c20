"""Everything the service keeps in Redis (or Valkey), as operations by name, in groups.

Operations raise `StoreUnavailable` when Redis cannot be reached or will not answer. Only `commits` keeps trying.
"""

from __future__ import annotations

import secrets
from importlib.resources import files
from typing import Final, final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError

from fudaba_service.store import keys
from fudaba_service.store.accounts import StoredAccounts
from fudaba_service.store.archive_news import StoredArrivals
from fudaba_service.store.bots import StoredBots
from fudaba_service.store.channels import Channels
from fudaba_service.store.commands import Commands
from fudaba_service.store.commits import ANSWER_SECONDS, CommitMetrics, Committer
from fudaba_service.store.connection import StoreUnavailable, answer, fixed, unavailable
from fudaba_service.store.identity import Identity
from fudaba_service.store.loop_turns import LoopTurns
from fudaba_service.store.maintenance import StoredMaintenance
from fudaba_service.store.match_index import MatchIndex
from fudaba_service.store.matches import Matches
from fudaba_service.store.open_matches import StoredOpenMatches
from fudaba_service.store.places import Places
from fudaba_service.store.play_streams import PlayStreams
from fudaba_service.store.quota_counts import Quotas
from fudaba_service.store.replica_messages import Replicas
from fudaba_service.store.shared_time import SharedTime
from fudaba_service.store.silence import Silence
from fudaba_service.store.tags import StoredTags
from fudaba_service.store.tokens import StoredTokens
from fudaba_serving.redis.action_list import ActionList
from fudaba_serving.redis.clocks import seconds_ahead
from fudaba_serving.redis.connections import Deaths, redis_client
from fudaba_serving.redis.server_settings import SettingFinding, WrongSettings, examine
from fudaba_serving.redis.servers import UnsuitableServer, look_at

__all__ = ["Store"]

_MAX_CONNECTIONS: Final = 32
_ID_BYTES: Final = 16
_RESERVED_DIVISOR: Final = 10
"""One in this many bytes of Redis's memory is reserved for open matches, so that they can end."""


@final
class Store:
    """The connections to Redis, and the operations. One per process; `replica` is the process's name in the store."""

    def __init__(self, url: str, replica: str, metrics: CommitMetrics) -> None:
        self.url = url
        self.replica = replica
        self.service_id = ""
        """The id of this service, once `connect` has learnt it."""
        self._identity = Identity()
        self.takes_matches = True
        """Whether there is room for new matches, as of the last check of the memory."""
        self.silence = Silence()
        self.turns = LoopTurns()
        self._metrics = metrics
        # A command whose connection was lost is sent once more. All that use this pool bear that: what they change is
        # the same the second time, or is recognised.
        again = Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))
        self._redis = self._client(_MAX_CONNECTIONS, ANSWER_SECONDS, again)
        # On this connection, a repeated command would hide that news may have been missed.
        self._listening = self._client(2, ANSWER_SECONDS, Retry(NoBackoff(), 0))
        self._committing = self._client(1, None, Retry(NoBackoff(), 0))
        script = (files("fudaba_service.store") / "append.lua").read_text()
        self.commits = Committer(self._committing, replica, script, metrics, self.silence, self.turns)
        """Appends to logs."""
        self._time = SharedTime()
        self._channels = Channels(int(self._redis.connection_pool.connection_kwargs.get("db") or 0))
        self._commands = Commands(self._redis)
        self.matches = Matches(self._redis, self._commands, replica, self._time, self._channels)
        self.index = MatchIndex(self._redis, self._commands, self._time)
        self.open_matches = StoredOpenMatches(self._redis, self._commands)
        self.places = Places(self._redis, replica, self._time, self._channels)
        self.quotas = Quotas(self._redis, self._time)
        self.accounts = StoredAccounts(self._redis, self._channels)
        self.maintenance = StoredMaintenance(self._redis, self._commands)
        self.actions = ActionList(self._redis, keys.ACTIONS, answer)
        self.archived = StoredArrivals(self._redis)
        self.bots = StoredBots(self._redis, self._commands)
        self.tokens = StoredTokens(self._redis, self._commands, self._time, self._channels)
        self.tags = StoredTags(self._redis)
        self.streams = PlayStreams(self._redis, self._time, self._channels)
        self.replicas = Replicas(
            self._redis,
            self._listening,
            replica,
            self._time,
            self.silence,
            self.commits,
            self._channels,
            self._identity.check,
        )

    def _client(self, connections: int, answer_seconds: float | None, retry: Retry) -> Redis:
        deaths = Deaths(self._lost, self._identity.greet)
        self._identity.deaths.append(deaths)
        return redis_client(
            self.url,
            connections=connections,
            wait=ANSWER_SECONDS,  # more operations at once than connections wait for each other
            answer_seconds=answer_seconds,
            connect_seconds=ANSWER_SECONDS,
            retry=retry,
            deaths=deaths,
        )

    def _lost(self) -> None:
        self._metrics.connection_lost()
        self.silence.lost()

    async def connect(self, *, may_be_empty: bool = True, store_id: str = "") -> None:
        """Checks that Redis answers and is new enough. Learns the service's id, and the shared time.

        With a `store_id`, the store must have that id. Raises `StoreUnavailable`, `StoreLost` for another store, and
        `WrongSettings` for an empty store that should not be.
        """
        self._identity.store_id = store_id
        with unavailable():
            try:
                await look_at(self._redis, self.url)
            except UnsuitableServer as error:
                raise StoreUnavailable(str(error)) from error
        if not may_be_empty and await answer(self._redis.get(keys.SERVICE)) is None:
            raise WrongSettings("it is empty")
        self.service_id = await fixed(self._redis, keys.SERVICE, secrets.token_hex(_ID_BYTES))
        self._identity.store_id = self.service_id
        self._channels.belong_to(self.service_id)
        await self.replicas.begin()

    async def close(self) -> None:
        """Closes the connections."""
        await self._commands.close()
        await self.replicas.close()
        await self._committing.aclose()
        await self._listening.aclose()
        await self._redis.aclose()

    async def examine(self) -> list[SettingFinding]:
        """Lists the server's bad settings."""
        with unavailable():
            return await examine(self._redis)

    async def ping(self) -> None:
        """Raises `StoreUnavailable` unless Redis answers."""
        await answer(self._redis.ping())

    async def clock_ahead(self) -> float:
        """Returns how many seconds this machine's clock is ahead of Redis's; negative if it is behind."""
        return await seconds_ahead(answer(self._redis.time()))

    @property
    def lost(self) -> bool:
        """Whether the store is empty or another one. Then nothing is read from it or written to it."""
        return self._identity.lost

    def now_ms(self) -> int:
        """Returns the shared time: milliseconds since 1970. It never goes back."""
        return self._time.now_ms()

    async def memory(self) -> tuple[int, int]:
        """Returns the memory that Redis uses, and its limit (0: no limit), in bytes."""
        info = await answer(self._redis.info("memory"))
        used, limit = int(info["used_memory"]), int(info["maxmemory"])
        # One that evicts is full by design, and makes room by itself: that risk was accepted at the start.
        evicts = info.get("maxmemory_policy", "noeviction") != "noeviction"
        self.takes_matches = not limit or evicts or used < limit - limit // _RESERVED_DIVISOR
        return used, limit
