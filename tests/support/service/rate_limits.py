"""Tries a client's rate limits, and looks what others notice of a client beyond them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import grpc
from grpc_status import rpc_status

from fudaba.v1 import (
    record_pb2,
)
from tests.support.service.bots import reason_of
from tests.support.service.in_progress import match_in_progress
from tests.support.service.organiser import Organiser, kinds
from tests.support.service.processes import Service, free_port


@contextlib.contextmanager
def limited(folder: Path, *options: str) -> Iterator[Service]:
    """Yields a service with limits of its own; whatever comes, it logs no fault."""
    port = free_port()
    with Service(folder, "--metrics", f"127.0.0.1:{port}", *options) as service:
        service.metrics_port = port
        yield service.start()
        for sign in ("Traceback", " fault ", "never retrieved"):
            assert sign not in service.log, service.log


def retry_seconds(error: grpc.RpcError) -> float:
    """Returns what the service says about when to try again."""
    from google.rpc import error_details_pb2

    status = rpc_status.from_call(error)  # type: ignore[arg-type]  # the error of a call is one
    for detail in status.details if status is not None else ():
        info = error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            return float(info.retry_delay.ToTimedelta().total_seconds())
    return 0.0


def check_cut(error: grpc.RpcError) -> None:
    """Checks that it was cut for its speed, and told when to come back."""
    assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED, error
    assert reason_of(error) == "TOO_FAST"
    assert retry_seconds(error) > 0
    assert "allowed" in (error.details() or "")


@contextlib.asynccontextmanager
async def others_notice_nothing(service: Service) -> AsyncIterator[Organiser]:
    """Checks that two bots play on until the block is left: nobody's time runs out, and no more of it is charged than
    there was.
    """
    async with Organiser(service.address, service.token) as organiser:
        clock = record_pb2.Clock(move_ms=20_000, max_timeouts=1)
        began = time.monotonic()
        async with match_in_progress(organiser, [service.address], clock) as match:
            yield organiser
            record = await match.check(organiser)
        lasted = time.monotonic() - began
    assert set(kinds(record)) == {"ready", "move"}
    for seat in range(2):
        assert sum(entry.spent.bot_us for entry in record.log if entry.seat == seat) <= lasted * 1e6


class Counted:
    def __init__(self) -> None:
        self.kinds: list[str] = []

    def slow(self, kind: str) -> None:
        self.kinds.append(kind)


class Allowed:
    calls_per_second = 10.0
    messages_per_second = 10.0
    concurrent_calls = 3
