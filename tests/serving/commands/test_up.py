"""`fudaba up`: a service and an arena that are kept running, from one folder."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import time
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, arena_pb2
from tests.support.arena.running import runs
from tests.support.folders import short_folder
from tests.support.fudaba_up import CHILDREN, Up, up
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.descendants import descendants
from tests.support.service.processes import free_port

TOURNAMENT = """\
name = "lasting"
game = "naga"
blocks = 30
attempts = 50
concurrency = 2
[[bots]]
name = "sensible"
builtin = "sensible"
[[bots]]
name = "random"
builtin = "random"
"""


@pytest.mark.exhaustive
def test_what_is_killed_comes_back_and_the_tournament_goes_on_here_and_from_a_backup_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "fudaba.toml"
    file.write_text("[serve]\nguests = false\n[worker]\nheartbeat = 2\n")  # what a killed worker had is soon replayed
    with up("--config", str(file)) as running:
        running.wait_until_up()
        with Client(f"unix:{running.folder}/s") as client, pytest.raises(ServiceError) as info:
            client.accounts.CreateGuest(accounts_pb2.CreateGuestRequest(), timeout=PATIENCE)
        assert info.value.reason == "REGISTRATION_CLOSED"
        token = (running.folder / "d" / "organiser.token").read_text().strip()
        with Client(running.arena, token) as client:
            client.arena.CreateTournament(arena_pb2.CreateTournamentRequest(definition=TOURNAMENT), timeout=PATIENCE)
        for name in CHILDREN:
            before = wait_until(lambda: max(0, running.counted()), "matches count")
            killed = running.child(name)
            assert killed
            os.kill(killed, signal.SIGKILL)
            wait_until(partial(running.another, name, killed), f"the {name} is back")
            assert f"{name:7} | ended with signal SIGKILL; it is started again in 0.5 s" in running.log
            wait_until(partial(running.counted_beyond, before), "the tournament goes on")
        before = running.counted()
        backup = running.folder / "up.tar.zst"
        done = CliRunner().invoke(cli, ["backup", str(backup), "--data", str(running.folder / "d")])
        assert done.exit_code == 0, done.output
        arena, alone = running.folder / "d" / "arena", running.folder / "arena.tar.zst"
        (arena / "archive").mkdir(exist_ok=True)
        (arena / "archive" / "note").write_text("An arena's folder has an archive, too, once a season is over.")
        done = CliRunner().invoke(cli, ["backup", str(alone), "--data", str(arena)])
        assert done.exit_code == 0, done.output
        running.process.terminate()
        assert running.process.wait(PATIENCE) == 0
        stops = [running.log.rindex(f"{name:7} | stopping") for name in CHILDREN]
        assert stops == sorted(stops)
        assert not any(map(running.child, CHILDREN))

        done = CliRunner().invoke(cli, ["restore", str(backup), "--test", "--json"])
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["tested"]["tournaments"] == 1
        assert json.loads(done.stdout)["tested"]["replayed"] > 0
        done = CliRunner().invoke(cli, ["restore", str(alone), "--test", "--json"])
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["tested"] == {"matches": 0, "replayed": 0, "tournaments": 1}
        with short_folder() as place:
            done = CliRunner().invoke(cli, ["restore", str(backup), "--data", str(place / "d")])
            assert done.exit_code == 0, done.output
            with up("--config", str(file), folder=place) as again:
                again.wait_until_up()
                assert (place / "d" / "organiser.token").read_text().strip() == token
                wait_until(lambda: again.counted() >= before, "what counted counts still")
                wait_until(lambda: again.counted() == 60, "the tournament is played to its end")


@pytest.mark.exhaustive
def test_when_it_is_killed_its_worker_ends_at_once_whatever_that_is_doing_and_the_others_stop() -> None:
    with up("--hung-after", "0") as running:
        running.wait_until_up()
        worker = running.child("worker")
        os.kill(worker, signal.SIGSTOP)  # it can finish nothing, nor be asked to stop
        children = [running.child(name) for name in CHILDREN]
        assert all(children)
        running.process.kill()
        running.process.wait(PATIENCE)
        try:
            wait_until(lambda: not any(map(runs, children)), "its children end with it")
        finally:
            for pid in filter(runs, children):
                os.kill(pid, signal.SIGKILL)


@pytest.mark.nightly(
    "asked once it stops them in this order above, and `service/test_processes.py` has processes that are asked twice"
)
def test_asked_twice_it_stops_its_parts_in_the_same_order_and_starts_none_again() -> None:
    with up("--hung-after", "0") as running:
        running.wait_until_up()
        worker = running.child("worker")
        os.kill(worker, signal.SIGSTOP)
        running.process.send_signal(signal.SIGINT)
        wait_until(lambda: "web     | stopping" in running.log and not running.child("web"), "the worker's turn")
        running.process.send_signal(signal.SIGINT)
        time.sleep(1)  # what must not happen has the time for it
        assert "arena   | stopping" not in running.log
        os.kill(worker, signal.SIGCONT)
        assert running.process.wait(PATIENCE) == 0
        assert re.findall(r"^(\w+) +\| stopping$", running.log, re.MULTILINE) == list(CHILDREN)
        assert "started again" not in running.log


HANGS = """\
import signal, time

