"""A Redis that Sentinels watch: its URL, and the server that is the master at the moment.

`redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/SERVICE/DATABASE` names the Sentinels and their name for the master;
`rediss+sentinel://` speaks TLS with Sentinels and servers. User and password belong to the servers. Sentinels that need
their own take them from `?sentinel_username=…&sentinel_password=…`. All other options are redis-py's.
"""

from __future__ import annotations

from typing import Any, Final, Self, final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from redis import ConnectionPool
from redis.asyncio import Connection, Redis, SSLConnection
from redis.asyncio import ConnectionPool as AsyncConnectionPool
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelConnectionPool

__all__ = ["SCHEMES", "Sentinels", "addresses", "blocking_pool", "shown"]

SCHEMES: Final = {"redis+sentinel": "redis", "rediss+sentinel": "rediss"}
"""The schemes of a URL of Sentinels, each with the scheme of a server's URL for the same protocol."""
_DEFAULT_PORT: Final = 26_379
_ASK_SECONDS: Final = 1.0
"""The time in seconds after which a silent Sentinel is skipped: one of several that is away costs little."""
_OWN: Final = "sentinel_"
_OWN_OPTIONS: Final = frozenset({"username", "password"})
"""The options of a URL for the Sentinels themselves."""


def addresses(url: str) -> list[tuple[str, int]]:
    """Returns the hosts and ports in a URL: one for each Sentinel, or a server's only one. Raises ValueError."""
    scheme, authority, _ = _parts(url)
    default = _DEFAULT_PORT if scheme in SCHEMES else 6379
    found = []
    for place in authority.rpartition("@")[2].split(","):
        address = urlsplit(f"//{place}")
        if not address.hostname:
            raise ValueError("it names no host")
        found.append((address.hostname, address.port or default))
    return found


def shown(url: str) -> str:
    """Returns a URL without its secrets: user, password and options."""
    scheme, authority, rest = _parts(url)
    return f"{scheme}{'://' if scheme else ''}{authority.rpartition('@')[2]}{rest.partition('?')[0]}"


def _parts(url: str) -> tuple[str, str, str]:
    """Returns the scheme, the authority and the rest of a URL.

    Python's own parser accepts no second host beside an IPv6 address.
    """
    scheme, mark, places = url.partition("://")
    if not mark:
        return "", url, ""
    authority, slash, rest = places.partition("/")
    if not slash:
        authority, mark, rest = places.partition("?")
        return scheme.lower(), authority, f"{mark}{rest}"
    return scheme.lower(), authority, f"/{rest}"


class _Asking(Connection):
    """A connection to a Sentinel that ends without waiting for the other side: the answer is there by then."""

    async def disconnect(self, nowait: bool = False, *arguments: Any, **options: Any) -> None:
        """See redis-py."""
        del nowait
        await super().disconnect(True, *arguments, **options)


class _AskingByTls(_Asking, SSLConnection):
    pass


