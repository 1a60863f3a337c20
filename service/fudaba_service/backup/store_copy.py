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

__all__ = ["CopiedMatches", "examine"]


class CopiedMatches(NamedTuple):
    """The matches in a copy of a store."""

    live: frozenset[str]
    """The ids of the matches that are live, or over but not yet archived."""
    over: frozenset[str]
    """The ids of the recently archived matches."""
    service: str
    """The id of the service whose store it is; empty for an arena's store."""


def examine(copy: Path) -> CopiedMatches:
    """Loads a copy with a separate server, and lists its matches. Raises `BackupError`."""
    live: set[str] = set()
    over: set[str] = set()
    try:
        with served_copy(copy) as url, closing(redis.Redis.from_url(url, socket_timeout=30)) as client:
            service: Any = client.get(keys.SERVICE)
            for bucket in range(keys.BUCKETS_COUNT):
                found: Any = client.zrange(keys.live(bucket), 0, -1)
                live.update(match_id.decode() for match_id in found)
                prefix = keys.gone(bucket, "")
                pattern = prefix.replace("{", "\\{") + "*"
                over.update(key.decode().removeprefix(prefix) for key in client.scan_iter(match=pattern, count=1000))
    except (StoreCopyError, redis.RedisError) as error:
        raise BackupError(str(error)) from error
    return CopiedMatches(frozenset(live), frozenset(over), (service or b"").decode(errors="replace"))
