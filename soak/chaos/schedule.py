"""The faults and their times: drawn from the seed alone, before anything runs."""

from __future__ import annotations

import fnmatch
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, NamedTuple

__all__ = ["DEPLOYMENTS", "KINDS", "Fault", "Kind", "between", "chosen", "draw", "drawn", "no_time"]

DEPLOYMENTS: Final = ("always", "everysec", "failover", "sentinel")
_LINKED: Final = ("always", "everysec", "failover")
"""The deployments with a proxy between replicas and Redis; Sentinels name the servers themselves."""


class Fault(NamedTuple):
    """A fault."""

    number: int
    at: float
    """The seconds from the beginning of the search."""
    kind: str
    target: int
    """The number of the replica, of its link, or of the Redis."""
    seconds: float
    """The time for which it lasts, in seconds; 0 for an instantaneous fault."""
    how: float
    """A number from 0 to 1 that decides all other choices."""

    def __str__(self) -> str:
        lasts = f" for {self.seconds:.1f} s" if self.seconds else ""
        return f"#{self.number} {self.kind} {self.target}{lasts} (how {self.how:.3f})"


class Kind(NamedTuple):
    """A kind of fault."""

    weight: float
    seconds: Callable[[random.Random], float]
    holds: str
    """The part of the target that it holds while it lasts. Faults that hold the same part of a target do not
    overlap.
    """
    text: str
    on: str = "replica"
    """The kind of target: `replica` (each in turn), or `redis` (one). Other catalogues have their own words."""
    deployments: Collection[str] = DEPLOYMENTS


def no_time(_: random.Random) -> float:
    """Returns 0, for an instantaneous fault."""
    return 0.0


def between(least: float, most: float) -> Callable[[random.Random], float]:
    """Returns a fault's duration in seconds: mostly short, sometimes long."""
    return lambda chance: round(least + (most - least) * chance.random() ** 3, 2)


KINDS: Final[dict[str, Kind]] = {
    "kill": Kind(3, between(0.1, 5), "process", "SIGKILL of a replica, down for a while"),
    "restart": Kind(3, between(0, 2), "process", "SIGTERM of a replica, then started again"),
    "freeze": Kind(4, between(1, 15), "process", "SIGSTOP of a replica, 1 to 15 s"),
    "redis-kill": Kind(2, between(0.1, 4), "redis", "SIGKILL of Redis", "redis"),
    "redis-restart": Kind(2, between(0, 2), "redis", "SIGTERM of Redis, then started again", "redis"),
    "redis-freeze": Kind(3, between(1, 15), "redis", "SIGSTOP of Redis, 1 to 15 s", "redis"),
    "redis-memory": Kind(2, between(0.5, 6), "redis", "maxmemory is reached, with noeviction", "redis"),
    "redis-disk": Kind(2, between(0.5, 5), "redis", "the disk of the AOF is full", "redis"),
    "redis-clock": Kind(2, no_time, "redis-clock", "the wall clock of Redis jumps, by up to an hour", "redis"),
    "pubsub": Kind(3, no_time, "redis", "all subscriptions are ended", "redis"),
    "power-cut": Kind(3, between(0.1, 3), "redis", "Redis dies with its last second", "redis", ("everysec",)),
    "failover": Kind(
        12,
        between(0, 3),
        "redis",
        "a replica of Redis takes over, one that lags, or by Sentinel",
        "redis",
        ("failover", "sentinel"),
    ),
    "rolling": Kind(1, no_time, "rolling", "SIGTERM of each replica, of the next once that one serves again", "redis"),
    "child-kill": Kind(3, no_time, "child", "SIGKILL of one of the processes of a replica that has several"),
    "child-freeze": Kind(2, between(1, 10), "child", "SIGSTOP of one of them, 1 to 10 s"),
    "reset": Kind(6, no_time, "store-cut", "RST of a replica's connections to Redis", deployments=_LINKED),
    "reset-idle": Kind(5, no_time, "store-cut", "RST of those of them that are idle", deployments=_LINKED),
    "half-open": Kind(
        4, between(0.5, 10), "store-cut", "one end of them goes, the other learns nothing", deployments=_LINKED
    ),
    "truncate": Kind(5, no_time, "store-cut", "they end in the middle of a message", deployments=_LINKED),
    "one-way": Kind(
        4, between(0.5, 10), "store-flow", "nothing passes one way between replica and Redis", deployments=_LINKED
    ),
    "cut-off": Kind(2, between(0.5, 10), "store-flow", "nothing passes either way between them", deployments=_LINKED),
    "delay": Kind(
        4, between(0.5, 10), "store-flow", "every piece between them takes 0.05 to 2.5 s", deployments=_LINKED
    ),
    "slow-store": Kind(
        1, between(20, 300), "store-slow", "Redis answers in 0.2 to 2 s, up to 5 minutes", "redis", _LINKED
    ),
    "bot-reset": Kind(3, no_time, "bot-cut", "RST of the bots' connections to a replica"),
    "bot-half-open": Kind(2, between(0.3, 2.5), "bot-cut", "one end of them goes, the other learns nothing"),
    "bot-truncate": Kind(3, no_time, "bot-cut", "they end in the middle of a message"),
    "bot-one-way": Kind(2, between(0.3, 2.5), "bot-flow", "nothing passes one way between bots and a replica"),
    "bot-delay": Kind(2, between(0.5, 5), "bot-flow", "every piece between them takes 0.02 to 0.3 s"),
    "archive-disk": Kind(3, between(0.5, 8), "archive", "the disk of the archive is full", "redis"),
    "clock": Kind(4, no_time, "clock", "a replica's wall clock jumps, by up to an hour"),
}
"""The catalogue."""
_REST: Final = {
    "pubsub": 0.5,
    "process": 4.0,
    "redis": 5.0,
    "bot-cut": 1.5,
    "bot-flow": 3.0,
    "redis-clock": 8.0,
    "rolling": 30.0,
    "child": 4.0,
    "store-slow": 30.0,
    "clock": 4.0,
}
"""The time for which a target is left alone after a fault, in seconds, by the kind of the fault or by what it holds."""
_DRAWS_PER_FAULT: Final = 1.4
"""The average number of draws for each fault that finds its target free."""


