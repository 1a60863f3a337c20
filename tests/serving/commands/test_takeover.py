"""`fudaba up --takeover`: the running one hands its data folder over, or goes on as if nobody had asked."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fudaba.cli import cli
from fudaba.client import Client
from fudaba.v1 import arena_pb2
from fudaba_serving.commands.takeover import TakeoverListener
from tests.support.folders import short_folder
from tests.support.fudaba_up import CHILDREN, Up, up
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.in_progress import match_in_progress
from tests.support.service.organiser import Organiser
from tests.support.takeovers import LADDER, UNHURRIED, blocks, check_played_on, pausing

REQUEST = b'{"pid": 1, "release": "2"}\n'


def asked(data: Path, *options: str) -> Result:
    """Returns how another `fudaba up` with this data folder ends."""
    return CliRunner().invoke(cli, ["up", "--data", str(data), *options])


@pytest.mark.exhaustive
async def test_a_ladder_and_a_match_go_on_as_they_were_once_it_is_taken_over() -> None:
    with short_folder() as place, up(folder=place) as former:
        await asyncio.to_thread(former.wait_until_up)
        service, token = f"unix:{place}/s", (place / "d" / "organiser.token").read_text().strip()
        with Client(former.arena, token) as client:
            client.arena.CreateLadder(arena_pb2.CreateLadderRequest(definition=LADDER), timeout=PATIENCE)
        await asyncio.to_thread(wait_until, lambda: len(blocks(former.arena)) > 2, "the ladder is in play")
        go_on = asyncio.Event()
        async with (
            Organiser(service, token) as organiser,
            match_in_progress(organiser, [service], UNHURRIED, pausing(go_on)) as match,
        ):
            before = blocks(former.arena)
            with up("--takeover", folder=place, log="later") as later:
                await asyncio.to_thread(later.wait_until_up)
                assert former.process.wait(PATIENCE) == 0, former.log
                assert f"hands over to process {later.process.pid} of release" in former.log
                assert f"took over from process {former.process.pid} of release" in later.log
                assert not any(line.startswith("service ") and "cannot" in line for line in later.log.splitlines())
                assert not match.playing.done()
                go_on.set()
                await match.check(organiser)
                assert all(player.connections > 1 for player in match.players)
                reached = len(before) + 3
                await asyncio.to_thread(wait_until, lambda: len(blocks(later.arena)) > reached, "the ladder goes on")
                after = blocks(later.arena)
                check_played_on(before, after)
                later.process.terminate()
                assert later.process.wait(PATIENCE) == 0


async def test_it_goes_on_where_the_asker_has_given_up_before_the_answer(tmp_path: Path) -> None:
    """As where this process was stopped by SIGSTOP or starved meanwhile."""
    askers: list[str] = []
    listener = TakeoverListener(tmp_path, lambda: "", askers.append)
    with chdir(tmp_path):  # the path of the socket is short there
        await listener.start()
        with socket.socket(socket.AF_UNIX) as gone:
            gone.connect("up.sock")
            gone.sendall(REQUEST)
        reader, writer = await asyncio.open_unix_connection("up.sock")
        writer.write(REQUEST)
        assert b'"refusal": ""' in await reader.readline()
    assert askers == ["process 1 of release 2"]  # the second one alone
    listener.close()
    for side in (writer, *listener._kept):
        side.close()
        await side.wait_closed()


@pytest.fixture
def running() -> Iterator[Up]:
    """Yields one."""
    with up() as found:
        found.wait_until_up()
        yield found


def test_it_goes_on_where_the_later_release_cannot_take_its_data_or_takeover_was_not_asked_for(running: Up) -> None:
    data = running.folder / "d"
    children = [running.child(name) for name in CHILDREN]
    plain = asked(data)
    assert plain.exit_code == 1
    assert "take over from it with --takeover" in plain.stderr
    (data / "arena" / "id").write_bytes(b"")  # damaged
    refused = asked(data, "--takeover")
    assert refused.exit_code == 3, refused.output
    assert f"cannot take {data}" in refused.stderr
    assert [running.child(name) for name in CHILDREN] == children
    assert "hands over" not in running.log


def test_one_that_is_stopping_is_not_taken_over(running: Up) -> None:
    data = running.folder / "d"
    worker = running.child("worker")
    os.kill(worker, signal.SIGSTOP)  # it stops when it goes on
    running.process.terminate()
    wait_until(lambda: "web     | stopping" in running.log and not running.child("web"), "it is stopping")
    refused = asked(data, "--takeover")
    os.kill(worker, signal.SIGCONT)
    assert refused.exit_code == 3, refused.output
    assert "it is stopping already" in refused.stderr
    assert running.process.wait(PATIENCE) == 0


def test_what_uses_the_folder_and_knows_nothing_of_takeovers_is_named(running: Up) -> None:
    data = running.folder / "d"
    (data / "up.sock").unlink()  # as of an earlier release
    refused = asked(data, "--takeover")
    assert refused.exit_code == 3, refused.output
    assert "which cannot hand it over: stop that first" in refused.stderr
    assert running.process.poll() is None


def test_the_socket_of_a_killed_one_keeps_nobody_from_starting() -> None:
    with short_folder() as place:
        (place / "d").mkdir()
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(place / "d" / "up.sock"))
        with up("--takeover", folder=place) as found:
            found.wait_until_up()
            assert "took over" not in found.log
