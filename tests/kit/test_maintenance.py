"""The log of a bot tells its author of maintenance, once for each connection."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fudaba._maintenance import log_maintenance
from fudaba._stream import play
from fudaba.bots import First
from fudaba.client import Client
from fudaba.v1 import catalog_pb2
from tests.support.patience import PATIENCE

pytest.importorskip("redis", reason="the service's extra is not installed")

from tests.support.kit.served import Served
from tests.support.service.processes import free_port

DAY_SECONDS = 24 * 3600
TEXT = "New disks"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    service = Served(tmp_path_factory.mktemp("s"), listen=f"127.0.0.1:{free_port()}")
    service.start()
    yield service
    service.kill()


@contextmanager
def announced(served: Served, begins_in_seconds: int = 0) -> Iterator[None]:
    """Announces maintenance of an hour, and ends it when the context is left."""
    request = catalog_pb2.BeginMaintenanceRequest(text=TEXT)
    request.duration.FromSeconds(3600)
    if begins_in_seconds:
        request.begin_time.FromSeconds(int(time.time()) + begins_in_seconds)
    with Client(served.address, served.token) as client:
        begun = client.catalog.BeginMaintenance(request, timeout=PATIENCE).maintenance
        try:
            yield
        finally:
            client.catalog.EndMaintenance(catalog_pb2.EndMaintenanceRequest(id=begun.id), timeout=PATIENCE)


@pytest.mark.parametrize(
    ("begins_in_seconds", "words"),
    [
        (0, "the service has maintenance until "),
        (DAY_SECONDS, "the service has maintenance from "),
        (8 * DAY_SECONDS, ""),
    ],
    ids=["under way", "soon", "later"],
)
async def test_the_log_says_from_when_until_when_and_what_for(
    served: Served, caplog: pytest.LogCaptureFixture, begins_in_seconds: int, words: str
) -> None:
    endpoint = served.bot(f"bot-{begins_in_seconds}").endpoint()
    with announced(served, begins_in_seconds):
        async with endpoint.aio_channel() as channel:
            await log_maintenance(channel, endpoint)
    assert len(caplog.messages) == bool(words)
    for message in caplog.messages:
        assert message.startswith(words)
        assert message.endswith(f", in which no match begins: {TEXT}")


async def test_a_bot_says_so_once_it_is_connected(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    stop = asyncio.Event()
    logging.getLogger("fudaba").addHandler(heard := Heard(TEXT))
    try:
        with announced(served):
            playing = asyncio.create_task(play(First, served.bot("told"), stop))
            async with asyncio.timeout(PATIENCE):
                await heard.event.wait()
            stop.set()
            await playing
    finally:
        logging.getLogger("fudaba").removeHandler(heard)
    assert sum(TEXT in message for message in caplog.messages) == 1


class Heard(logging.Handler):
    """Sets an event when a text is logged."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.event = asyncio.Event()
        self._text = text

    def emit(self, record: logging.LogRecord) -> None:
        if self._text in record.getMessage():
            self.event.set()
