"""The site's status, for strangers: whether service and arena answer and since when, announced maintenance, and what
the ladders play.

The gateway answers while the service or the arena is away. It asks both for their health at intervals, so that it knows
since when; what else it shows it asks for only when somebody looks, with the rights of a caller without a token.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, final

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from grpc import aio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from fudaba import __version__
from fudaba.v1 import arena_pb2, catalog_pb2
from fudaba_web.upstreams import Upstreams

__all__ = ["PATH", "Status"]

PATH: Final = "/status.json"
LOOK_SECONDS: Final = 5.0
"""The time in seconds between two looks at whether service and arena answer."""
READ_SECONDS: Final = 15.0
"""The time in seconds for which what they say is kept."""
TIMEOUT_SECONDS: Final = 4.0
"""The time in seconds that service and arena have to answer."""
MAX_LADDERS: Final = 50
MAX_QUEUES: Final = 10
"""The number of ladders without a match in play that are asked for their reason."""
_GET_MAINTENANCE: Final = catalog_pb2.DESCRIPTOR.services_by_name["CatalogService"].methods_by_name["GetMaintenance"]
_ARENA: Final = arena_pb2.DESCRIPTOR.services_by_name["ArenaService"].methods_by_name
_OPEN_STATES: Final = frozenset({arena_pb2.LADDER_STATE_PLAYING, arena_pb2.LADDER_STATE_FINAL})


@final
@dataclass(slots=True)
class _Presence:
    """Whether a server answers, and since when that is so."""

    is_there: bool | None = None
    """None before the first look."""
    since: datetime | None = None
    is_since_first_look: bool = True
    """Whether it has been so since this gateway first looked, and maybe for longer."""

    def note(self, is_there: bool, at: datetime) -> None:
        """Notes the result of a look."""
        if is_there is self.is_there:
            return
        self.is_since_first_look = self.is_there is None
        self.is_there, self.since = is_there, at

    def as_json(self) -> dict[str, Any]:
        """Returns it for programs."""
        state = "unknown" if self.is_there is None else "there" if self.is_there else "away"
        return {"state": state, "since": _iso(self.since), "sinceAtLeast": self.is_since_first_look}


@final
class Status:
    """The status as this gateway has seen it."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams = upstreams
        self._service = _Presence()
        self._arena = _Presence() if upstreams.has(_ARENA["ListLadders"]) else None
        self._maintenance: dict[str, Any] | None = None
        self._ladders: list[dict[str, Any]] | None = None
        self._counted_matches: Mapping[str, int] = {}
        self._last_result: datetime | None = None
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()

    async def follow(self) -> None:
        """Looks whether service and arena answer, again and again, until cancelled."""
        while True:
            await self._look()
            await asyncio.sleep(LOOK_SECONDS)

    def route(self) -> Route:
        """Returns the path at which page and programs read the status."""
        return Route(PATH, self._get, methods=["GET"])

    async def _get(self, _: Request) -> Response:
        async with self._reading:  # however many look at once, it is asked for once
            now = asyncio.get_running_loop().time()
            if now - self._read_at >= READ_SECONDS:
                await self._read()
                self._read_at = now
        return JSONResponse(self._as_json(), headers={"cache-control": "no-cache", "access-control-allow-origin": "*"})

    def _as_json(self) -> dict[str, Any]:
        is_known = self._ladders is not None and self._arena is not None and self._arena.is_there
        return {
            "now": _iso(datetime.now(UTC)),
            "version": __version__,
            "service": self._service.as_json(),
            "arena": None if self._arena is None else self._arena.as_json(),
            "maintenance": self._maintenance,
            "ladders": self._ladders if is_known else None,
            "matchesCounted": sum(self._counted_matches.values()) if is_known else None,
            "lastResultTime": _iso(self._last_result),
        }

    async def _look(self) -> None:
        """Asks service and arena for their health."""
        service, arena = await asyncio.gather(
            self._upstreams.is_serving("service", TIMEOUT_SECONDS),
            self._upstreams.is_serving("arena", TIMEOUT_SECONDS),
        )
        now = datetime.now(UTC)
        self._service.note(service, now)
        if self._arena is not None:
            self._arena.note(arena, now)

    async def _read(self) -> None:
        """Reads what service and arena tell anybody, from both at once, so that neither waits for a frozen other.

        What a server that is away said last stands until it is back.
        """
        await asyncio.gather(self._read_maintenance(), self._read_ladders())

    async def _read_maintenance(self) -> None:
        with suppress(aio.AioRpcError):
            answer = await self._call(_GET_MAINTENANCE, catalog_pb2.GetMaintenanceRequest())
            self._maintenance = _maintenance_json(answer) if answer.HasField("maintenance") else None

    async def _read_ladders(self) -> None:
        if self._arena is not None:
            with suppress(aio.AioRpcError):
                self._ladders = await self._listed_ladders()

    async def _listed_ladders(self) -> list[dict[str, Any]]:
        answer = await self._call(_ARENA["ListLadders"], arena_pb2.ListLaddersRequest(page_size=MAX_LADDERS))
        ladders: Sequence[arena_pb2.Ladder] = answer.ladders
        counted = {ladder.tournament.name: ladder.tournament.progress.matches_counted for ladder in ladders}
        if any(count > self._counted_matches.get(season, count) for season, count in counted.items()):
            self._last_result = datetime.now(UTC)
        self._counted_matches = counted
        idle = [ladder.name for ladder in ladders if _is_idle(ladder)][:MAX_QUEUES]
        reasons = dict(zip(idle, await asyncio.gather(*map(self._idle_reason, idle)), strict=True))
        return [_ladder_json(ladder) | reasons.get(ladder.name, {}) for ladder in ladders]

    async def _idle_reason(self, ladder: str) -> dict[str, Any]:
        """Returns why a ladder plays nothing; nothing if it plays something by now, or if its queue is hidden."""
        try:
            queue = await self._call(_ARENA["GetQueue"], arena_pb2.GetQueueRequest(tournament=ladder, size=1))
        except aio.AioRpcError:
            return {}
        if not queue.HasField("idle_reason"):
            return {}
        return {"idleReason": MessageToDict(queue.idle_reason), "idleBecause": queue.idle_because}

    async def _call(self, method: MethodDescriptor, request: Message) -> Any:
        return await self._upstreams.unary(method)(
            request, metadata=self._upstreams.vouched(""), timeout=TIMEOUT_SECONDS
        )