def hang_for_ever(*_):
    while True:
        time.sleep(1)

signal.signal(signal.SIGUSR2, hang_for_ever)
"""
"""A process that runs this hangs when it gets a signal, and so do its forks."""


@pytest.mark.nightly("`service/test_processes.py` has a process that hangs told, ended and started again")
def test_a_part_that_hangs_is_told_with_its_stacks_and_started_again() -> None:
    with up("--hung-after", "8", first=HANGS) as running:
        running.wait_until_up()
        hung = running.child("arena")
        os.kill(hung, signal.SIGUSR2)
        wait_until(partial(running.another, "arena", hung), "the arena is back")
        lines = [line.partition(" | ")[2] for line in running.log.splitlines() if line.startswith("arena ")]
        begin = lines.index("hangs: its event loop has been silent for 8 s; where its threads are:")
        end = lines.index("is ended, since it hangs")
        assert any(line.endswith("in hang_for_ever") for line in lines[begin:end])
        assert lines[end + 1].startswith("ended with signal SIGKILL; it is started again in ")
        with Client(running.arena) as client:

            def answers() -> bool:
                try:
                    client.arena.ListTournaments(arena_pb2.ListTournamentsRequest(), timeout=5)
                except ServiceError:
                    return False
                return True

            wait_until(answers, "the arena answers")
        running.process.terminate()
        assert running.process.wait(PATIENCE) == 0


@pytest.mark.nightly("an arena and a worker that are killed later are started again above")
def test_when_the_arena_ends_before_the_first_start_of_the_worker_both_are_started_again() -> None:
    with up() as running:
        wait_until(lambda: "arena   | fudaba arena serves on" in running.log, "the arena serves")
        killed = running.child("arena")
        os.kill(killed, signal.SIGKILL)
        running.wait_until_up()
        assert "worker  | fudaba arena worker plays as" in running.log
        assert running.another("arena", killed)


@pytest.mark.parametrize("seconds", ["-1", "2", "nan", "inf"])
def test_a_bound_that_busy_parts_would_not_keep_is_refused(seconds: str) -> None:
    for command in ("up", "serve"):
        done = CliRunner().invoke(cli, [command, "--data", "nowhere/x", "--hung-after", seconds])
        assert done.exit_code == 2
        assert "write 5 seconds or more, or 0 for never" in done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a small wheel, for authors to install."""
    path = tmp_path_factory.mktemp("wheel") / "fudaba-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("fudaba/__init__.py", "")
    return path


@pytest.fixture(scope="module")
def shared(wheel: Path) -> Iterator[Up]:
    """Yields one that tests share which leave it as it is; it logs in JSON, and its file has a table of the gateway."""
    file = wheel.with_name("fudaba.toml")
    file.write_text(f'[web]\nwheel = "{wheel}"\n')
    with up("--json-logs", "--config", str(file)) as running:
        running.wait_until_up()
        yield running


