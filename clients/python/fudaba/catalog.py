"""Reads a game's page of the catalogue."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

from fudaba.codec import option_to_proto
from fudaba.errors import FudabaError
from fudaba.v1 import catalog_pb2
from fudaba_games.registry import GAMES, AnyGame

__all__ = ["game_message", "only_links_to", "rule_page", "rule_pages", "shared_rules", "values_page"]

_LINK: Final = re.compile(r"\[([^\]]+)\]\(([^)#\s]*)(#[^)\s]*)?\)")


def rule_page(game_id: str) -> str:
    """Returns the rule page of a registered game as Markdown: from docs/rules, or from the copy in a wheel."""
    return _page("rules", game_id)


def rule_pages() -> dict[str, str]:
    """Returns every page of rules, by its file's name. Links to pages elsewhere become plain text."""
    here = Path(__file__).resolve().parent
    for folder in (here / "rules", here.parents[2] / "docs" / "rules"):
        pages = {page.name: page.read_text(encoding="utf-8") for page in sorted(folder.glob("*.md"))}
        if pages:
            return {name: only_links_to(pages, text) for name, text in pages.items()}
    raise FudabaError("this installation lacks the pages of rules; install fudaba again")


def shared_rules() -> dict[str, str]:
    """Returns the pages of rules that several games share, by file name: the games' pages link to them."""
    games = {f"{game_id}.md" for game_id in GAMES}
    shared = {name: text for name, text in rule_pages().items() if name not in games}
    return {name: only_links_to(shared, text) for name, text in shared.items()}


def only_links_to(names: Collection[str], page: str) -> str:
    """Returns a page for readers of only the pages with these names: all other links to pages become plain text."""

    def link(found: re.Match[str]) -> str:
        target = found[2]
        return found[0] if not target or "://" in target or target in names else found[1]

    return _LINK.sub(link, page)


def values_page(game_id: str) -> str:
    """Returns as Markdown what a Python bot gets and returns in a registered game: from docs/values, or from the copy
    in a wheel.
    """
    return _page("values", game_id)


def _page(folder: str, game_id: str) -> str:
    here = Path(__file__).resolve().parent
    for page in (here / folder / f"{game_id}.md", here.parents[2] / "docs" / folder / f"{game_id}.md"):
        if page.is_file():
            return page.read_text(encoding="utf-8")
    raise FudabaError(f"this installation lacks the page {folder}/{game_id}.md; install fudaba again")


def game_message(game: AnyGame) -> catalog_pb2.Game:
    """Returns a registered game as the contract's message."""
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
                description=option.description,
                default_value=option_to_proto(option.default),
                minimum=option.minimum,
                maximum=option.maximum,
                choices=option.choices,
            )
            for option in game.options
        ],
        move_kinds=game.move_kinds,
    )
