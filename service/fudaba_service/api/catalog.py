"""CatalogService: the games that can be played, and maintenance."""

from __future__ import annotations

from typing import Final, final

from fudaba.catalog import game_message, rule_page, shared_rules
from fudaba.v1 import catalog_pb2, catalog_pb2_grpc
from fudaba_games.registry import GAMES, AnyGame, game
from fudaba_service.accounts.house_bots import house_bots
from fudaba_service.api.guard import Context
from fudaba_service.refusals import Refused, check_text
from fudaba_service.sessions.host import Host
from fudaba_service.settings import Settings

__all__ = ["CatalogServicer"]

_MIN_MAINTENANCE_MS: Final = 1000
_MAX_MAINTENANCE_MS: Final = 7 * 24 * 3_600_000
_MAX_AHEAD_MS: Final = 90 * 24 * 3_600_000
"""How far ahead maintenance may be announced."""
_MAX_TEXT_CHARS: Final = 300


@final
class CatalogServicer(catalog_pb2_grpc.CatalogServiceServicer):
    """See catalog.proto."""

    def __init__(self, host: Host, settings: Settings) -> None:
        self._host = host
        self._guests = settings.guests
        self._registration = catalog_pb2.Registration.Value(f"REGISTRATION_{settings.registration.upper()}")
        self._shared_rules = shared_rules()

    async def ListGames(self, request: catalog_pb2.ListGamesRequest, context: Context) -> catalog_pb2.ListGamesResponse:
        """See catalog.proto."""
        games = [_hosted(GAMES[name]) for name in sorted(GAMES)]
        return catalog_pb2.ListGamesResponse(
            games=games,
            guests=self._guests,
            registration=self._registration,
            maintenance=self._host.maintenance.known,
        )

    async def GetGame(self, request: catalog_pb2.GetGameRequest, context: Context) -> catalog_pb2.GetGameResponse:
        """See catalog.proto."""
        found = game(request.game)
        response = catalog_pb2.GetGameResponse(game=_hosted(found), rules=rule_page(found.id))
        for name, text in self._shared_rules.items():
            response.shared_rules.add(name=name, text=text)
        return response

    async def GetMaintenance(
        self, request: catalog_pb2.GetMaintenanceRequest, context: Context
    ) -> catalog_pb2.GetMaintenanceResponse:
        """See catalog.proto."""
        response = catalog_pb2.GetMaintenanceResponse(maintenance=await self._host.maintenance.read())
        response.now.FromMilliseconds(self._host.store.now_ms())
        return response

    async def BeginMaintenance(
        self, request: catalog_pb2.BeginMaintenanceRequest, context: Context
    ) -> catalog_pb2.BeginMaintenanceResponse:
        """See catalog.proto."""
        duration_ms = request.duration.seconds * 1000 + request.duration.nanos // 1_000_000
        if not _MIN_MAINTENANCE_MS <= duration_ms <= _MAX_MAINTENANCE_MS:
            raise Refused.malformed("duration: maintenance lasts from a second to seven days")
        if not request.text.strip():
            raise Refused.malformed("text is empty: say what the maintenance is for")
        check_text("text", request.text, _MAX_TEXT_CHARS)
        begin_ms = 0
        if request.HasField("begin_time"):
            begin_ms = request.begin_time.seconds * 1000 + request.begin_time.nanos // 1_000_000
            if not 0 < begin_ms <= self._host.store.now_ms() + _MAX_AHEAD_MS:
                raise Refused.malformed("begin_time: announce maintenance at most 90 days before it begins")
        announced = await self._host.maintenance.announce(begin_ms, duration_ms, request.text, request.replaces)
        return catalog_pb2.BeginMaintenanceResponse(maintenance=announced)

    async def EndMaintenance(
        self, request: catalog_pb2.EndMaintenanceRequest, context: Context
    ) -> catalog_pb2.EndMaintenanceResponse:
        """See catalog.proto."""
        if not request.id:
            raise Refused.malformed(
                "id is empty: name the maintenance by its id, as `fudaba maintenance show --json` gives it"
            )
        return catalog_pb2.EndMaintenanceResponse(maintenance=await self._host.maintenance.end(request.id))


def _hosted(game: AnyGame) -> catalog_pb2.Game:
    """Returns a game as this service hosts it, with its house bots."""
    message = game_message(game)
    for house in house_bots(game.id):
        message.house_bots.add(name=house.name, description=house.description)
    return message
