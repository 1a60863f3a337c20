"""Starting and stopping `fudaba serve`: folders, ports, stores, TLS, tokens, settings."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import socketserver
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from grpc import aio

from fudaba.v1 import catalog_pb2, matches_pb2, play_pb2
from tests.service import bots
from tests.service.bots import Stream, bearer, check_ended, play_match
from tests.service.conftest import assert_no_fault
from tests.service.organiser import Organiser, check_refusal, refused
from tests.service.processes import RedisServer, Service, free_port, until, wait_until


@pytest.fixture
def redis(folder: Path, redis_server: Path) -> Iterator[RedisServer]:
    place = folder / "redis"
    place.mkdir()
    with RedisServer(place, redis_server) as server:
        yield server


def token_of(service: Service) -> str:
    """The token that this start printed; empty if it printed none."""
    return service.log.partition("organiser token (shown this once): ")[2].partition("\n")[0]


async def works(service: Service) -> None:
    async with Organiser(service.address, service.token) as organiser:
        entrants = await organiser.entrant(), await organiser.entrant()
        match_id = await organiser.match(*entrants)
        await play_match(*organiser.by_chance(*entrants))
        await organiser.record(match_id)


# --- tokens


async def test_the_organisers_token_is_printed_once_and_a_new_one_ends_the_old_one(folder: Path) -> None:
    with Service(folder) as service:
        first = service.start().token
        assert first.startswith("fudaba-org-")
        assert service.terminate() == 0
        await asyncio.to_thread(service.start)
        assert token_of(service) == ""
        await works(service)
        assert service.terminate() == 0
        await asyncio.to_thread(service.start, "--new-organiser-token")
        assert service.token not in {"", first}
        await works(service)
        async with Organiser(service.address, first) as organiser:
            await refused(organiser.entrant(), "TOKEN_UNKNOWN")
        assert first not in service.log


@pytest.mark.parametrize("exists", [False, True])
async def test_the_organisers_token_goes_to_a_file_that_only_its_owner_reads(folder: Path, exists: bool) -> None:
    place = folder / "token"
    if exists:
        place.write_text("x" * 1000)
        place.chmod(0o644)
    with Service(folder, "--organiser-token-file", str(place)) as service:
        service.start()
        assert "shown this once" not in service.log
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        token = place.read_text()
        assert token == token.strip() + "\n"
        assert token.strip() not in service.log
        service.token = token.strip()
        await works(service)


def test_a_token_file_that_cannot_be_written_says_how_to_get_another_token(folder: Path) -> None:
    with Service(folder, "--organiser-token-file", str(folder / "missing" / "token")) as service:
        assert "--new-organiser-token" in service.refuses_to_start()


# --- folders


def test_a_data_folder_that_cannot_be_written_is_refused(folder: Path) -> None:
    # Not even root writes here.
    with Service(folder, data=Path("/sys/fudaba")) as service:
        said = service.refuses_to_start()
    assert "/sys/fudaba" in said
    assert "cannot be written" in said


def test_a_file_in_place_of_the_data_folder_is_refused_and_kept(folder: Path) -> None:
    place = folder / "data"
    place.write_text("precious")
    with Service(folder) as service:
        assert "data" in service.refuses_to_start(status=2)
    assert place.read_text() == "precious"


async def test_a_data_folder_in_use_is_refused_and_its_service_goes_on(folder: Path) -> None:
    with Service(folder) as first, Service(folder, name="second") as second:
        first.start()
        said = await asyncio.to_thread(second.refuses_to_start)
        assert "is in use by process" in said
        assert str(first.pid) in said
        await works(first)


async def test_replicas_with_archives_of_their_own_are_refused_and_told_what_to_do(
    folder: Path, redis: RedisServer
) -> None:
    redis.start()
    with (
        Service(folder, "--redis", redis.url) as one,
        Service(folder, "--redis", redis.url, name="two") as two,
        Service(folder, "--redis", redis.url, name="other", data=folder / "other") as other,
    ):
        one.start()
        two.start()
        said = await asyncio.to_thread(other.refuses_to_start)
        assert f"{folder}/other/archive is not the archive of this store's records" in said
        assert "the same --data" in said
        # It may be meant: the old archive is lost.
        command = re.search(r"write (\S+) into (\S+)", said)
        assert command is not None
        await asyncio.to_thread(Path(command[2]).write_text, command[1])
        await asyncio.to_thread(other.start)
        other.token = one.token
        await works(other)


async def test_an_archive_goes_with_an_embedded_store_whatever_it_is_called(folder: Path) -> None:
    with Service(folder) as service:
        service.start()
        name = service.data / "archive" / "archive-id"
        first = name.read_text()
        for change in (name.unlink, lambda: name.write_text("another")):
            assert service.terminate() == 0
            change()
            await asyncio.to_thread(service.start)
            assert name.read_text() == first
        await works(service)


# --- addresses


async def test_a_port_in_use_is_refused(folder: Path) -> None:
    with Service(folder) as first, Service(folder, name="second", data=folder / "other") as second:
        first.start()
        second.listen = first.address
        said = await asyncio.to_thread(second.refuses_to_start)
        assert f"cannot listen on {first.address}" in said
        await works(first)


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", "192.0.2.1:7710", "example.org:7710"])
def test_other_machines_are_not_served_without_tls_unless_it_is_asked_for(folder: Path, listen: str) -> None:
    with Service(folder, listen=listen) as service:
        assert "--insecure" in service.refuses_to_start(status=2)
    assert not service.data.exists()


async def test_other_machines_are_served_without_tls_when_it_is_asked_for(folder: Path) -> None:
    with Service(folder, "--insecure", listen="0.0.0.0:0") as service:
        service.start()
        service.address = service.address.replace("0.0.0.0", "127.0.0.1")
        await works(service)


@pytest.mark.parametrize(
    ("listen", "status"), [("127.0.0.1:99999", 2), ("127.0.0.1:x", 2), ("localhost", 2), ("127.0.0.300:1", 1)]
)
def test_an_address_that_is_none_is_refused(folder: Path, listen: str, status: int) -> None:
    with Service(folder, "--insecure", listen=listen) as service:
        assert f"cannot listen on {listen}" in service.refuses_to_start(status=status)


async def test_a_unix_socket_is_served_and_its_network_costs_nothing(folder: Path) -> None:
    with Service(folder, listen=f"unix:{folder}/s") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            entrants = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(*entrants)
            await play_match(*organiser.by_chance(*entrants))
            record = await organiser.record(match_id)
            assert {e.spent.network_us for e in record.log} == {0}
        assert service.terminate() == 0
        await asyncio.to_thread(service.start)
        await works(service)


# --- TLS


@pytest.fixture
def certificate(folder: Path, need_tool: Callable[[str], Path]) -> tuple[Path, Path]:
    """A self-signed certificate for localhost, and its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            need_tool("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    return cert, key


async def test_tls_works_and_what_is_not_tls_fails_cleanly(folder: Path, certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    with Service(folder, "--tls-cert", str(cert), "--tls-key", str(key), listen="0.0.0.0:0") as service:
        service.start()
        port = service.address.rpartition(":")[2]
        trust = grpc.ssl_channel_credentials(cert.read_bytes())
        async with Organiser(f"localhost:{port}", service.token, trust) as organiser:
            entrant = await organiser.entrant()
            async with Stream(f"localhost:{port}", entrant.token, trust) as stream:
                assert (await stream.hello()).bot == entrant.name
        for address, credentials in (
            (f"127.0.0.1:{port}", None),
            (f"localhost:{port}", grpc.ssl_channel_credentials()),
        ):
            async with Organiser(address, service.token, credentials) as organiser:
                with pytest.raises(aio.AioRpcError) as info:
                    await organiser.catalog.ListGames(catalog_pb2.ListGamesRequest(), timeout=5)
                assert info.value.code() in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}
        with contextlib.closing(socket.create_connection(("127.0.0.1", int(port)))) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert service.running
        assert_no_fault(service)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tls-cert", "{cert}", "--tls-key", "/nowhere"], "/nowhere"),
        (["--tls-cert", "{key}", "--tls-key", "{cert}"], "TLS"),
        (["--tls-cert", "{cert}", "--tls-key", "{other}"], "TLS"),
    ],
)
def test_a_certificate_that_cannot_be_used_is_refused(
    folder: Path, certificate: tuple[Path, Path], options: list[str], words: str
) -> None:
    cert, key = certificate
    (folder / "other").write_text("no key at all")
    filled = [o.format(cert=cert, key=key, other=folder / "other") for o in options]
    with Service(folder, *filled) as service:
        assert words in service.refuses_to_start()