def chosen(only: Sequence[str], without: Sequence[str], catalogue: Mapping[str, Kind] = KINDS) -> set[str]:
    """Returns the kinds that match patterns. Raises ValueError for a pattern that matches none."""
    for pattern in (*only, *without):
        if not fnmatch.filter(catalogue, pattern):
            raise ValueError(f"no kind of fault is called {pattern!r}; there are: {', '.join(catalogue)}")
    found = {kind for pattern in only or ["*"] for kind in fnmatch.filter(catalogue, pattern)}
    return found - {kind for pattern in without for kind in fnmatch.filter(catalogue, pattern)}


def draw(
    seed: str, deployment: str, seconds: float, per_minute: float, replicas: int, kinds: Collection[str]
) -> list[Fault]:
    """Returns the faults of a search of that length. Equal arguments give equal faults."""
    chance = random.Random(f"{seed}/{deployment}")
    possible = {name: kind for name, kind in KINDS.items() if name in kinds and deployment in kind.deployments}
    return drawn(chance, possible, seconds, per_minute, {"replica": replicas}, _REST)


def drawn(
    chance: random.Random,
    possible: Mapping[str, Kind],
    seconds: float,
    per_minute: float,
    targets: Mapping[str, int],
    rests: Mapping[str, float],
) -> list[Fault]:
    """Returns faults of the kinds of a catalogue. `targets` has the number of targets of each kind; for other kinds
    there is one.

    `rests` has the seconds for which a target is left alone, by the kind of the fault or by what the kind holds.
    """
    names, weights = list(possible), [kind.weight for kind in possible.values()]
    faults: list[Fault] = []
    held: dict[tuple[str, int], float] = {}
    at = min(1.0, seconds / 4)
    while names and at < seconds:
        name = chance.choices(names, weights)[0]
        kind = possible[name]
        target = chance.randrange(targets[kind.on]) if kind.on in targets else 0
        lasts, draw_share = kind.seconds(chance), chance.random()
        # All numbers are drawn before anything is decided, so that leaving one out does not change the others.
        if held.get((kind.holds, target), 0.0) <= at:
            lasts = round(min(lasts, max(1.0, seconds - at)), 2)
            held[kind.holds, target] = at + lasts + rests.get(name, rests.get(kind.holds, 0.5))
            faults.append(Fault(len(faults) + 1, round(at, 2), name, target, lasts, draw_share))
        at += chance.expovariate(_DRAWS_PER_FAULT * per_minute / 60)
    return faults
