"""CatalogService: the games that can be played."""

from __future__ import annotations

from typing import final

from fudaba.catalog import game_message, rule_page, shared_rules
from fudaba.v1 import catalog_pb2, catalog_pb2_grpc
from fudaba_games.registry import GAMES, AnyGame, game
from fudaba_service.accounts.house_bots import house_bots
from fudaba_service.api.guard import Context
from fudaba_service.settings import Settings

__all__ = ["CatalogServicer"]


@final
class CatalogServicer(catalog_pb2_grpc.CatalogServiceServicer):
    """See catalog.proto."""

    def __init__(self, settings: Settings) -> None:
        self._guests = settings.guests
        self._registration = catalog_pb2.Registration.Value(f"REGISTRATION_{settings.registration.upper()}")
        self._shared_rules = shared_rules()

    async def ListGames(self, request: catalog_pb2.ListGamesRequest, context: Context) -> catalog_pb2.ListGamesResponse:
        """See catalog.proto."""
        games = [_hosted(GAMES[name]) for name in sorted(GAMES)]
        return catalog_pb2.ListGamesResponse(games=games, guests=self._guests, registration=self._registration)

    async def GetGame(self, request: catalog_pb2.GetGameRequest, context: Context) -> catalog_pb2.GetGameResponse:
        """See catalog.proto."""
        found = game(request.game)
        response = catalog_pb2.GetGameResponse(game=_hosted(found), rules=rule_page(found.id))
        for name, text in self._shared_rules.items():
            response.shared_rules.add(name=name, text=text)
        return response


def _hosted(game: AnyGame) -> catalog_pb2.Game:
    """Returns a game as this service hosts it, with its house bots."""
    message = game_message(game)
    for house in house_bots(game.id):
        message.house_bots.add(name=house.name, description=house.description)
    return message
