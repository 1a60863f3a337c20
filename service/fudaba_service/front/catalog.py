"""CatalogService: what can be played."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, final

from fudaba.codec import option_to_proto
from fudaba.v1 import catalog_pb2, catalog_pb2_grpc
from fudaba_games.game import Game, Option
from fudaba_games.registry import GAMES, game
from fudaba_service.front.guard import Context

__all__ = ["CatalogServicer"]


@final
class CatalogServicer(catalog_pb2_grpc.CatalogServiceServicer):
    """See catalog.proto."""

    async def ListGames(self, request: catalog_pb2.ListGamesRequest, context: Context) -> catalog_pb2.ListGamesResponse:
        """See catalog.proto."""
        return catalog_pb2.ListGamesResponse(games=[_game(GAMES[name]) for name in sorted(GAMES)])

    async def GetGame(self, request: catalog_pb2.GetGameRequest, context: Context) -> catalog_pb2.GetGameResponse:
        """See catalog.proto."""
        found = game(request.game)
        page = files(f"fudaba_games.{found.id}") / "rules.md"
        return catalog_pb2.GetGameResponse(game=_game(found), rules=page.read_text(encoding="utf-8"))


def _game(found: Game[Any, Any, Any, Any]) -> catalog_pb2.Game:
    return catalog_pb2.Game(
        id=found.id,
        name=found.name,
        japanese_name=found.japanese_name,
        rules_version=found.rules_version,
        min_seats=found.min_seats,
        max_seats=found.max_seats,
        options=[_option(option) for option in found.options],
        move_kinds=found.move_kinds,
    )


def _option(option: Option) -> catalog_pb2.Option:
    return catalog_pb2.Option(
        name=option.name,
        text=option.text,
        default_value=option_to_proto(option.default),
        minimum=option.minimum,
        maximum=option.maximum,
        choices=option.choices,
    )
