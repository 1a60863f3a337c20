"""What the catalogue says of a game."""

from __future__ import annotations

from pathlib import Path

from fudaba.codec import option_to_proto
from fudaba.errors import FudabaError
from fudaba.v1 import catalog_pb2
from fudaba_games.registry import AnyGame

__all__ = ["game_message", "rule_page", "values_page"]


def rule_page(game_id: str) -> str:
    """The rule page of a registered game as Markdown: in a wheel a copy, in a checkout the page in docs/rules."""
    return _page("rules", game_id)


def values_page(game_id: str) -> str:
    """What a Python bot gets and returns in a registered game, as Markdown: a copy, or the page in docs/values."""
    return _page("values", game_id)


def _page(folder: str, game_id: str) -> str:
    here = Path(__file__).resolve().parent
    for page in (here / folder / f"{game_id}.md", here.parents[2] / "docs" / folder / f"{game_id}.md"):
        if page.is_file():
            return page.read_text(encoding="utf-8")
    raise FudabaError(f"this installation lacks the page {folder}/{game_id}.md; install fudaba again")


def game_message(game: AnyGame) -> catalog_pb2.Game:
    """A game of the registry as the contract's message."""
    return catalog_pb2.Game(
        id=game.id,
        name=game.name,
        japanese_name=game.japanese_name,
        rules_version=game.rules_version,
        min_seats=game.min_seats,
        max_seats=game.max_seats,
        options=[
            catalog_pb2.Option(
                name=option.name,
                text=option.text,
                default_value=option_to_proto(option.default),
                minimum=option.minimum,
                maximum=option.maximum,
                choices=option.choices,
            )
            for option in game.options
        ],
        move_kinds=game.move_kinds,
    )