# --- stores


def test_a_store_that_is_not_there_is_refused_with_its_address(folder: Path) -> None:
    port = free_port()
    with Service(folder, "--redis", f"redis://127.0.0.1:{port}/0") as service:
        said = service.refuses_to_start()
    assert "the store cannot be reached" in said
    assert str(port) in said


@pytest.mark.parametrize("url", ["nonsense", "http://127.0.0.1:1/", "redis://127.0.0.1:x/0"])
def test_what_is_no_url_of_a_store_is_refused(folder: Path, url: str) -> None:
    with Service(folder, "--redis", url) as service:
        assert f"{url} is no URL of a Redis" in service.refuses_to_start()


def test_a_store_that_wants_a_password_is_refused_without_it_and_with_a_wrong_one(
    folder: Path, redis: RedisServer
) -> None:
    redis.password = "secret"
    redis.options = ("--requirepass", "secret")
    redis.start()
    for url in (f"redis://127.0.0.1:{redis.port}/0", f"redis://:wrong@127.0.0.1:{redis.port}/0"):
        with Service(folder, "--redis", url) as service:
            said = service.refuses_to_start()
            assert "the store cannot be reached" in said
            assert "give the password in the URL" in said
            assert "wrong@" not in said
    with Service(folder, "--redis", redis.url) as service:
        service.start()
        assert "secret" not in service.log


