"""What workers say of themselves, and what an arena of another release makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from redis.asyncio import Redis

from fudaba_arena.store.data_folder import open_to_play
from fudaba_arena.store.workers.known_workers import PLAYING, REMOTE, Isolation, KnownWorker
from fudaba_arena.store.workers.runtimes import KnownRuntime
from fudaba_arena.tournament.limits import CORES_PER_SEAT, LIMITS, PONDER, BotLimits

PYTHON: Final = KnownRuntime.with_contents("python-3.13", "python", "3.13", "", [("python", "3.13")])
BEFORE: Final = {
    "state", "why", "blocks", "most_blocks", "seats", "most_seats", "heartbeat_seconds", "runtimes", "commands"
}  # fmt: skip
"""What the release before this one reads; anything beside it keeps its arena from reading any worker."""


def known(name: str, isolation: Isolation) -> KnownWorker:
    return KnownWorker(name, PLAYING, "", 0, 8, 0, 8, 15.0, (PYTHON,), isolation=isolation)


async def test_an_arena_knows_in_what_each_worker_runs_bots_until_that_leaves(tmp_path: Path) -> None:
    bubblewrap = Isolation("bubblewrap", "0.8.0")
    async with open_to_play(tmp_path, None, print) as home:
        workers = home.store.workers
        for name, isolation in (("a", bubblewrap), ("b", Isolation())):
            await workers.publish(name, isolation, [PYTHON])
            await workers.note(known(name, isolation))
        assert [(worker.name, worker.isolation) for worker in await workers.all()] == [
            ("a", bubblewrap),
            ("b", Isolation()),
        ]
        await workers.forget(["a"])
        await workers.note(known("a", bubblewrap))
        assert [(worker.name, worker.isolation) for worker in await workers.all()] == [
            ("a", Isolation()),
            ("b", Isolation()),
        ]


async def test_releases_before_and_after_this_one_read_its_workers_and_it_reads_theirs(tmp_path: Path) -> None:
    async with (
        open_to_play(tmp_path, None, print) as home,
        Redis.from_url(home.store.url, decode_responses=True) as redis,
    ):
        workers = home.store.workers
        new = Isolation("pods", "gvisor", ("cores", "memory"))
        await workers.publish("new", new, [PYTHON])
        await workers.note(known("new", new))
        [noted] = map(str, (await redis.hgetall("fudaba-arena:workers")).values())
        said = json.loads(noted.partition("\n")[2])
        assert said.keys() == BEFORE
        later = json.dumps(said | {"of_a_later_release": 1})
        await redis.hset("fudaba-arena:workers", "later", f"{noted.partition(chr(10))[0]}\n{later}")
        await redis.set("fudaba-arena:isolation:later", json.dumps({"mode": "runsc", "kernel": "6.1"}))
        await redis.hset("fudaba-arena:workers", "before", noted)
        found = {worker.name: worker.isolation for worker in await workers.all()}
        assert found == {"new": new, "later": Isolation("runsc"), "before": Isolation()}


async def test_what_earlier_releases_do_not_know_is_not_enforced_by_workers_that_do_not_tell(tmp_path: Path) -> None:
    async with (
        open_to_play(tmp_path, None, print) as home,
        Redis.from_url(home.store.url, decode_responses=True) as redis,
    ):
        workers = home.store.workers
        isolation = Isolation("bubblewrap", "0.8.0", tuple(sorted({*LIMITS, CORES_PER_SEAT, PONDER})))
        for name in ("of this release", "of an earlier release"):
            await workers.publish(name, isolation, [PYTHON])
            await workers.note(known(name, isolation))
        earlier = json.dumps({"mode": "bubblewrap", "version": "0.8.0"})
        await redis.set("fudaba-arena:isolation:of an earlier release", earlier)
        found = {worker.name: worker.isolation for worker in await workers.all()}
    rules = BotLimits(cores_per_seat=1.0, ponder=False).rules(keeps=False)
    assert found["of this release"].not_enforced(rules) == ()
    for silent in (found["of an earlier release"], Isolation()):
        assert silent.not_enforced(rules) == (CORES_PER_SEAT, PONDER)
        assert silent.not_enforced(BotLimits().rules(keeps=True)) == ()
    assert Isolation(REMOTE).not_enforced(rules) == ()