def _is_idle(ladder: arena_pb2.Ladder) -> bool:
    return ladder.state in _OPEN_STATES and ladder.tournament.progress.matches_playing == 0


def _ladder_json(ladder: arena_pb2.Ladder) -> dict[str, Any]:
    state = arena_pb2.LadderState.Name(ladder.state).removeprefix("LADDER_STATE_").lower()
    return {
        "name": ladder.name,
        "state": state,
        "matchesPlaying": ladder.tournament.progress.matches_playing,
        "matchesCounted": ladder.tournament.progress.matches_counted,
        "workers": sum(isolation.workers for isolation in ladder.isolations),
    }


def _maintenance_json(answer: catalog_pb2.GetMaintenanceResponse) -> dict[str, Any]:
    """Returns the maintenance by this machine's clock, which the page compares with `now`."""
    ahead = datetime.now(UTC) - answer.now.ToDatetime(UTC)
    announced = answer.maintenance
    return {
        "beginTime": _iso(announced.begin_time.ToDatetime(UTC) + ahead),
        "endTime": _iso(announced.end_time.ToDatetime(UTC) + ahead),
        "text": announced.text,
    }


def _iso(at: datetime | None) -> str | None:
    return None if at is None else f"{at:%Y-%m-%dT%H:%M:%SZ}"
