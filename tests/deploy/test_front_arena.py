"""The front of deploy/ before an arena, with TLS: authors and watchers come through it, and keep their address."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import WAITING, author, create, register
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.arena.submissions.archives import BOT, Item
from tests.support.certificates import certify
from tests.support.deploy.front import Front
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, wait_until

MAX_STREAMS = 2


@pytest.fixture(scope="module")
def front(need_tool: Callable[[str], Path]) -> Iterator[tuple[Front, Arena]]:
    with short_folder() as folder:
        hosted = Service(folder)
        try:
            with standing(hosted, "--behind", "unix", "--streams-per-host", str(MAX_STREAMS)) as arena:
                certify(need_tool("openssl"), folder / "cert.pem", folder / "key.pem")
                with Front(folder, need_tool("nginx"), arena.address).start() as before:
                    yield before, arena
        finally:
            hosted.stop()


def through(front: Front) -> dict[str, str]:
    """Returns the variables with which `fudaba` calls an arena through a front."""
    return {"FUDABA_ARENA": front.address, "FUDABA_CA_CERT": str(front.folder / "cert.pem")}


def client(front: Front, token: str = "") -> Client:
    return Client(front.address, token, ca_cert=str(front.folder / "cert.pem"))


def test_an_author_submits_through_it(front: tuple[Front, Arena], tmp_path: Path) -> None:
    before, arena = front
    eve = author(arena.service, "eve")
    register(arena.service, eve, "my-bot")
    # Of several pieces.
    for item in (*BOT, Item("noise", os.urandom(1_500_000))):
        (tmp_path / item.name).write_bytes(item.content)
    done = arena.command("bot", "submit", str(tmp_path), "--token", eve, **through(before))
    assert done.returncode == 0, done.stderr
    assert "unpack: passed" in done.stdout


@pytest.mark.exhaustive
def test_a_ladder_is_made_entered_and_followed_through_it(front: tuple[Front, Arena]) -> None:
    before, arena = front
    definition = before.folder / "open.toml"
    definition.write_text(WAITING.format(name="open", narrow=0))
    done = arena.command("ladder", "create", str(definition), **through(before))
    assert done.returncode == 0, done.stderr
    ann = author(arena.service, "ann")
    register(arena.service, ann, "adas")
    with client(before) as anyone:
        stream = iter(anyone.arena.WatchLadder(arena_pb2.WatchLadderRequest(ladder="open"), timeout=PATIENCE))
        next(stream)
        done = arena.command("ladder", "enter", "open", "adas", "--token", ann, **through(before))
        assert done.returncode == 0, done.stderr
        while "adas" not in str(next(stream)):
            pass


@pytest.mark.exhaustive
def test_watchers_count_by_the_address_from_which_they_come_whatever_they_say(front: tuple[Front, Arena]) -> None:
    before, arena = front
    create(arena, WAITING.format(name="watched", narrow=0))
    request = arena_pb2.WatchLadderRequest(ladder="watched")
    with client(before) as anyone:
        streams: list[Any] = []

        def follow(address: str) -> None:
            said = tuple((name, address) for name in ("fudaba-client-address", "x-forwarded-for", "x-real-ip"))
            streams.append(anyone.arena.WatchLadder(request, timeout=PATIENCE, metadata=said))
            next(iter(streams[-1]))

        def follows(address: str) -> bool:
            with contextlib.suppress(ServiceError):
                follow(address)
                return True
            return False

        for last in range(MAX_STREAMS):
            # A stream of the test before ends at the arena a moment after its client.
            wait_until(partial(follows, f"192.0.2.{last}"), "room for a stream")
        with pytest.raises(ServiceError) as info:
            follow("192.0.2.77")
        assert (info.value.reason, bool(info.value.retry_after)) == ("TOO_FAST", True)
    # The front's own address is not theirs.
    with arena.client("") as beside:
        streams.append(beside.arena.WatchLadder(request, timeout=PATIENCE))
        next(iter(streams[-1]))
