"""The workers of an arena: each reports on itself every few seconds.

```
fudaba-arena:workers            by worker: when it said so, by the store's clock, and what (hash)
fudaba-arena:worker-hosts       by worker: its host, what waits there, and by which cause it is stopped (hash)
fudaba-arena:contents:DIGEST    what is in a runtime of a worker; forgotten when no worker has had it for a long time
fudaba-arena:isolation:WORKER   in what it runs submitted bots; forgotten in the same way
```

An arena of an earlier release rejects a worker's note with unknown fields, so new fields have keys of their own. From
this release on, unknown fields are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final, final

from redis.asyncio import Redis

from fudaba_arena.forms import BadStored, readable
from fudaba_arena.store.answers import answer, read_often, unavailable
from fudaba_arena.store.workers.runtimes import KnownRuntime
from fudaba_arena.tournament.limits import LIMITS
from fudaba_serving.redis.pipelining import Pipelined
from fudaba_serving.redis.reading import by_field

__all__ = [
    "BUBBLEWRAP",
    "CONTENTS_SECONDS",
    "HOST_FAILS",
    "LATE",
    "PLAYING",
    "REMOTE",
    "STOPPED",
    "UNREADABLE",
    "Isolation",
    "KnownWorker",
    "StopReason",
    "Workers",
    "address_of",
    "profile_of",
]

PLAYING: Final = "playing"
STOPPED: Final = "stopped"
"""The worker plays nothing at the moment; `StopReason` says why."""

LATE: Final = "late"
"""The cause of a worker that stopped because bots lose time there."""
HOST_FAILS: Final = "host"
"""The cause of a worker that stopped because its host cannot start bots."""
UNREADABLE: Final = "unreadable"
"""The cause of a worker whose report this release cannot read."""

BUBBLEWRAP: Final = "bubblewrap"
"""The mode of isolation in which a relay lets a bot reach its seat and nothing else."""
REMOTE: Final = "remote"
"""The isolation mode of remote bots."""
CONTENTS_SECONDS: Final = 7 * 86_400
_KEY: Final = "fudaba-arena:workers"
_HOSTS: Final = "fudaba-arena:worker-hosts"
_UNREADABLE_SECONDS: Final = 3_600.0
"""The assumed heartbeat of a worker that cannot be read: it counts as alive for this long."""
_TIME: Final = re.compile(rb"[0-9]{1,15}")
"""The time of a note, in milliseconds since 1970."""
_PROFILE_DIGITS: Final = 12
_HOST_DIGITS: Final = 12
_CONTENTS: Final = "fudaba-arena:contents:"
_ISOLATION: Final = "fudaba-arena:isolation:"


@final
@dataclass(frozen=True, slots=True, order=True)
class Isolation:
    """A worker's isolation of submitted bots."""

    mode: str = ""
    """The mode, as in `SeatUse.sandbox`; empty if it is unknown, or the worker runs no submitted bots."""
    version: str = ""
    """The version of the sandbox; empty if it has none."""
    enforces: tuple[str, ...] = ()
    """The sorted names of the enforced rules; empty for a worker of an earlier release, which does not tell. See
    `BotLimits.rules`.
    """

    @classmethod
    def from_stored(cls, said: bytes) -> Isolation:
        """Reads a worker's stored report."""
        known = _known(cls, said)
        return cls(**known | {"enforces": tuple(known.get("enforces", ()))})

    def not_enforced(self, rules: Collection[str]) -> tuple[str, ...]:
        """Returns which of some rules are not enforced on bots.

        For a worker that does not tell, these are the rules that earlier releases do not know.
        """
        if self.mode == REMOTE:
            return ()
        held = self.enforces or LIMITS.keys()
        return tuple(rule for rule in rules if rule not in held)


@final
@dataclass(frozen=True, slots=True)
class StopReason:
    """The reason why a worker is stopped, without words; the text is `KnownWorker.why`."""

    cause: str = ""
    """`LATE`, `HOST_FAILS`, or `UNREADABLE`; empty for a worker that is not stopped, or of an earlier release."""
    late_seconds: int = 0
    """The number of seconds in which a bot that answers at once elsewhere was late."""
    seen_seconds: int = 0
    """The number of seconds in which such a bot answered."""
    longest_seconds: float = 0.0
    """The longest time that such an answer took."""


@final
@dataclass(frozen=True, slots=True)
class KnownWorker:
    """A worker, from its own report."""

    name: str
    state: str
    """`playing`, even if there is nothing to play, or `stopped`."""
    why: str
    """The reason why it is stopped; empty if it is not."""
    blocks: int
    """The number of blocks in play."""
    most_blocks: int
    """The highest number of blocks that it plays at once."""
    seats: int
    """The number of seats in play of bots that it started."""
    most_seats: int
    heartbeat_seconds: float
    """The silence after which it counts as dead."""
    runtimes: tuple[KnownRuntime, ...] = ()
    """The runtimes of submitted bots, without their contents; empty if it runs none."""
    silent_seconds: float = 0.0
    """The time since its report."""

    commands: bool = False
    """Whether it starts bots that tournaments give as a command."""
    isolation: Isolation = Isolation()
    """The isolation; empty for a worker of an earlier release, which does not tell."""
    host: str = ""
    """The host that it runs on. Workers on one host share caches. Empty if the host is unknown."""
    waiting: int = 0
    """The number of matches that could begin there but wait for room."""
    stopped_by: StopReason = StopReason()
    """The reason in numbers why it is stopped. A worker of an earlier release has no cause."""

    @property
    def meets(self) -> frozenset[str]:
        """The needs of submitted bots that it meets, in the form of `needs_of`."""
        return frozenset(needs for runtime in self.runtimes for needs in runtime.meets)

    @property
    def profile(self) -> str:
        """A name shared by workers that can run the same submitted bots."""
        return profile_of(self.runtimes)

    @property
    def address(self) -> str:
        """A name shared by workers of a profile on one host; empty if the host is unknown."""
        return address_of(self.profile, self.host)

    @property
    def has_room(self) -> bool:
        """Whether it takes blocks now and has room for a bot in another seat."""
        return self.state == PLAYING and self.blocks < self.most_blocks and self.seats < self.most_seats

    @property
    def dead(self) -> bool:
        """Whether it has been silent for too long."""
        return self.silent_seconds > self.heartbeat_seconds

    @property
    def state_name(self) -> str:
        """Its state, or `dead`."""
        return "dead" if self.dead else self.state


