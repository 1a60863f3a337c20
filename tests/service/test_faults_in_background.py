"""An error that nobody foresaw fails the one operation in which it was, loudly, and never the process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError

from fudaba.v1 import record_pb2
from fudaba_games.registry import game
from fudaba_service.archive import Archive
from fudaba_service.house.seats import House
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.sessions import host as hosting
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.roster import Roster
from fudaba_service.store import Append, Store, StoredMatch, keys, match_keys
from tests.support.patience import PATIENCE, until
from tests.support.service.in_progress import match_in_progress
from tests.support.service.organiser import PATIENT, Organiser
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy
from tests.support.service.stores import append, created, opened


@pytest.mark.exhaustive
async def test_a_service_outlives_the_resets_of_its_idle_connections(folder: Path, redis: RedisServer) -> None:
    async with Proxy(redis.port).run() as proxy:
        with Service(folder, "--redis", f"redis://{proxy.address}/0") as service:
            await asyncio.to_thread(service.start)
            async with (
                Organiser(service.address, service.token) as organiser,
                match_in_progress(organiser, [service.address]) as match,
            ):
                for _ in range(10):
                    decided = match.decided
                    proxy.reset()
                    await until(lambda decided=decided: match.decided > decided + 1 or not service.running)  # type: ignore[misc]  # the loop's
                    assert service.running, service.log
                await match.check(organiser)
            assert "Traceback" not in service.log, service.log
            assert service.terminate() == 0, service.log


@contextlib.asynccontextmanager
async def running(folder: Path, redis: RedisServer) -> AsyncIterator[Host]:
    """Yields a host that runs."""
    metrics = Metrics()
    archive = Archive(folder / "archive")
    await archive.prepare()
    store = Store(redis.url, "one", metrics)
    await store.connect()
    host = Host(store, archive, metrics, House())
    await host.prepare()
    task = asyncio.create_task(host.run())
    try:
        yield host
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await host.close()
        await store.close()


TASKS = {
    "news": ("open_matches", "heard"),
    "beat": ("store.silence", "heard"),
    "look": ("store.index", "overdue"),
    "store_memory": ("metrics", "store_uses"),
    "open_matches": ("store.open_matches", "all"),
}


def task_errors(host: Host, task: str) -> float:
    value = host.metrics.registry.get_sample_value("fudaba_task_errors_total", {"task": task})
    return value or 0.0


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", TASKS)
async def test_a_background_task_in_which_something_goes_wrong_is_restarted(
    folder: Path, redis: RedisServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, task: str
) -> None:
    monkeypatch.setattr(hosting, "_WEIGHING_SECONDS", 0.05)
    async with running(folder, redis) as host:
        owner: Any = attrgetter(TASKS[task][0])(host)
        name = TASKS[task][1]
        calls: list[object] = []
        real = getattr(type(owner), name)

        def spoilt(_: Any, *arguments: Any, **named: Any) -> Any:
            calls.append(arguments)
            if len(calls) == 1:
                raise TypeError("what nobody foresaw")
            return real(owner, *arguments, **named)

        monkeypatch.setattr(type(owner), name, spoilt)

        async def called_again() -> None:
            while len(calls) < 2:
                if task == "news":
                    await host.store.replicas.tell("open nothing")
                await asyncio.sleep(0.02)

        async with asyncio.timeout(PATIENCE):
            await called_again()
        assert task_errors(host, task) == 1
    errors = [record for record in caplog.records if "unexpected error in the background task" in record.getMessage()]
    assert [record.levelname for record in errors] == ["ERROR"]
    assert errors[0].exc_info is not None


async def test_a_listener_that_is_begun_again_says_that_it_may_have_missed_something(
    folder: Path, redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    gaps: list[None] = []
    monkeypatch.setattr(Roster, "missed_news", lambda _: gaps.append(None))
    async with running(folder, redis) as host:
        await until(lambda: gaps, "the listener listens")
        before = len(gaps)
        await host.store.replicas.tell("offer without what it should have")
        await until(lambda: len(gaps) > before and task_errors(host, "news"), "the listener listens again")
        assert task_errors(host, "news") == 1


async def test_an_entry_that_the_store_refuses_does_not_keep_other_matches_waiting(redis: RedisServer) -> None:
    async with opened(redis.url) as store:
        good, bad = await created(store), await created(store)
        with redis.client() as client:
            client.set(match_keys(bad).log, "no list")
        refused = asyncio.ensure_future(append(store, bad, [], b"entry"))
        for number in range(20):
            known = [b"entry %d" % n for n in range(number)]
            assert await append(store, good, known, b"entry %d" % number) == 1
        assert store.commits.available
        assert not refused.done()
        with redis.client() as client:
            client.delete(match_keys(bad).log)
        assert await refused == 1
        await store.commits.drained()


async def test_an_entry_that_is_cut_off_while_refused_ones_are_found_is_sent_again_and_no_error(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(redis.url) as store:
        run_script = store.commits._run_script
        tries = iter([ResponseError("MISCONF the disk is full"), None, RedisConnectionError("Connection closed")])

        async def run(command: bytes) -> Any:
            if (error := next(tries, None)) is not None:
                raise error
            return await run_script(command)

        match_ids = [await created(store) for _ in range(3)]
        monkeypatch.setattr(store.commits, "_run_script", run)
        for match_id in match_ids:
            keys_of_match = match_keys(match_id).for_append()
            store.commits.submit(Append(match_id, 0, b"", [b"entry"], 0, b"", lambda _: None, keys_of_match))
        await store.commits.drained()
        assert next(tries, "all were made") == "all were made"
        for match_id in match_ids:
            assert (await store.matches.load(match_id, follow=False)).entries == [b"entry"]
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_an_append_that_cannot_be_sent_does_not_keep_other_matches_waiting(redis: RedisServer) -> None:
    async with opened(redis.url) as store:
        good, bad = await created(store), await created(store)
        nothing: Any = None
        spoilt = Append(bad, 0, b"", [nothing], 0, b"", lambda _: None, match_keys(bad).for_append())
        store.commits.submit(spoilt)
        assert await append(store, good, [], b"entry") == 1
        spoilt.entries = [b"entry"]
        await store.commits.drained()
        assert (await store.matches.load(bad, follow=False)).entries == [b"entry"]


async def test_a_match_that_cannot_be_looked_after_does_not_keep_others_waiting(
    folder: Path, redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(folder, redis) as host:
        with redis.client() as client:
            client.hset(keys.OPEN, "a-first-one", b"no table")
            for match_id in ("a-spoilt-one", "b-gone-one"):
                k = match_keys(match_id)
                client.zadd(k.deadlines, {match_id: 1})
            client.hset(
                match_keys("a-spoilt-one").meta, mapping={"header": b"\xff", "seed": b"", "salt": b"", "state": 1}
            )
        spoilt = "a-spoilt-one"

        def postponed() -> bool:
            with redis.client() as client:
                at: Any = client.zscore(match_keys(spoilt).deadlines, spoilt)
                return bool(at and at > 1)

        await until(postponed, "the match is put off")
        assert task_errors(host, "look") >= 1
        await until(lambda: "a-first-one with open seats is left alone" in caplog.text)
        assert task_errors(host, "open_matches") == 0


async def house_match(redis: RedisServer, match_id: str) -> None:
    """Stores a live match of a house bot, as a replica does that has gone since."""
    players = [record_pb2.Player(bot="house-first", version="1"), record_pb2.Player(bot="somebody", version="1")]
    header = record_pb2.MatchHeader(
        match_id=match_id, game="naga", rules_version=game("naga").rules_version, players=players, clock=PATIENT
    )
    async with opened(redis.url) as store:
        header.create_time.FromMilliseconds(store.now_ms())
        await store.index.offer(match_id, ["house-first/1", "somebody/1"])
        stored = StoredMatch(header.SerializeToString(), b"seed" * 8, b"salt" * 4, [])
        assert await store.matches.create(match_id, store.now_ms(), store.now_ms() + 3_600_000, stored)


@pytest.mark.exhaustive
async def test_a_house_bots_match_that_cannot_be_read_does_not_keep_the_others_waiting(
    folder: Path, redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    await house_match(redis, "b-good-one")
    with redis.client() as client:
        client.hset(match_keys("a-spoilt-one").meta, mapping={"header": b"\xff", "seed": b"", "salt": b"", "state": 1})
        client.set(match_keys("a-wrong-one").meta, "no match")
        client.sadd(keys.bot_matches("house-first/1"), "a-spoilt-one", "a-wrong-one")
    async with running(folder, redis) as host:
        await until(lambda: host.live.held("b-good-one"), "the match that can be read is held")
        assert "match a-spoilt-one of a house bot cannot be held" in caplog.text
        assert task_errors(host, "house") == 2


async def test_house_bots_matches_are_looked_for_until_the_store_answers(folder: Path, redis: RedisServer) -> None:
    await house_match(redis, "good-one")
    with redis.client() as typed:
        client: Any = typed
        client.execute_command("ACL", "SETUSER", "default", "-smembers")
        async with running(folder, redis) as host:
            await until(lambda: client.execute_command("ACL", "LOG"), "the store does not say which matches there are")
            assert host.live.held("good-one") is None
            client.execute_command("ACL", "SETUSER", "default", "+smembers")
            await until(lambda: host.live.held("good-one"), "the match is held")
