"""Fills in the bots of a new knockout that asks for the best bots of a ladder."""

from __future__ import annotations

import time
import tomllib
from typing import final

from fudaba.toml_lines import toml_lines
from fudaba.toml_reading import Mistakes, TableReader, suggestion
from fudaba_arena.api.ratings import Ratings
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.tournament_registry import DEFINITION, TournamentRegistry
from fudaba_arena.tournament.file import BadTournament
from fudaba_arena.tournament.games import read_games
from fudaba_arena.tournament.ladder_seeds import SeedRequest, is_seeded, read_seed_request, seeded_text, top_of
from fudaba_arena.tournament.seed_source import FROM_LADDER, SeedSource
from fudaba_games.wording import counted

__all__ = ["with_ladder_seeds"]


async def with_ladder_seeds(text: str, registry: TournamentRegistry, ratings: Ratings) -> str:
    """Returns a definition with the bots that it asks for; one that asks for none stays as it is.

    A definition of which a tournament has begun gets the bots of that tournament, whatever the ladder's standings are
    by now. Raises `BadTournament` where a ladder has no such season, or its standings are not final and open to
    everybody, and `BadStored` for a season that this release cannot read.
    """
    request, mistakes = read_seed_request(text)
    if mistakes:
        raise BadTournament(DEFINITION, mistakes)
    if request is None:
        return text
    top = TableReader(tomllib.loads(text), (), Mistakes(toml_lines(text)))
    begun = await registry.find(top.text("name", ""))
    if begun is not None and begun.source is not None and is_seeded(begun.source.text, text):
        return begun.source.text
    game = _game(top)
    return await _Seeding(text, registry, ratings, request).filled_in(game) if game else text


def _game(top: TableReader) -> str:
    """Returns the only game of a definition; empty where there is none, which reading all of it reports."""
    games = read_games(top)
    return games[0].game if len(games) == 1 else ""


@final
class _Seeding:
    """The answer to one request for the bots of a ladder."""

    def __init__(self, text: str, registry: TournamentRegistry, ratings: Ratings, request: SeedRequest) -> None:
        self._text = text
        self._registry = registry
        self._ratings = ratings
        self._request = request

    async def filled_in(self, game: str) -> str:
        """Returns the definition with the bots of the ladder's table of a game."""
        season = await self._season()
        rules, name = season.state.tournament.season, season.name
        if rules is None:
            raise ValueError(f"{name} is no season")
        where = f"season {rules.number} of {rules.ladder}"
        if rules.standings_frozen(int(time.time() * 1000)):
            raise self._refused(
                "ladder", f"the standings of {where} are frozen; open them first: fudaba ladder open {rules.ladder}"
            )
        ladders = await self._ratings.ladders(season)
        if game not in ladders.games:
            raise self._refused("ladder", f"{where} has no table of {game}, only of {', '.join(ladders.games)}")
        ranked = [(row.bot, row.rank) for row in ladders.games[game].rows]
        best = top_of(ranked, self._request.top)
        if len(best) < self._request.top:
            raise self._refused(
                "top", f"{where} ranks {counted(len(best), 'bot')} in {game}; write at most that number as top"
            )
        source = SeedSource(rules.ladder, rules.number, season.state.id, game, ladders.point)
        return seeded_text(self._text, source, [season.state.entrants[version] for version in best])

    async def _season(self) -> ArenaTournament:
        """Returns the season whose standings are taken, which is over."""
        ladder, number = self._request.ladder, self._request.season
        ladders = await self._registry.ladders()
        newest = ladders.get(ladder, 0)
        if not newest:
            instead = suggestion(ladder, sorted(ladders)) if ladders else "the arena has none"
            raise self._refused("ladder", f"there is no ladder {ladder}; {instead}")
        if number > newest:
            raise self._refused("season", f"{ladder} has no season {number}; its newest is season {newest}")
        for wanted in [number] if number else range(newest, 0, -1):
            season = await self._registry.season(ladder, wanted)
            if season is None:  # an earlier one must not stand in for it
                await self._registry.check_season_readable(ladder, wanted)
            elif season.state.stored.closed:
                return season
        over = f"season {number} of {ladder} is not over" if number else f"no season of {ladder} is over"
        raise self._refused(
            "season" if number else "ladder",
            f"{over}, so its standings may change; end it first: fudaba ladder close {ladder}",
        )

    def _refused(self, key: str, why: str) -> BadTournament:
        source = self._registry.source(self._text)
        return BadTournament(DEFINITION, [source.mistake([(FROM_LADDER, key), (FROM_LADDER,)], why)])