@final
class Workers:
    """The workers that have reported, and what each said last."""

    def __init__(self, redis: Redis, pipelined: Pipelined) -> None:
        self._redis = redis
        self._pipelined = pipelined
        self._note = redis.register_script((files("fudaba_arena.store.workers") / "note_worker.lua").read_text())

    async def note(self, worker: KnownWorker) -> None:
        """Notes a worker's report."""
        said = asdict(replace(worker, runtimes=())) | {"runtimes": [runtime.fields() for runtime in worker.runtimes]}
        del said["name"], said["silent_seconds"], said["isolation"]
        of_host = json.dumps({part: said.pop(part) for part in ("host", "waiting", "stopped_by")})
        await answer(self._note(keys=[_KEY, _HOSTS], args=[worker.name, json.dumps(said), of_host]))

    async def all(self) -> list[KnownWorker]:
        """Reads all workers that have not left, by name.

        A worker that cannot be read is shown as stopped, with the reason, and as dead after long silence.
        """
        said, of_hosts, (seconds, micros) = await read_often(
            self._pipelined, ("HGETALL", _KEY), ("HGETALL", _HOSTS), ("TIME",)
        )
        found, hosts = by_field(said), by_field(of_hosts)
        now = int(seconds) + int(micros) / 1e6
        names = sorted(name.decode() for name in found)
        isolations = await answer(self._redis.mget([_ISOLATION + name for name in names])) if names else []
        return [
            _read(name, found[name.encode()], hosts.get(name.encode(), b"{}"), isolation, now)
            for name, isolation in zip(names, isolations, strict=True)
        ]

    async def publish(self, name: str, isolation: Isolation, runtimes: Collection[KnownRuntime]) -> None:
        """Publishes a worker's isolation and runtimes. Repeat it within `CONTENTS_SECONDS`."""
        with unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for runtime in runtimes:
                    pipeline.set(_CONTENTS + runtime.digest, runtime.contents_text(), ex=CONTENTS_SECONDS)
                if isolation.mode:
                    pipeline.set(_ISOLATION + name, json.dumps(asdict(isolation)), ex=CONTENTS_SECONDS)
                await answer(pipeline.execute())

    async def contents(self, runtimes: Collection[KnownRuntime]) -> list[KnownRuntime]:
        """Adds the known contents to runtimes."""
        if not runtimes:
            return []
        found = await answer(self._redis.mget([_CONTENTS + runtime.digest for runtime in runtimes]))
        texts = {
            runtime.digest: text.decode() for runtime, text in zip(runtimes, found, strict=True) if text is not None
        }
        return [KnownRuntime.read(runtime.fields(), texts) for runtime in runtimes]

    async def forget(self, names: Collection[str]) -> None:
        """Removes workers from the list: they have stopped in order, or are long dead."""
        if names:
            await answer(self._redis.hdel(_KEY, *names))
            await answer(self._redis.hdel(_HOSTS, *names))
            await answer(self._redis.delete(*(_ISOLATION + name for name in names)))


def profile_of(runtimes: Collection[KnownRuntime]) -> str:
    """Returns a short name for workers with such runtimes."""
    meets = sorted({needs for runtime in runtimes for needs in runtime.meets})
    return sha256(" ".join(meets).encode()).hexdigest()[:_PROFILE_DIGITS]


def address_of(profile: str, host: str) -> str:
    """Returns a short name for workers of a profile on a host; empty without a host."""
    return f"{profile}-at-{sha256(host.encode()).hexdigest()[:_HOST_DIGITS]}" if host else ""


def _read(name: str, noted: bytes, of_host: bytes, isolation: bytes | None, now: float) -> KnownWorker:
    try:
        with readable(f"what worker {name} says of itself"):
            said_ms, _, said = noted.decode().partition("\n")
            values = _known(KnownWorker, said) | _known(KnownWorker, of_host)
            values["runtimes"] = tuple(
                KnownRuntime.read(runtime_fields) for runtime_fields in values.get("runtimes", ())
            )
            values["isolation"] = Isolation.from_stored(isolation or b"{}")
            values["stopped_by"] = StopReason(**_known(StopReason, json.dumps(values.get("stopped_by", {}))))
            return KnownWorker(name, **values, silent_seconds=max(0.0, now - int(said_ms) / 1000))
    except BadStored as error:
        noted_ms = _TIME.fullmatch(noted.partition(b"\n")[0])
        silent_seconds = max(0.0, now - int(noted_ms[0]) / 1000) if noted_ms is not None else 0.0
        unreadable = KnownWorker(name, STOPPED, str(error), 0, 0, 0, 0, _UNREADABLE_SECONDS)
        return replace(unreadable, silent_seconds=silent_seconds, stopped_by=StopReason(UNREADABLE))


def _known(kind: type[KnownWorker | Isolation | StopReason], said: str | bytes) -> dict[str, Any]:
    """Selects from a worker's report what this release knows."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in json.loads(said).items() if name in names}
