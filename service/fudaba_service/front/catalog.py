"""CatalogService: what can be played."""

from __future__ import annotations

from typing import final

from fudaba.catalog import game_message, rule_page
from fudaba.v1 import catalog_pb2, catalog_pb2_grpc
from fudaba_games.registry import GAMES, game
from fudaba_service.front.guard import Context

__all__ = ["CatalogServicer"]


@final
class CatalogServicer(catalog_pb2_grpc.CatalogServiceServicer):
    """See catalog.proto."""

    async def ListGames(self, request: catalog_pb2.ListGamesRequest, context: Context) -> catalog_pb2.ListGamesResponse:
        """See catalog.proto."""
        return catalog_pb2.ListGamesResponse(games=[game_message(GAMES[name]) for name in sorted(GAMES)])

    async def GetGame(self, request: catalog_pb2.GetGameRequest, context: Context) -> catalog_pb2.GetGameResponse:
        """See catalog.proto."""
        found = game(request.game)
        return catalog_pb2.GetGameResponse(game=game_message(found), rules=rule_page(found.id))
