"""Clients of a Redis (or Valkey) whose connections may die in any way, at any time.

For most of these deaths redis-py raises `redis.exceptions.ConnectionError`, which it can retry and callers expect. For
some it does not: uvloop raises RuntimeError on a write to a connection that was reset, and a connection that the kernel
gave up (ETIMEDOUT) looks like an answer that is late or missing. On every error except an answer of the server, the
connections here check their own state. If they are dead, or the error is an OSError, they raise `ConnectionError`.
Otherwise the error is a late answer or a fault of the program, and they raise it unchanged.

After a connection of a client has died, the client's idle connections are replaced before they are used: the fault that
cut it has usually cut the others, too, so one operation finds that out for all.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, final

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.connection import (
    AbstractConnection,
    Connection,
    RedisSSLContext,
    SSLConnection,
    UnixDomainSocketConnection,
)
from redis.asyncio.retry import Retry
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ReadOnlyError, RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from fudaba_serving.redis.sentinel import Sentinels

_options: dict[str, Any] = {}
"""The arguments of all connections. An older redis-py has no `DriverInfo`, and reads its version once."""
try:
    from redis import DriverInfo
except ImportError:
    pass
else:
    # Without it, redis-py would read its version for each connection anew, from the metadata of its package.
    _options["driver_info"] = DriverInfo()

__all__ = ["Deaths", "WatchedConnection", "redis_client"]

_ASK_AGAIN_SECONDS: Final = 0.5
"""The time in seconds after which Sentinels are asked again which server is the master."""


@final
class Deaths:
    """The state that the connections of one client share.

    It has the last death among them, the greeting of new connections, whether the client is closed, and with TLS the
    certificates that they trust.
    """

    __slots__ = ("_counted", "_master", "closed", "demoted_at", "greet", "last", "trust")

    def __init__(
        self, counted: Callable[[], None], greet: Callable[[WatchedConnection], Awaitable[None]] | None = None
    ) -> None:
        self._counted = counted
        self._master: tuple[str, int] | None = None
        self.greet = greet
        """The greeting. Each new connection awaits it as soon as the connection can send commands. If it raises
        `RedisError`, the connection is closed.
        """
        self.last = -math.inf
        """The time of the last death, by `time.monotonic`."""
        self.demoted_at = -math.inf
        """The time at which a server was last seen to take no writes any more. Earlier connections lead to it."""
        self.trust: RedisSSLContext | None = None
        """The certificates by which connections judge a server. Reading the machine's own takes long."""
        self.closed = False
        """Whether the client has been closed for good. Commands whose callers have left may still be on their way."""

    def found(self) -> None:
        """Records that a connection was found dead."""
        self.last = time.monotonic()
        self._counted()

    def demoted(self) -> None:
        """Records that the server takes no writes any more.

        Its name may lead to another server by now, so all connections connect anew.
        """
        self.demoted_at = time.monotonic()

    def named(self, master: tuple[str, int]) -> None:
        """Records the host and port of the server that the Sentinels call the master.

        The former master takes writes until it hears of that, and they will be lost: all connections connect anew.
        """
        if self._master not in {None, master}:
            self.demoted()
        self._master = master


