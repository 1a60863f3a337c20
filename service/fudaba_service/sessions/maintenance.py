"""Maintenance: a time, announced by the organiser, in which no match can be created.

The announcement is stored, so every replica knows it, and it survives restarts. Whether it is under way follows from
the replicas' shared time alone: nothing has to happen at its beginning or its end.
"""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from datetime import UTC
from typing import Final, final

from google.protobuf.message import DecodeError
from google.protobuf.timestamp_pb2 import Timestamp

from fudaba.v1 import catalog_pb2, errors_pb2
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.refusals import Refused
from fudaba_service.store import Store, StoreUnavailable

__all__ = ["MaintenanceNotice"]

_POLL_SECONDS: Final = 1.0
_ID_BYTES: Final = 8
_AHEAD_MS: Final = 7 * 24 * 3_600_000
"""The time before its beginning in which bots are told of maintenance when they connect."""
_MAX_RETRY_SECONDS: Final = 60.0
"""The longest wait that a refusal advises: maintenance may end early."""


@final
class MaintenanceNotice:
    """The announced maintenance, as the store has it."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics
        self._latest: catalog_pb2.Maintenance | None = None

    @property
    def known(self) -> catalog_pb2.Maintenance | None:
        """The maintenance that is announced or under way, as of the last look; None if there is none."""
        return self._unless_over(self._latest)

    @property
    def is_under_way(self) -> bool:
        """Whether maintenance is under way, as of the last look."""
        found = self.known
        return found is not None and found.begin_time.ToMilliseconds() <= self._store.now_ms()

    def line(self) -> str:
        """Returns a line for authors of bots about the maintenance, as of the last look.

        Empty if none is under way or begins within `_AHEAD_MS`.
        """
        found, now_ms = self.known, self._store.now_ms()
        if found is None or found.begin_time.ToMilliseconds() > now_ms + _AHEAD_MS:
            return ""
        begins = found.begin_time.ToMilliseconds() > now_ms
        since = f" from {_written(found.begin_time)}" if begins else ""
        return f"the service has maintenance{since} until {_until(found)}, in which no match begins: {found.text}"

    async def read(self) -> catalog_pb2.Maintenance | None:
        """Reads the maintenance that is announced or under way. Raises `StoreUnavailable`."""
        return self._unless_over((await self._stored())[1])

    async def check_may_create(self) -> None:
        """Refuses a new match during maintenance. Raises `StoreUnavailable`."""
        found, now_ms = await self.read(), self._store.now_ms()
        if found is None or now_ms < found.begin_time.ToMilliseconds():
            return
        left_seconds = (found.end_time.ToMilliseconds() - now_ms) / 1000
        refused = Refused(
            errors_pb2.REASON_MAINTENANCE,
            f"maintenance until {_until(found)}, and no match is created before: come back then ({found.text})",
            retry_seconds=max(0.001, min(_MAX_RETRY_SECONDS, left_seconds)),
        )
        refused.metadata = {"until": found.end_time.ToJsonString()}
        raise refused

    async def announce(self, begin_ms: int, duration_ms: int, text: str, replaces: str) -> catalog_pb2.Maintenance:
        """Announces maintenance, which begins now if `begin_ms` is 0. `replaces` is the id of the announcement that it
        replaces; empty for none. A repeated request finds what it announced, and changes nothing.
        """
        raw, stored = await self._stored()
        announced, now_ms = self._unless_over(stored), self._store.now_ms()
        new = catalog_pb2.Maintenance(id=secrets.token_hex(_ID_BYTES), text=text)
        new.begin_time.FromMilliseconds(begin_ms or now_ms)
        new.end_time.FromMilliseconds((begin_ms or now_ms) + duration_ms)
        is_known = announced is not None and announced.id == replaces
        if announced is not None and not is_known:
            if _is_same(announced, new):
                return announced
            raise _not_found(announced) if replaces else _announced(announced)
        if replaces and not is_known:
            raise _not_found(None)
        going_on = announced is not None and announced.begin_time == new.begin_time
        if begin_ms and begin_ms < now_ms and not going_on:
            raise Refused.malformed("begin_time is over: choose a later time, or leave it out to begin now")
        if new.end_time.ToMilliseconds() <= now_ms:
            raise Refused.malformed("duration: it would be over already; give a longer one, or end the maintenance")
        if not await self._store.maintenance.swap(raw, new.SerializeToString(deterministic=True)):
            found = await self.read()
            raise _not_found(found) if replaces else _announced(found)
        self._latest = new
        return new

    async def end(self, maintenance_id: str) -> catalog_pb2.Maintenance:
        """Ends or withdraws the maintenance with an id."""
        raw, stored = await self._stored()
        announced = self._unless_over(stored)
        if announced is None or announced.id != maintenance_id:
            raise _not_found(announced)
        if not await self._store.maintenance.swap(raw, None):
            raise _not_found(await self.read())
        self._latest = None
        return announced

    async def run(self) -> None:
        """Looks for changes by other replicas until cancelled, and keeps the metric."""
        while True:
            with suppress(StoreUnavailable):  # the committer says so; what is known stays
                await self._stored()
            self._metrics.maintenance.set(self.is_under_way)
            await asyncio.sleep(_POLL_SECONDS)

    async def _stored(self) -> tuple[bytes | None, catalog_pb2.Maintenance | None]:
        """Reads what is stored, and parses it. A stored value that is damaged announces nothing."""
        raw = await self._store.maintenance.get()
        try:
            self._latest = None if raw is None else catalog_pb2.Maintenance.FromString(raw)
        except DecodeError:
            self._latest = None
        return raw, self._latest

    def _unless_over(self, announced: catalog_pb2.Maintenance | None) -> catalog_pb2.Maintenance | None:
        over = announced is None or announced.end_time.ToMilliseconds() <= self._store.now_ms()
        return None if over else announced


def _until(announced: catalog_pb2.Maintenance) -> str:
    return _written(announced.end_time)


def _written(time: Timestamp) -> str:
    return f"{time.ToDatetime(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _is_same(announced: catalog_pb2.Maintenance, new: catalog_pb2.Maintenance) -> bool:
    """Returns whether two announcements differ in nothing but their id."""
    return (announced.begin_time, announced.end_time, announced.text) == (new.begin_time, new.end_time, new.text)


def _announced(announced: catalog_pb2.Maintenance | None) -> Refused:
    """Returns the refusal of a second announcement."""
    if announced is None:
        message = "the announced maintenance was ended just now; nothing was changed: try again"
    else:
        begin = _written(announced.begin_time)
        message = (
            f"maintenance is announced already, from {begin} to {_until(announced)} ({announced.text}); nothing was "
            "changed: replace it (fudaba maintenance begin --change) or end it first"
        )
    return Refused(errors_pb2.REASON_MAINTENANCE_ANNOUNCED, message)


def _not_found(announced: catalog_pb2.Maintenance | None) -> Refused:
    """Returns the refusal of a change of maintenance that is over, or was changed meanwhile."""
    state = "none is announced now" if announced is None else f"another one is announced now ({announced.text})"
    return Refused(
        errors_pb2.REASON_MAINTENANCE_NOT_FOUND,
        f"this maintenance is over, or was changed meanwhile, and {state}; nothing was changed",
    )