@pytest.mark.exhaustive
def test_its_file_names_the_wheel_in_its_table_of_the_gateway(shared: Up, wheel: Path) -> None:
    link = httpx.get(f"{shared.web}/wheel", timeout=PATIENCE).json()
    assert link["url"] == f"/wheel/{wheel.name}"
    assert httpx.get(shared.web + link["url"], timeout=PATIENCE).content == wheel.read_bytes()


def test_a_part_that_is_killed_is_started_again(shared: Up) -> None:
    killed = shared.child("worker")
    assert killed
    os.kill(killed, signal.SIGKILL)
    wait_until(partial(shared.another, "worker", killed), "the worker is back")
    ending = '"process": "worker", "line": "ended with signal SIGKILL; it is started again in 0.5 s"'
    assert ending in shared.log


def test_the_arena_has_a_token_of_its_own_which_is_no_organisers(shared: Up) -> None:
    folder = shared.folder / "d"
    [organiser, arena] = [(folder / f"{whose}.token").read_text().strip() for whose in ("organiser", "arena")]
    scopes = []
    for token in (organiser, arena):
        with Client(f"unix:{shared.folder}/s", token) as client:
            scopes.append(client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), timeout=PATIENCE).token.scope)
    assert scopes == [accounts_pb2.TOKEN_SCOPE_ORGANISER, accounts_pb2.TOKEN_SCOPE_ARENA]
    assert (folder / "arena.token").stat().st_mode & 0o777 == 0o600
    words = Path(f"/proc/{shared.child('arena')}/cmdline").read_bytes().split(b"\0")
    assert str(folder / "arena.token").encode() in words
    assert str(folder / "organiser.token").encode() not in words


@pytest.mark.exhaustive
def test_a_gateway_is_run_too_and_counts_people_by_their_own_addresses(shared: Up) -> None:
    answer = httpx.post(f"{shared.web}/fudaba.v1.ArenaService/ListTournaments", json={}, timeout=PATIENCE)
    assert (answer.status_code, answer.json()) == (200, {})
    with Client(f"unix:{shared.folder}/s") as client:
        guest = client.accounts.CreateGuest(accounts_pb2.CreateGuestRequest(), timeout=PATIENCE)
    assert guest.info.scope == accounts_pb2.TOKEN_SCOPE_GUEST
    gateway = (shared.folder / "d" / "gateway.token").read_text().strip()
    with Client(f"unix:{shared.folder}/s", gateway) as client:
        identity = client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), timeout=PATIENCE)
    assert identity.token.scope == accounts_pb2.TOKEN_SCOPE_GATEWAY


@pytest.mark.exhaustive
def test_what_cannot_start_is_told_and_not_tried_for_ever() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with up("--listen", address, "--json-logs") as running:
            assert running.process.wait(PATIENCE) == 1
            assert "error: the service cannot be started; its last lines above say why" in running.log.splitlines()
            entries = [json.loads(line) for line in running.log.splitlines() if line.startswith("{")]
            assert any(address in entry["line"] and entry["process"] == "service" for entry in entries)


@pytest.mark.nightly(
    "`service/test_processes.py` has several serve and drain; below, `up` tells a service how many, and it refuses"
)
def test_the_service_can_have_several_processes() -> None:
    with up("--listen", f"127.0.0.1:{free_port()}", "--processes", "2") as running:
        running.wait_until_up()
        assert running.log.count("fudaba serves on ") == 1
        for number in (1, 2):
            assert f"process {number} serves" in running.log
        replicas = descendants(running.child("service"))
        assert len(replicas) >= 3
        running.process.terminate()
        assert running.process.wait(PATIENCE) == 0
        assert not any(map(runs, replicas))


@pytest.mark.exhaustive
def test_a_service_of_several_processes_that_cannot_be_is_told_and_not_started() -> None:
    done = CliRunner().invoke(cli, ["up", "--processes", "none"])
    assert done.exit_code == 2
    assert "'none' is no number of processes" in done.stderr
    with up("--processes", "2") as running:
        assert running.process.wait(PATIENCE) == 2
        assert "several processes cannot listen on one Unix socket; give --listen HOST:PORT" in running.log
