"""Lists the matches in a copy of a store, which shows that the copy can be loaded."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import redis

from fudaba_service.backup.container import BackupError
from fudaba_service.store import keys
from fudaba_serving.redis.store_commands import StoreCopyError
from fudaba_serving.redis.store_copy import served_copy

__all__ = ["CopiedStore", "examine"]


class CopiedStore(NamedTuple):
    """The contents of a copy of a store."""

    live: frozenset[str]
    """The ids of the matches that are live, or over but not yet archived."""
    over: frozenset[str]
    """The ids of the recently archived matches."""
    service: str
    """The id of the service whose store it is; empty for an arena's store."""
    bots: frozenset[str]
    accounts: frozenset[str]


def examine(copy: Path) -> CopiedStore:
    """Loads a copy with a separate server, and lists what is in it. Raises `BackupError`."""
    live: set[str] = set()
    over: set[str] = set()
    try:
        with served_copy(copy) as url, closing(redis.Redis.from_url(url, socket_timeout=30)) as client:
            service: Any = client.get(keys.SERVICE)
            bots, accounts = (_names(client, key) for key in (keys.BOTS, keys.ACCOUNTS))
            for bucket in range(keys.BUCKETS_COUNT):
                found: Any = client.zrange(keys.live(bucket), 0, -1)
                live.update(match_id.decode() for match_id in found)
                prefix = keys.gone(bucket, "")
                pattern = prefix.replace("{", "\\{") + "*"
                over.update(key.decode().removeprefix(prefix) for key in client.scan_iter(match=pattern, count=1000))
    except (StoreCopyError, redis.RedisError) as error:
        raise BackupError(str(error)) from error
    name = (service or b"").decode(errors="replace")
    return CopiedStore(frozenset(live), frozenset(over), name, bots, accounts)


def _names(client: redis.Redis, key: str) -> frozenset[str]:
    found: Any = client.hkeys(key)
    return frozenset(name.decode(errors="replace") for name in found)
