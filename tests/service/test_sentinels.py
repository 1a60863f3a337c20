"""A store that Sentinels watch: the service follows their word, and says clearly what is wrong with its URL."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from fudaba_service.store import match_keys
from fudaba_serving.redis import connections, sentinel
from fudaba_serving.redis.connections import redis_client
from fudaba_serving.redis.sentinel import Sentinels, addresses
from tests.support.certificates import certify
from tests.support.patience import PATIENCE
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser
from tests.support.service.processes import RedisServer, Service, free_port
from tests.support.service.rewinds import both_know_the_record, seated
from tests.support.service.sentinels import MASTER, PATIENT, watched, watching
from tests.support.service.stores import append, created, log, opened
from tests.support.stream_servers import listening, port_of


@pytest.mark.exhaustive
async def test_a_match_goes_on_over_a_failover_and_no_move_is_lost_or_doubled(folder: Path) -> None:
    with watched(folder) as pair, Service(folder, "--redis", pair.url) as service:
        await asyncio.to_thread(partial(service.start, first=PATIENT))
        async with Organiser(service.address, service.token) as organiser, seated(organiser, service) as seats:
            while not any(seat.due for seat in seats):
                await asyncio.gather(*[seat.hear() for seat in seats])
            await next(seat for seat in seats if seat.due).decide()
            await asyncio.to_thread(pair.fail_over)
            await both_know_the_record(organiser, seats)
            assert not [seat.journal.rewinds for seat in seats if seat.journal.rewinds]
        assert service.terminate() == 0, service.log
        assert_no_fault(service)


async def test_a_master_that_the_sentinels_no_longer_name_is_left_though_it_takes_writes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentinel, "_ASK_SECONDS", PATIENCE)
    with watched(folder) as pair:
        old, new = pair.servers
        async with asyncio.timeout(PATIENCE), opened(pair.url) as store:
            first = match_id = await created(store)
            assert await append(store, match_id, [], b"a") == 1
            await asyncio.to_thread(pair.name_the_replica)
            with new.client() as client:
                while not client.exists(match_keys(match_id).meta) or match_id == first:
                    match_id = await created(store)
            while await append(store, match_id, [], b"a") != 1:
                pass
            assert await log(store, match_id) == [b"a"]
        assert old.running


async def test_a_sentinel_that_knows_of_fewer_failovers_than_another_one_counts_only_if_it_alone_answers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentinel, "_ASK_SECONDS", PATIENCE)
    with contextlib.ExitStack() as stack:
        ports = []
        for failovers, name in enumerate(("old", "new")):
            (folder / name).mkdir()
            server = stack.enter_context(RedisServer(folder / name, name=name)).start()
            process, port = stack.enter_context(watching(folder, server, failovers))
            ports.append((server.port, port))
        (old, late), (new, knowing) = ports
        sentinels = Sentinels(f"redis+sentinel://127.0.0.1:{late},127.0.0.1:{knowing}/{MASTER}/0")
        assert ("127.0.0.1", new) in await asyncio.gather(sentinels.master(), sentinels.master()), "both were asked"
        for _ in range(3):
            assert set(await asyncio.gather(sentinels.master(), sentinels.master())) == {("127.0.0.1", new)}
        process.kill()
        assert await sentinels.master() == ("127.0.0.1", old)


async def test_a_master_that_the_sentinels_do_not_know_and_sentinels_that_are_away_are_named(folder: Path) -> None:
    away = free_port()
    with watched(folder) as pair:
        url = f"redis+sentinel://127.0.0.1:{away},127.0.0.1:{pair.port}/other"
        refuses = partial(Service(folder, "--redis", url).refuses_to_start, first=PATIENT)
        said = await asyncio.to_thread(refuses)
        assert "the Sentinels know no master 'other'; they watch fudaba" in said
    said = await asyncio.to_thread(Service(folder, "--redis", f"redis+sentinel://127.0.0.1:{away}/x").refuses_to_start)
    assert f"no Sentinel answers: 127.0.0.1:{away} (" in said


async def test_a_sentinel_that_is_silent_is_passed_over_and_asked_last_from_then_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0

    async def stay_silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        await reader.read()

    async with listening(stay_silent) as mute:
        port = port_of(mute)
        with watched(folder) as pair:
            sentinels = Sentinels(f"redis+sentinel://127.0.0.1:{port},127.0.0.1:{pair.port}/fudaba")
            once = sentinels._once

            def patient_but_with_the_silent_one(host: str, asked_port: int) -> ConnectionPool:
                pool = once(host, asked_port)
                if asked_port != port:
                    pool.connection_kwargs |= {"socket_timeout": PATIENCE, "socket_connect_timeout": PATIENCE}
                return pool

            monkeypatch.setattr(sentinels, "_once", patient_but_with_the_silent_one)
            for _ in range(2):
                assert await sentinels.master() == ("127.0.0.1", pair.servers[0].port)
    assert asked == 1


async def test_the_answer_of_a_sentinel_that_does_not_end_its_connection_counts(
    folder: Path, need_tool: Callable[[str], Path]
) -> None:
    cert, key = folder / "cert.pem", folder / "key.pem"
    certify(need_tool("openssl"), cert, key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)

    answers = {b"HELLO": b"%1\r\n+proto\r\n:3\r\n", b"GET-MASTER": b"*2\r\n+127.0.0.1\r\n+6379\r\n"}

    async def answer_and_read_no_more(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = b""
        while asked != b"GET-MASTER":
            count = int((await reader.readline())[1:])
            words = [(await reader.readline(), await reader.readline())[1].strip().upper() for _ in range(count)]
            asked = b"GET-MASTER" if b"GET-MASTER-ADDR-BY-NAME" in words else words[0]
            writer.write(answers.get(asked, b"-ERR of no use here\r\n"))
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # it is one that reads, too
        await asyncio.Event().wait()

    async with listening(answer_and_read_no_more, ssl_context=context) as server:
        url = f"rediss+sentinel://localhost:{port_of(server)}/fudaba?ssl_ca_certs={cert}"
        assert await Sentinels(url).master() == ("127.0.0.1", 6379)


async def test_a_client_ends_while_it_asks_sentinels(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_ASK_AGAIN_SECONDS", 0.0)
    once = Retry(NoBackoff(), 0)
    with watched(folder) as pair:
        for turns in range(200):
            client = redis_client(
                pair.url, connections=1, wait=None, answer_seconds=PATIENCE, connect_seconds=PATIENCE, retry=once
            )
            await client.ping()
            for _ in range(turns):  # so each step of a question is interrupted
                await asyncio.sleep(0)
            async with asyncio.timeout(PATIENCE):
                await client.aclose()


async def test_whoever_gives_up_on_a_silent_sentinel_asks_another_one_next(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentinel, "_ASK_SECONDS", PATIENCE)
    silent = asyncio.Event()

    async def stay_silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read(1)  # it is asked: while a connection is made, a Python before 3.12 may not see a cancellation
        silent.set()
        await reader.read()

    async with listening(stay_silent) as mute:
        port = port_of(mute)
        with watched(folder) as pair:
            sentinels = Sentinels(f"redis+sentinel://127.0.0.1:{port},127.0.0.1:{pair.port}/fudaba")
            asking = asyncio.create_task(sentinels.master())
            await silent.wait()
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            silent.clear()
            assert await sentinels.master() == ("127.0.0.1", pair.servers[0].port)
            assert not silent.is_set()


@pytest.mark.parametrize("url", ["redis+sentinel://host:1", "redis+sentinel://host/fudaba/x", "redis+sentinel:///x"])
async def test_a_url_that_leaves_something_out_is_refused_with_its_form(folder: Path, url: str) -> None:
    said = await asyncio.to_thread(Service(folder, "--redis", url).refuses_to_start)
    assert f"{url} is not a URL of a Redis: " in said


def test_a_url_of_sentinels_may_have_all_that_one_of_a_server_has() -> None:
    sentinels = Sentinels(
        "rediss+sentinel://me:se%2Fcret@[::1],b:7/prod/3?ssl_cert_reqs=none&sentinel_password=other&health_check_interval=9"
    )
    assert sentinels.service == "prod"
    assert sentinels.server_url == "rediss://me:se%2Fcret@[::1]:26379/3?ssl_cert_reqs=none&health_check_interval=9"
    assert sentinels.pool().connection_kwargs["db"] == 3


def test_several_hosts_may_be_addresses_of_ipv6_in_any_order() -> None:
    assert addresses("redis+sentinel://h:1,[::2]:2/x") == [("h", 1), ("::2", 2)]


async def test_what_is_wrong_with_a_url_is_told_without_its_secrets(folder: Path) -> None:
    url = "redis+sentinel://me:secret@host:1?sentinel_password=hidden"
    said = await asyncio.to_thread(Service(folder, "--redis", url).refuses_to_start)
    assert "redis+sentinel://host:1 is not a URL of a Redis: " in said
    assert "secret" not in said
    assert "hidden" not in said
