"""A store that comes back without its data under a service that runs: nobody is served, nothing is written to it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from fudaba_service.store import Store, StoreLost, keys
from fudaba_service.store.beats import Beats
from fudaba_service.store.shared_time import SharedTime
from tests.support.patience import PATIENCE, until
from tests.support.service.bots import Stream
from tests.support.service.descendants import descendants
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.finished import finished
from tests.support.service.organiser import Organiser, check_refusal, refused
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy
from tests.support.service.stores import append, created, emptied, log, opened


@pytest.fixture
async def store(server: RedisServer) -> AsyncIterator[Store]:
    """Yields an empty store."""
    async with emptied(server) as opened_store:
        yield opened_store


def replica_pid(service: Service, number: int) -> int:
    """Returns the process id of one of the processes of a service; 0 while it does not run."""
    for pid in descendants(service.pid):
        with suppress(OSError):  # gone
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if words[-3:-1] == [b"fudaba_service.processes.replica", str(number).encode()]:
                return pid
    return 0


async def kill_replica(service: Service, number: int) -> None:
    """Kills one of the processes of a service, once it runs."""
    await until(lambda: replica_pid(service, number) != 0)
    pid = replica_pid(service, number)
    assert pid
    os.kill(pid, signal.SIGKILL)


def health(service: Service) -> str:
    """Returns what is said of a service that does not serve; empty of one that does."""
    done = CliRunner().invoke(cli, ["health", "--server", service.address])
    assert done.exit_code in {0, 1}
    return done.stderr if done.exit_code else ""


def lost(store: Store) -> bool:
    return store.lost


async def test_nothing_is_read_or_written_once_the_store_was_emptied_and_all_goes_on_when_it_is_back(
    server: RedisServer, store: Store
) -> None:
    match_id = await created(store, b"a")
    with server.client() as client:
        dumps = {key: client.dump(key) for key in client.keys("*")}
        client.flushall()
        with pytest.raises(StoreLost):
            await store.replicas.beat()  # the first that is asked after that
        appending = asyncio.create_task(append(store, match_id, [b"a"], b"b"))
        for call in (store.tokens.put("digest", b"{}", 0), store.ping(), created(store), store.replicas.tell("open m")):
            with pytest.raises(StoreLost):
                await call
        await until(lambda: not store.commits.available)
        assert lost(store)
        assert client.keys("*") == []
        client.set(keys.SERVICE, "another")
        with pytest.raises(StoreLost, match="another one"):
            await store.replicas.beat()
        assert client.keys("*") == [keys.SERVICE.encode()]
        client.flushall()
        for key, dump in dumps.items():
            assert isinstance(dump, bytes)
            client.restore(key, 0, dump)
        await store.replicas.beat()
        assert await appending == 1
        assert not lost(store)
        assert await log(store, match_id) == [b"a", b"b"]


async def test_a_heartbeat_that_was_on_its_way_when_the_store_was_emptied_leaves_nothing_there(
    server: RedisServer, store: Store
) -> None:
    seconds = 100.0
    with server.client() as client:
        store_id = client.get(keys.SERVICE)

        def empties_it(found: bytes | None) -> None:
            assert found == store_id
            if seconds > 100.0:
                client.flushall()

        beats = Beats(store._redis, "here-1-a", SharedTime(lambda: seconds), same_store=empties_it)
        await beats.beat()
        assert client.hexists(keys.BEATS, "here-1-a")
        seconds += 10.0  # so that it has an outage to note, and a clock to correct
        await beats.beat()
        assert client.keys("*") == []


async def test_a_subscription_that_is_made_anew_by_the_older_protocol_is_no_sign_of_another_store(
    server: RedisServer,
) -> None:
    async with (
        emptied(server),
        Proxy(server.port).run() as proxy,
        opened(f"redis://{proxy.address}/0?protocol=2") as store,
        asyncio.timeout(PATIENCE),
        aclosing(store.replicas.listen()) as listening,
    ):
        for _ in range(3):
            assert await anext(listening) == ""
            proxy.cut()
        await store.replicas.beat()
        assert not lost(store)


async def test_a_store_that_comes_back_empty_serves_nobody_until_its_data_are_back(
    folder: Path, redis: RedisServer
) -> None:
    with Service(folder, "--redis", redis.url) as service:
        await asyncio.to_thread(service.start)
        async with Organiser(service.address, service.token) as organiser:
            bot = await organiser.entrant()
            async with Stream(service.address, bot.token) as stream:
                await stream.hello()
                stream.pongs = False  # what is written to a stream as it ends hides why it does
                await asyncio.to_thread(redis.terminate)
                aside = folder / "aside"
                shutil.move(redis.folder / "appendonlydir", aside)
                await asyncio.to_thread(redis.start)
                check_refusal(await stream.ending(), "STORE_LOST", "organiser")
            await refused(organiser.entrant(), "STORE_LOST", "nothing was changed")
            await until(lambda: "is empty, or another one" in health(service), "the health of a store that is empty")
            assert "restore a backup" in service.log
            again = Service(folder, "--redis", redis.url, name="again", data=service.data)
            said = await asyncio.to_thread(again.refuses_to_start)
            assert "it is empty" in said
            assert "--accept-risk empty-store" in said
            with redis.client() as client:
                assert client.keys("*") == []
            await asyncio.to_thread(redis.terminate)
            shutil.rmtree(redis.folder / "appendonlydir")
            shutil.move(aside, redis.folder / "appendonlydir")
            await asyncio.to_thread(redis.start)
            await until(lambda: "has its data again" in service.log, "the service that goes on")
            async with Stream(service.address, bot.token) as stream:
                await stream.hello()
            await organiser.entrant()
        assert service.terminate() == 0, service.log
        assert_no_fault(service)


async def test_a_folder_without_its_store_is_not_begun_anew_unasked(folder: Path) -> None:
    with Service(folder) as service:
        await asyncio.to_thread(service.start)
        assert service.terminate() == 0
        store, aside = service.data / "store", folder / "aside"
        shutil.move(store, aside)
        said = await asyncio.to_thread(service.refuses_to_start)
        assert f"{store} is gone" in said
        assert "--accept-risk empty-store" in said
        assert not store.exists()
        shutil.move(aside, store)
        await asyncio.to_thread(service.start)
        async with Organiser(service.address, service.token) as organiser:
            await organiser.entrant()
        assert service.terminate() == 0


async def test_an_archive_that_has_lost_its_id_but_not_its_records_is_no_new_one(folder: Path) -> None:
    with Service(folder) as service:
        await asyncio.to_thread(service.start)
        async with Organiser(service.address, service.token) as organiser:
            match_id = await finished(organiser)
            await until(lambda: list((service.data / "archive").glob(f"*/{match_id}.fudaba")), "the record")
        assert service.terminate() == 0
        (service.data / "archive" / "archive-id").unlink()
        store, aside = service.data / "store", folder / "aside"
        shutil.move(store, aside)
        said = await asyncio.to_thread(service.refuses_to_start)
        assert f"{store} is gone" in said
        assert "--accept-risk empty-store" in said
        shutil.move(aside, store)
        await asyncio.to_thread(service.start)
        async with Organiser(service.address, service.token) as organiser:
            await organiser.record(match_id)
        assert service.terminate() == 0


@pytest.mark.exhaustive
async def test_one_of_several_that_is_started_anew_at_an_empty_store_keeps_out_of_it_as_its_siblings_do(
    folder: Path, redis: RedisServer
) -> None:
    # What a new service may do is no word for one of a service that has had its data.
    options = ("--redis", redis.url, "--processes", "2", "--accept-risk", "empty-store")
    with Service(folder, *options) as service, redis.client() as client:
        await asyncio.to_thread(service.start)
        async with Organiser(service.address, service.token) as organiser:
            await organiser.entrant()
            # What goes by itself may just have gone.
            dumps = {key: dump for key in client.keys("*") if (dump := client.dump(key)) is not None}
            client.flushall()
            await until(lambda: "the store is empty" in service.log)
            await kill_replica(service, 1)
            await until(lambda: "process 1 | error: the store is empty" in service.log)
            assert client.keys("*") == []
            # All go on as soon as the id is there: it comes last.
            for key, dump in sorted(dumps.items(), key=lambda item: item[0] == keys.SERVICE.encode()):
                assert isinstance(dump, bytes)
                client.restore(key, 0, dump)
            await until(lambda: service.log.count("process 1 serves") > 1, "the one that was killed serves again")
            await organiser.entrant()
        assert service.terminate() == 0, service.log
