"""The room for files that are put aside: nobody keeps it from others by sending slowly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack

import grpc
import httpx
import pytest
from connectrpc.errors import ConnectError

from fudaba.v1 import submissions_pb2
from fudaba_web import spool
from fudaba_web.spool import BODY_SECONDS, Spool, Spooled
from tests.support.patience import until
from tests.support.web.upstream import Upstream, serving

MEGABYTE = 1_000_000


class Clock:
    """A spool, the seconds that go by for it, and the files in it."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.spool = Spool(lambda: self.seconds)
        self.gone: list[str] = []
        self._held = ExitStack()

    def put(self, account: str, size: int = 50 * MEGABYTE) -> Spooled:
        """Puts a file aside that may give way."""
        file = self._held.enter_context(self.spool.room(account, size))
        file.gives_way = lambda: self.gone.append(account)
        return file

    def fill(self) -> list[Spooled]:
        """Puts aside as many bytes as there is room for."""
        return [self.put(f"account-{number}") for number in range(1_000 // 50)]


def test_where_all_room_is_taken_another_file_is_refused_for_a_while() -> None:
    clock = Clock()
    clock.fill()
    clock.seconds = 9.9
    with pytest.raises(ConnectError, match="the gateway has its 1000000000 bytes sent at once"):
        clock.put("late", 1)
    assert clock.gone == []


def test_the_file_that_is_furthest_behind_its_pace_gives_way_to_another_one() -> None:
    clock = Clock()
    files = clock.fill()
    clock.seconds = BODY_SECONDS / 2
    for file in files:
        file.received = 26 * MEGABYTE
    files[3].received, files[7].received = 20 * MEGABYTE, 10 * MEGABYTE
    clock.put("late")
    assert clock.gone == ["account-7"]
    clock.put("later", 10 * MEGABYTE)
    assert clock.gone == ["account-7", "account-3"]
    clock.put("still later", 40 * MEGABYTE)
    with pytest.raises(ConnectError, match="bytes sent at once"):
        clock.put("too late", 1)


def test_a_small_file_that_comes_byte_by_byte_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MAX_FILES", 2)
    clock = Clock()
    clock.put("whole", 100).received = 100
    clock.put("slow", 100).received = 99
    clock.seconds = 10.0
    clock.put("late")
    assert clock.gone == ["slow"]
    with pytest.raises(ConnectError, match="the gateway has its 2 files sent at once"):
        clock.put("later")


def test_an_account_that_breaks_uploads_off_gets_no_time_to_begin() -> None:
    clock = Clock()
    with clock.spool.room("account-5", 50 * MEGABYTE):
        """Nothing comes of it."""
    clock.fill()
    clock.seconds = 1.0
    clock.put("late")
    assert clock.gone == ["account-5"]
    clock.seconds = 601.0
    assert clock.put("account-5", 1).behind(602.0) == 0


def test_no_file_gives_way_where_that_would_not_make_room() -> None:
    clock = Clock()
    files = clock.fill()
    clock.seconds = BODY_SECONDS
    for file in files[1:]:
        file.received = file.size
    with pytest.raises(ConnectError, match="bytes sent at once"):
        clock.put("late", 60 * MEGABYTE)
    assert clock.gone == []


async def test_whose_upload_gives_way_is_told_so_and_the_other_one_is_taken(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "_MAX_FILES", 1)
    monkeypatch.setattr(spool, "_GRACE_SECONDS", 0.0)
    began, ends = asyncio.Event(), asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield b"x"
        began.set()
        await ends.wait()

    async def put(client: httpx.AsyncClient, content: bytes | AsyncIterator[bytes]) -> httpx.Response:
        headers = {"authorization": "Bearer alice's", "content-length": "10"}
        return await client.put("/submissions/one/bot.py", content=content, headers=headers)

    answers = {
        "CreateSubmission": submissions_pb2.CreateSubmissionResponse(account="alice"),
        "WriteSubmission": submissions_pb2.WriteSubmissionResponse(),
        "FinishSubmission": submissions_pb2.FinishSubmissionResponse(),
    }
    folder = tmp_path_factory.mktemp("page")
    async with (
        Upstream(grpc.StatusCode.UNIMPLEMENTED, **answers) as arena,
        serving(folder, arena.address, arena.address) as client,
    ):
        arena.may_answer.set()
        slow = asyncio.create_task(put(client, slowly()))
        await until(began.is_set, "the first byte")
        assert (await put(client, bytes(10))).status_code == 200
        answer = await slow
        ends.set()
        assert answer.json()["code"] == "deadline_exceeded"
        assert "only 1 of 10 bytes of the file arrived while others waited for its room" in answer.text