async def test_a_store_that_is_full_or_read_only_refuses_the_start_and_works_afterwards(
    folder: Path, redis: RedisServer
) -> None:
    redis.start()
    with redis.client() as client, Service(folder, "--redis", redis.url) as service:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", "1kb")
        assert "memory" in await asyncio.to_thread(service.refuses_to_start)
        client.config_set("maxmemory", "0")
        client.slaveof("127.0.0.1", 1)
        assert "read only" in (await asyncio.to_thread(service.refuses_to_start)).replace("-", " ").lower()
        client.slaveof()
        await asyncio.to_thread(service.start)
        await works(service)


class OldRedis(socketserver.BaseRequestHandler):
    """Answers as a Redis of another age would; a real one cannot be had here."""

    def handle(self) -> None:
        while request := self.request.recv(65536):
            info = b"# Server\r\nredis_version:6.2.14\r\n"
            answer = b"$%d\r\n%b\r\n" % (len(info), info) if b"INFO" in request else b"+OK\r\n"
            self.request.sendall(answer * request.upper().count(b"*" if b"INFO" not in request else b"INFO"))


def test_a_store_that_is_too_old_is_refused_with_its_version(folder: Path) -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), OldRedis) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            url = f"redis://127.0.0.1:{server.server_address[1]}/0?protocol=2"
            with Service(folder, "--redis", url) as service:
                said = service.refuses_to_start()
        finally:
            server.shutdown()
            thread.join()
    assert "Redis 7.0 or newer is needed" in said
    assert "6.2.14" in said


# --- settings


async def test_settings_come_from_a_file_an_environment_variable_and_options_the_last_wins(folder: Path) -> None:
    config = folder / "fudaba.toml"
    config.write_text(f'[serve]\ndata = "{folder}/fromfile"\nstop-seconds = 1.5\ninsecure = true\n')
    with Service(folder, "--config", str(config)) as service:
        service.start()
        await works(service)
        assert service.data.exists()
        assert not (folder / "fromfile").exists()
        assert service.terminate() == 0
    from tests.service.processes import FUDABA, Process

    with Process(folder, "bare") as bare:
        bare.launch([str(FUDABA), "serve", "--config", str(config)], {"FUDABA_LISTEN": f"unix:{folder}/s"})
        wait_until(lambda: f"fudaba serves on unix:{folder}/s" in bare.log, "the start")
        assert (folder / "fromfile" / "store").exists()
        assert bare.terminate() == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[serve\n", "line 1"),
        ("[serve]\nport = 7710\n", "no setting 'port'"),
        ("[serve]\nconfig = 'x'\n", "no setting 'config'"),
        ("[server]\nlisten = '127.0.0.1:1'\n", "no table [serve]"),
        ("serve = 3\n", "no table [serve]"),
        ("[serve]\nappendfsync = 'sometimes'\n", "'sometimes' is not one of 'everysec', 'always'"),
        ("[serve]\nstop-seconds = 'soon'\n", 'stop-seconds is "soon"; write a number'),
        ("[serve]\ninsecure = 'perhaps'\n", 'insecure is "perhaps"; write true or false'),
        ("[serve]\nlisten = '\x00'\n", "line 2"),
    ],
)
def test_mistakes_in_the_settings_file_are_named(folder: Path, content: str, words: str) -> None:
    config = folder / "fudaba.toml"
    config.write_text(content)
    with Service(folder, "--config", str(config)) as service:
        said = service.refuses_to_start(status=2)
        assert words in said
    assert not service.data.exists()


def test_a_settings_file_that_is_not_there_or_no_text_is_named(folder: Path) -> None:
    binary = folder / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for config in (folder / "missing.toml", binary):
        with Service(folder, "--config", str(config)) as service:
            assert str(config) in service.refuses_to_start(status=2)


