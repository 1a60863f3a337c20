"""The faults that strike a ladder, and their times: drawn from the seed alone, before anything runs."""

from __future__ import annotations

import random
from collections.abc import Collection
from typing import Final

from soak.chaos.schedule import Fault, Kind, between, drawn, no_time

__all__ = ["KINDS", "draw"]

KINDS: Final[dict[str, Kind]] = {
    "worker-kill": Kind(6, between(0.1, 6), "worker", "SIGKILL of a worker; the kernel ends its bots", "worker"),
    "worker-stop": Kind(2, between(0, 2), "worker", "SIGTERM of a worker, then started again", "worker"),
    "worker-freeze": Kind(4, between(1, 10), "worker", "SIGSTOP of a worker and its bots, 1 to 10 s", "worker"),
    "worker-hang": Kind(3, between(1, 10), "worker", "SIGSTOP of a worker, while its bots go on", "worker"),
    "arena-kill": Kind(3, between(0.1, 6), "arena", "SIGKILL of the arena", "arena"),
    "arena-stop": Kind(1, between(0, 2), "arena", "SIGTERM of the arena, then started again", "arena"),
    "arena-freeze": Kind(3, between(1, 20), "arena", "SIGSTOP of the arena, 1 to 20 s", "arena"),
    "service-kill": Kind(3, between(0.1, 5), "service", "SIGKILL of the service", "service"),
    "service-stop": Kind(1, between(0, 2), "service", "SIGTERM of the service, then started again", "service"),
    "service-freeze": Kind(2, between(1, 10), "service", "SIGSTOP of the service, 1 to 10 s", "service"),
    "store-kill": Kind(2, between(0.1, 4), "store", "SIGKILL of the service's Redis", "store"),
    "store-freeze": Kind(2, between(1, 8), "store", "SIGSTOP of the service's Redis, 1 to 8 s", "store"),
    "queue-kill": Kind(3, between(0.1, 4), "queue", "SIGKILL of the Redis of arena and workers", "queue"),
    "queue-freeze": Kind(3, between(1, 8), "queue", "SIGSTOP of that Redis, 1 to 8 s", "queue"),
    "queue-lost": Kind(2, no_time, "queue", "the queue forgets all its messages", "queue"),
    "reset": Kind(6, no_time, "cut", "RST of the connections of one link", "link"),
    "half-open": Kind(3, between(0.5, 6), "cut", "one end of them goes, the other learns nothing", "link"),
    "truncate": Kind(4, no_time, "cut", "they end in the middle of a message", "link"),
    "cut-off": Kind(3, between(0.5, 6), "flow", "nothing passes either way", "link"),
    "delay": Kind(2, between(0.5, 5), "flow", "every piece takes 0.02 to 0.3 s", "link"),
}
"""The catalogue. The links are those of arena and workers to the service and to their Redis, of the service to its own
Redis, and of the authors' own bots to the service.
"""

_REST: Final = {"worker": 6.0, "arena": 8.0, "service": 8.0, "store": 8.0, "queue": 8.0, "cut": 1.5, "flow": 4.0}
"""The time for which a target is left alone after a fault, in seconds; what is in motion is struck more often than what
stands.
"""


def draw(seed: str, seconds: float, per_minute: float, workers: int, links: int, kinds: Collection[str]) -> list[Fault]:
    """Returns the faults of a search that lasts that long. The same arguments give the same faults."""
    possible = {name: kind for name, kind in KINDS.items() if name in kinds}
    targets = {"worker": workers, "link": links}
    return drawn(random.Random(f"{seed}/ladder"), possible, seconds, per_minute, targets, _REST)
