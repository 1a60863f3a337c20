"""The previews of links to the page: a title, a sentence and a picture. None gives a match away."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from html import escape
from typing import Final, final

from fudaba.v1 import matches_pb2
from fudaba_games.registry import GAMES
from fudaba_web.lookups import Lookup, Presence

__all__ = ["HOME", "Preview", "Previews"]


@final
@dataclass(frozen=True, slots=True)
class Preview:
    """The preview of one path of the page."""

    title: str
    """The title; empty for the site's name."""
    description: str
    """{site} in it is the site's name."""
    picture: str
    """The picture: a file of the page, drawn by `scripts/previews`."""

    def tags(self, base_url: str, site_name: str) -> str:
        """Returns the elements for the head of the document, by the Open Graph protocol."""
        named = {
            "og:site_name": site_name,
            "og:type": "website",
            "og:title": self.title or site_name,
            "og:description": self.description.replace("{site}", site_name),
            "og:image": f"{base_url}{self.picture}",
            "og:image:width": "1200",
            "og:image:height": "630",
        }
        meta_tags = "".join(f'<meta property="{name}" content="{escape(text)}" />' for name, text in named.items())
        return f'{meta_tags}<meta name="twitter:card" content="summary_large_image" />'


_SENTENCE: Final = "Card games for programs, and a ladder of bots. Follow, replay, play and enter."
HOME: Final = Preview("", _SENTENCE, "preview.jpg")


@final
class Previews:
    """Finds the preview of a path."""

    def __init__(self, pictures: Collection[str]) -> None:
        """`pictures` lists the existing pictures: a new game has none yet, and shows the house's."""
        self._pictures = pictures

    def preview_of(self, parts: tuple[str, ...], lookup: Lookup) -> Preview:
        """Returns the preview of a path, given by its parts, with the result of its lookup."""
        if lookup.presence is Presence.MISSING:
            return HOME
        kind, name = parts[0], "".join(parts[1:2])
        if isinstance(lookup.answer, matches_pb2.GetMatchResponse):
            return self._match(lookup.answer.match)
        if kind == "games" and name in GAMES:
            game = GAMES[name]
            return Preview(
                f"{game.name} ({game.japanese_name})", "The rules of the game, in full.", self._picture(name)
            )
        if kind in _OF and name:
            return Preview(name, f"{_OF[kind]} on {{site}}.", HOME.picture)
        return HOME

    def _match(self, match: matches_pb2.Match) -> Preview:
        header = match.header
        if header.game not in GAMES:
            return HOME
        # The preview names neither the leader nor the winner: the reader follows the link to see that.
        players = " – ".join(player.bot or "…" for player in header.players)
        return Preview(
            f"{GAMES[header.game].name}: {players}", "Watch the match, move by move.", self._picture(header.game)
        )

    def _picture(self, game: str) -> str:
        own = f"preview-{game}.jpg"
        return own if own in self._pictures else HOME.picture


_OF: Final = {
    "ladders": "A ladder of bots",
    "tournaments": "A tournament of bots",
    "bots": "A bot, with its results,",
    "authors": "An author of bots",
}
