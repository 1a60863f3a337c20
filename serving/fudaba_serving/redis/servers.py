"""The check of the server that a URL of a Redis leads to, before its use.

It explains a refusal in one sentence.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import Any, Final
from urllib.parse import urlsplit

from redis.asyncio import Redis
from redis.exceptions import RedisError

from fudaba_serving.redis.sentinel import SCHEMES, addresses

__all__ = ["UnsuitableServer", "look_at"]

_MIN_VERSION: Final = 7
_ANSWER_TIMEOUT_SECONDS: Final = 1.0
"""The time in seconds after which a server that has not answered is examined from outside."""
_TALK_SECONDS: Final = 5.0
"""The time in seconds that a connection and one exchange from outside may take for each address."""
_REFUSED_MODES: Final = {
    "cluster": "this is a Redis Cluster, which Fudaba does not support, for one step may change keys of several slots: "
    "name a single Redis or Valkey; for failover, Sentinels: redis+sentinel://HOST:PORT,HOST:PORT/NAME/0",
    "sentinel": "this is a Sentinel, which keeps no data: write redis+sentinel://HOST:PORT,HOST:PORT/NAME/0, with the "
    "name that it has for the master",
}
_ADVICE: Final = "give the password in the URL: redis://:PASSWORD@HOST:PORT"


class UnsuitableServer(Exception):
    """The server cannot be used. The text says why, and what to do."""


async def look_at(redis: Redis, url: str) -> None:
    """Returns if the server answers and can be used. Raises `UnsuitableServer`, and the errors of redis-py."""
    asking = asyncio.ensure_future(redis.info("server"))
    try:
        await asyncio.wait([asking], timeout=_ANSWER_TIMEOUT_SECONDS)
        answered = asking.done() and asking.exception() is None
        if not answered and (advice := await _tls_advice(url)):
            raise UnsuitableServer(advice)
        info: dict[str, Any] = dict(await asking)
    except RedisError as error:
        if "authenticat" not in str(error) and "password" not in str(error):
            raise
        raise UnsuitableServer(f"the store cannot be reached: {error}; {_ADVICE}") from error
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    version = str(info.get("redis_version", "0"))
    if int(version.split(".", maxsplit=1)[0]) < _MIN_VERSION:
        raise UnsuitableServer(
            f"Redis {_MIN_VERSION}.0 or newer is needed, and this is {version}; name another one, or none"
        )
    mode = info.get("redis_mode", info.get("server_mode"))
    if mode in _REFUSED_MODES:
        raise UnsuitableServer(_REFUSED_MODES[mode])


async def _tls_advice(url: str) -> str:
    """Returns advice if a URL with TLS leads to a port without it, or the other way round; else an empty text."""
    scheme = urlsplit(url).scheme
    if SCHEMES.get(scheme, scheme) == "rediss":
        other, talks, talk = scheme.replace("rediss", "redis", 1), "talks without TLS there", _talks_plainly
    elif SCHEMES.get(scheme, scheme) == "redis":
        other, talks, talk = scheme.replace("redis", "rediss", 1), "talks TLS there", _talks_tls
    else:
        return ""
    try:
        places = addresses(url)
    except ValueError:  # the URL names no host, which redis-py takes for this machine
        return ""
    for host, port in places:
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(_TALK_SECONDS):
                if await talk(host, port):
                    return f"the store {talks}: write {other}:// instead of {scheme}://"
    return ""


async def _talks_plainly(host: str, port: int) -> bool:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(b"PING\r\n")
        return await reader.read(1) in {b"+", b"-"}
    finally:
        writer.transport.abort()


async def _talks_tls(host: str, port: int) -> bool:
    anybody = ssl.create_default_context()  # any certificate will do: nothing is sent, and connections check it later
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection(host, port, ssl=anybody)
    writer.transport.abort()  # an orderly end of TLS would wait for the server, with no use for anybody
    return True
