"""A stored value that the arena cannot read marks its own row: everything else is listed, played and started."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from redis import Redis

from fudaba.v1 import arena_pb2, submissions_pb2
from tests.support.arena.commands.tournaments import RANDOM, SENSIBLE, head
from tests.support.arena.front.ladders import call
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.service.processes import RedisServer, short_folder

LISTED = "fudaba-arena:tournaments"


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with short_folder() as place, RedisServer(place) as server:
        server.start()
        yield server


def names(arena: Arena) -> set[str]:
    found = call(arena, "ListTournaments", arena_pb2.ListTournamentsRequest(), "")
    return {one.name for one in found.tournaments}


def damage(store: Redis, name: str, like: str, **changes: object) -> None:
    """Stores a tournament as no release of today has it."""
    raw = json.loads(store.get(f"fudaba-arena:{{{like}}}:tournament") or b"")
    raw["definition"] |= changes
    store.set(f"fudaba-arena:{{{name}}}:tournament", json.dumps(raw))
    store.sadd(LISTED, name)


@pytest.mark.exhaustive
def test_what_cannot_be_read_marks_its_own_row_and_all_else_stays_up(hosted: Service, redis: RedisServer) -> None:
    with standing(hosted, "--redis", redis.url) as arena, Redis.from_url(redis.url) as store:
        arena.create(head("fine", blocks=1) + SENSIBLE + RANDOM, paused=True)
        damage(store, "no-bot", "fine", **{"bot sensible": {"builtin": "sensible"}})
        store.set("fudaba-arena:{no-json}:tournament", "{")
        store.sadd(LISTED, "no-json")
        broken = {"no-bot", "no-json"}
        assert names(arena) & (broken | {"fine"}) == {"fine"}
        assert "tournament no-bot is stored as this release cannot read it (KeyError: 'stateless')" in arena.output

        store.hset("fudaba-arena:{.submissions}:one:s-1", mapping={"what": "{}", "fingerprint": "x"})
        store.zadd("fudaba-arena:{.submissions}:all", {"s-1:ann": 1})
        rows = call(arena, "ListSubmissions", submissions_pb2.ListSubmissionsRequest()).submissions
        assert [one.submission_id for one in rows] == ["s-1"]
        assert "a submission is stored without" in rows[0].message

        assert arena.stop() == 0
        arena.start()
        assert names(arena) & (broken | {"fine"}) == {"fine"}
        where = ["arena", "unreadable", "--data", str(arena.folder / "data"), "--redis", redis.url]
        told = arena.command(*where)
        assert told.returncode == 1
        assert all(f"{name}: " in told.stdout for name in (*broken, "submission s-1"))
        assert "fine: " not in told.stdout
        for name in broken:
            assert arena.command(*where, "--put-aside", name).returncode == 0
        assert not {name.encode() for name in broken} & store.smembers(LISTED)
        assert store.exists("fudaba-arena:{no-bot}:tournament"), "nothing of it is removed"
        assert arena.command(*where, "--put-aside", "fine").returncode == 1