def test_a_metrics_port_that_cannot_be_had_is_refused(folder: Path) -> None:
    with contextlib.closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for where, status in ((f"127.0.0.1:{port}", 1), ("127.0.0.1:x", 2), ("nonsense", 2)):
            with Service(folder, "--metrics", where) as service:
                assert f"cannot serve metrics on {where}" in service.refuses_to_start(status=status)


# --- stopping


async def test_a_graceful_stop_tells_every_stream_and_leaves_no_process(folder: Path) -> None:
    with Service(folder, "--stop-seconds", "100") as service:
        service.start()
        store = int((service.data / "store" / "lock").read_text().partition('"pid": ')[2].partition(",")[0])
        assert store == service.pid
        async with Organiser(service.address, service.token) as organiser:
            one, other = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(one, other)
            async with Stream(service.address, one.token) as stream, Stream(service.address, other.token) as second:
                stream.pongs = second.pongs = False
                await stream.hello()
                await second.hello()
                await second.decision()
                seat = organiser.play.WatchSeat(
                    play_pb2.WatchSeatRequest(match_id=match_id), metadata=bearer(one.token)
                )
                watch = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
                await seat.read()
                await watch.read()
                waiting = organiser.matches.AwaitMatch(matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=60_000))
                asking = asyncio.ensure_future(refused(waiting, "SHUTTING_DOWN", "connect again"))
                for _ in range(2):
                    await organiser.get(match_id)  # on the same connection: the call before it has arrived
                before = asyncio.get_running_loop().time()
                children = descendants(service.pid)
                assert children
                status = asyncio.create_task(asyncio.to_thread(service.terminate))
                for ended in (stream, second):
                    check_refusal(await ended.ending(), "SHUTTING_DOWN", "connect again")
                for call in (seat, watch):
                    check_refusal(await check_ended(call), "SHUTTING_DOWN", "connect again")
                await asking
                assert await status == 0
                assert asyncio.get_running_loop().time() - before < 50
        await until(lambda: not any(alive(pid) for pid in children), "the end of the store")
        assert_no_fault(service)
        assert service.log.rstrip().endswith("stopping")
        await asyncio.to_thread(service.start)
        async with Organiser(service.address, service.token) as organiser:
            assert (await organiser.get(match_id)).state == matches_pb2.MATCH_STATE_PLAYING
            async with Stream(service.address, other.token) as stream:
                await stream.hello()
                assert (await stream.decision()).match_id == match_id
    assert bots.PATIENCE


def descendants(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if place.name.isdecimal() and int((place / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(place.name))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_a_killed_service_leaves_no_store_behind(folder: Path) -> None:
    with Service(folder) as service:
        service.start()
        children = descendants(service.pid)
        assert children
        service.kill()
        await until(lambda: not any(alive(pid) for pid in children), "the end of the store")


async def test_an_interrupt_stops_as_gracefully_as_sigterm(folder: Path) -> None:
    import signal

    with Service(folder) as service:
        service.start()
        service.signal(signal.SIGINT)
        assert service.wait() == 0
        assert_no_fault(service)


async def test_a_stop_does_not_wait_for_ever_for_a_store_that_is_gone(folder: Path, redis: RedisServer) -> None:
    redis.start()
    with Service(folder, "--redis", redis.url, "--stop-seconds", "0.5") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            one, other = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(one, other)
            async with Stream(service.address, one.token) as waits, Stream(service.address, other.token) as stream:
                waits.pongs = stream.pongs = False
                await waits.hello()
                await stream.hello()
                decision = (await stream.decision()).decision
                redis.kill()
                await stream.answer(match_id, decision.decision_id, index=0)
                await until(lambda: "does not take entries" in service.log, "the outage")
                stopping = asyncio.create_task(asyncio.to_thread(service.terminate))
                check_refusal(await stream.ending(), "SHUTTING_DOWN")
                assert await stopping == 0
        assert "still in flight" in service.log
        assert_no_fault(service)


async def test_a_stop_does_not_wait_for_ever_for_an_archive_that_cannot_be_written(folder: Path) -> None:
    with Service(folder, "--stop-seconds", "0.5") as service:
        service.start()
        archive = service.data / "archive"
        archive.rename(folder / "aside")
        archive.write_text("in the way")
        async with Organiser(service.address, service.token) as organiser:
            entrants = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(*entrants)
            await play_match(*organiser.by_chance(*entrants))
            record = await organiser.record(match_id)
            assert await asyncio.to_thread(service.terminate) == 0
            assert_no_fault(service)
            archive.unlink()
            (folder / "aside").rename(archive)
            await asyncio.to_thread(service.start)
            assert await organiser.record(match_id) == record