@final
class Sentinels:
    """The Sentinels of a URL."""

    def __init__(self, url: str) -> None:
        """Raises ValueError for a URL that lacks a part, or has an option that Sentinels do not have."""
        scheme, authority, rest = _parts(url)
        path, _, query = rest.partition("?")
        self._hosts = addresses(url)
        self.service, _, database = unquote(path).strip("/").partition("/")
        """The Sentinels' name for the master."""
        if not self.service or not (database or "0").isdecimal():
            raise ValueError(
                "the name that the Sentinels have for the master is needed, and the database is a number: "
                f"{scheme}://HOST:PORT,HOST:PORT/NAME/0"
            )
        options = parse_qsl(query, keep_blank_values=True)
        self._newest_epoch = 0
        """The highest number of a failover that a Sentinel has known."""
        self._own = {name.removeprefix(_OWN): value for name, value in options if name.startswith(_OWN)}
        if unknown := self._own.keys() - _OWN_OPTIONS:
            raise ValueError(f"{_OWN}{min(unknown)} is no option of Sentinels: they have a username and a password")
        secret, at, _ = authority.rpartition("@")
        host, port = self._hosts[0]
        place = f"{secret}{at}{f'[{host}]' if ':' in host else host}:{port}"
        kept = urlencode([(name, value) for name, value in options if not name.startswith(_OWN)])
        self.server_url = f"{SCHEMES[scheme]}://{place}/{database or 0}?{kept}"
        """The URL of a server with the options of this URL; its host and port are placeholders for the master's."""
        server = AsyncConnectionPool.from_url(self.server_url).connection_kwargs
        self._connecting = {
            **{name: value for name, value in server.items() if name.startswith("ssl_")},
            **self._own,
            "ssl": scheme == "rediss+sentinel",
            "socket_timeout": _ASK_SECONDS,
            "socket_connect_timeout": _ASK_SECONDS,
        }

    @classmethod
    def from_url(cls, url: str) -> Self | None:
        """Returns the Sentinels that a URL names; None for the URL of a server. Raises ValueError."""
        return cls(url) if _parts(url)[0] in SCHEMES else None

    async def master(self) -> tuple[str, int]:
        """Returns the host and port of the master.

        A Sentinel that knows of fewer failovers than another one that was asked earlier is late: it counts only if no
        other one names a master. Raises `redis.exceptions.ConnectionError` if none does.
        """
        silent, known = [], set[str]()
        late: tuple[int, tuple[str, int]] | None = None
        for address in self._hosts[:]:
            # The next question goes to another Sentinel, even if this call is given up meanwhile.
            self._hosts.remove(address)
            self._hosts.append(address)
            try:
                async with Redis.from_pool(self._once(*address)) as sentinel:
                    epoch = await self._epoch(sentinel)
                    found: Any = await sentinel.sentinel_get_master_addr_by_name(self.service)
                    if found is not None:
                        named = _text(found[0]), int(found[1])
                        if epoch < self._newest_epoch:
                            late = max(late or (epoch, named), (epoch, named))
                            continue
                        self._newest_epoch = epoch
                        self._hosts.remove(address)
                        self._hosts.insert(0, address)
                        return named
                    masters: Any = await sentinel.sentinel_masters()
                    known.update(map(_text, masters))
            except (RedisError, OSError) as error:
                silent.append(f"{address[0]}:{address[1]} ({error})")
        if late is not None:
            return late[1]
        if len(silent) == len(self._hosts):
            raise RedisConnectionError(f"no Sentinel answers: {', '.join(silent)}")
        raise RedisConnectionError(
            f"the Sentinels know no master {self.service!r}; they watch {', '.join(sorted(known)) or 'none'}"
        )

    def _once(self, host: str, port: int) -> AsyncConnectionPool:
        """Returns a pool whose only connection goes to a Sentinel, for a single question."""
        settings = {name: value for name, value in self._connecting.items() if name != "ssl"}
        kind = _AskingByTls if self._connecting["ssl"] else _Asking
        once = AsyncRetry(NoBackoff(), 0)
        return AsyncConnectionPool(connection_class=kind, host=host, port=port, retry=once, **settings)

    async def _epoch(self, sentinel: Any) -> int:
        """Returns the number of the failover to which a Sentinel's knowledge belongs; 0 if it may not be asked, or
        does not know the master.

        It is asked before the master is, so that the answer is at least as new.
        """
        try:
            state = await sentinel.sentinel_master(self.service)
        except ResponseError:
            return 0
        return int(state["config-epoch"])

    def pool(self, **options: Any) -> SentinelConnectionPool:
        """Returns a pool of connections to the server that is the master, for the blocking clients of redis-py."""
        server = ConnectionPool.from_url(self.server_url, **options).connection_kwargs
        settings = {name: value for name, value in server.items() if name not in {"host", "port"}}
        asking = {**self._connecting, "retry": Retry(NoBackoff(), 0)}
        sentinel = Sentinel(self._hosts, sentinel_kwargs=asking)  # type: ignore[no-untyped-call]  # redis-py's
        secure = self.server_url.startswith("rediss:")
        return SentinelConnectionPool(self.service, sentinel, ssl=secure, **settings)  # type: ignore[no-untyped-call]  # redis-py's


def _text(word: bytes | str) -> str:
    return word.decode() if isinstance(word, bytes) else word


def blocking_pool(url: str, **options: Any) -> ConnectionPool:
    """Returns a pool of connections to the server of a URL, or to the master of Sentinels, for blocking clients.

    Raises ValueError for any other text.
    """
    sentinels = Sentinels.from_url(url)
    return ConnectionPool.from_url(url, **options) if sentinels is None else sentinels.pool(**options)