class WatchedConnection(AbstractConnection):
    """A connection that raises `ConnectionError` for its death, however that shows."""

    def __init__(self, *, deaths: Deaths, **options: Any) -> None:
        self.deaths = deaths
        self._heard = self._connected_at = -math.inf
        self._died = False
        super().__init__(**_options | options)

    @property
    def demoted(self) -> bool:
        """Whether it leads to a server that may take no writes any more."""
        return self._connected_at < self.deaths.demoted_at

    @property
    def fit(self) -> bool:
        """Whether the connection exists and, as far as is known, can be used."""
        if self._writer is None or self._dead():
            return False
        return self._heard >= self.deaths.last and not self.demoted

    async def _connect(self) -> None:
        await super()._connect()  # type: ignore[no-untyped-call, safe-super]  # redis-py has no type for it
        if self.deaths.closed:
            await self.disconnect(nowait=True)
            raise RedisConnectionError("its client is closed")

    def streams(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Returns the streams of the connection, for users without redis-py.

        Raises `ConnectionError` if it has ended.
        """
        if self._reader is None or self._writer is None:
            raise RedisConnectionError("the connection has ended")
        return self._reader, self._writer

    def _dead(self) -> bool:
        """Returns whether the connection has ended; after `disconnect`, whether it had ended by itself before."""
        if self._writer is None or self._reader is None:
            return self._died
        return self._writer.transport.is_closing() or self._reader.exception() is not None or self._reader.at_eof()

    def _judge(self, error: Exception) -> Exception:
        """Returns the error to raise for one that this connection raised: the same, or a `ConnectionError`."""
        if isinstance(error, ReadOnlyError):
            self.deaths.demoted()
        if isinstance(error, RedisError) and not isinstance(error, RedisTimeoutError | RedisConnectionError):
            return error  # the server answered this, or redis-py about a command
        if isinstance(error, RedisTimeoutError):
            self.deaths.found()  # a connection that was cut silently looks like this
            return RedisConnectionError(f"the connection has ended: {error}") if self._dead() else error
        if isinstance(error, RedisConnectionError):
            if self._dead():
                self.deaths.found()
            return error
        if not isinstance(error, OSError) and not self._dead():
            return error
        self.deaths.found()
        return RedisConnectionError(f"the connection has ended: {type(error).__name__}: {error}")

    async def connect(self) -> None:
        """Connects, unless there is a usable connection."""
        if self._writer is not None and not self.fit:
            if self._dead():
                self.deaths.found()
            await self.disconnect(nowait=True)
        self._died = False
        await super().connect()  # type: ignore[no-untyped-call]  # redis-py has no type for it
        self._heard = max(self._heard, time.monotonic())

    async def on_connect_check_health(self, check_health: bool = True) -> None:
        """See redis-py, which also calls this when it reconnects by itself to send a command again.

        redis-py renews subscriptions only after this call: over RESP2 a connection with subscriptions could ask nothing
        else.
        """
        self._connected_at = time.monotonic()
        await super().on_connect_check_health(check_health)
        await self.check_server()
        if self.deaths.greet is not None:
            await self.deaths.greet(self)

    async def check_server(self) -> None:
        """Raises `ConnectionError` for a server that must not be used. A connection of this class takes any server."""

    async def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        """See redis-py."""
        self._died = False
        try:
            await super().send_packed_command(command, check_health)
        except Exception as error:
            if (judged := self._judge(error)) is error:
                raise
            raise judged from error

    async def read_response(self, *arguments: Any, **options: Any) -> Any:
        """See redis-py."""
        try:
            response = await super().read_response(*arguments, **options)
        except Exception as error:
            if (judged := self._judge(error)) is error:
                raise
            raise judged from error
        # A connection that the kernel gave up raises TimeoutError, which redis-py also raises for a late answer.
        if response is None and self._dead():
            raise self._judge(OSError("no answer came"))
        self._heard = time.monotonic()
        return response

    async def disconnect(self, nowait: bool = False, *arguments: Any, **options: Any) -> None:
        """See redis-py. Drops unsent data, and does not wait for the other side to close."""
        if self._writer is not None:
            self._died = self._dead()
            self._writer.transport.abort()
        try:
            await super().disconnect(nowait, *arguments, **options)
        except Exception:
            # A connection that was found dead cannot end well, and its death was reported before.
            if not self._died:
                raise


class _Tcp(WatchedConnection, Connection):
    pass


class _Tls(WatchedConnection, SSLConnection):
    def __init__(self, *, deaths: Deaths, **options: Any) -> None:
        super().__init__(deaths=deaths, **options)
        self.ssl_context = deaths.trust = deaths.trust or self.ssl_context


class _Unix(WatchedConnection, UnixDomainSocketConnection):
    pass


class _Pool(BlockingConnectionPool):
    """A pool that stays closed: nothing would end the connections that commands open after `aclose`."""

    async def aclose(self) -> None:
        """See redis-py."""
        self.connection_kwargs["deaths"].closed = True
        await super().aclose()


_WATCHED: Final[dict[type[AbstractConnection], type[WatchedConnection]]] = {
    Connection: _Tcp,
    SSLConnection: _Tls,
    UnixDomainSocketConnection: _Unix,
}


class _OfMaster(WatchedConnection, Connection):
    """A connection to the server that the Sentinels call the master when the connection is made."""

    def __init__(self, *, sentinels: Sentinels, **options: Any) -> None:
        self._sentinels = sentinels
        super().__init__(**options)

    async def _connect(self) -> None:
        self.host, self.port = master = await self._sentinels.master()
        self.deaths.named(master)
        await super()._connect()

    async def check_server(self) -> None:
        """Raises `ConnectionError` for a server that is no longer the master. Sentinels learn that late."""
        await self.send_command("INFO", "replication")
        if b"role:master" not in await self.read_response():
            raise RedisConnectionError(f"{self.host}:{self.port} is not the master any more")


class _OfMasterByTls(_OfMaster, _Tls):
    pass


@final
class _MasterPool(_Pool):
    """A pool of connections to the master of Sentinels. From its first use until its end, it asks them again and
    again.
    """

    _asking: asyncio.Task[None] | None = None
    _closing: asyncio.Event

    async def get_connection(self, *arguments: Any, **options: Any) -> Any:
        """See redis-py."""
        if self._asking is None and not self.connection_kwargs["deaths"].closed:
            self._closing = asyncio.Event()
            self._asking = asyncio.create_task(self._ask())
        return await super().get_connection(*arguments, **options)  # type: ignore[no-untyped-call]  # redis-py's

    async def aclose(self) -> None:
        """See redis-py. Waits until the Sentinels have answered the last question.

        It is not cancelled: Python before 3.12 may swallow that while redis-py makes or ends a connection.
        """
        if self._asking is not None:
            self._closing.set()
            await self._asking
        await super().aclose()

    async def _ask(self) -> None:
        sentinels, deaths = self.connection_kwargs["sentinels"], self.connection_kwargs["deaths"]
        while not self._closing.is_set():
            with suppress(RedisError):  # none answers: whoever connects is told
                deaths.named(await sentinels.master())
            with suppress(TimeoutError):
                async with asyncio.timeout(_ASK_AGAIN_SECONDS):
                    await self._closing.wait()


def redis_client(
    url: str,
    *,
    connections: int,
    wait: float | None,
    answer_seconds: float | None,
    connect_seconds: float,
    retry: Retry,
    lost: Callable[[], None] = lambda: None,
    deaths: Deaths | None = None,
) -> Redis:
    """Returns a client for a URL of a server or of Sentinels (see `Sentinels`). Raises ValueError for any other text.

    Operations beyond `connections` at once wait for a free connection, for at most `wait` seconds. The pool calls
    `lost` for each dead connection that it finds. `deaths` replaces `lost` for callers that need a greeting, too.
    """
    sentinels = Sentinels.from_url(url)
    pool: BlockingConnectionPool = (_Pool if sentinels is None else _MasterPool).from_url(
        url if sentinels is None else sentinels.server_url,
        max_connections=connections,
        timeout=wait,
        socket_timeout=answer_seconds,
        socket_connect_timeout=connect_seconds,
        retry=retry,
    )
    if sentinels is None:
        pool.connection_class = _WATCHED[pool.connection_class]
    else:
        pool.connection_class = _OfMasterByTls if pool.connection_class is SSLConnection else _OfMaster
        pool.connection_kwargs["sentinels"] = sentinels
    pool.connection_kwargs["deaths"] = deaths or Deaths(lost)
    return Redis.from_pool(pool)
