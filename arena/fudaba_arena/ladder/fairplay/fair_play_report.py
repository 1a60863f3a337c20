"""Puts a fair-play report together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fudaba_arena.ladder.fairplay.beside_looks import deal_looks, void_looks, worker_looks
from fudaba_arena.ladder.fairplay.discovery import adjusted
from fudaba_arena.ladder.fairplay.fitted_game import PlayedGame
from fudaba_arena.ladder.fairplay.forfeit_looks import forfeit_looks
from fudaba_arena.ladder.fairplay.lines import Kind, Line, Look, Report
from fudaba_arena.ladder.fairplay.pair_looks import FALSE_ALARM_SHARE, fitted_apart
from fudaba_arena.ladder.fairplay.season import PlayedSeason

__all__ = ["fair_play"]


def fair_play(season: PlayedSeason) -> Report:
    """Returns the report on a season. It is a function of what was played, and may take seconds."""
    games = [game for name in season.margins if (game := PlayedGame.of_season(season, name)) is not None]
    looks = [look for game in games for look in _looks(game)]
    chances = adjusted([look.probability for look in looks], [look.kind for look in looks])
    lines = [
        replace(look.line(), probability=chance)
        for look, chance in zip(looks, chances, strict=True)
        if chance <= FALSE_ALARM_SHARE
    ]
    lines.sort(key=lambda line: (line.probability, line.kind, line.game, line.gaining, line.giving))
    return Report(tuple(_without_repeats(lines)), len(looks), sum(len(game.counted) for game in games))


def _looks(game: PlayedGame) -> Iterator[Look]:
    """Looks at everything in a game."""
    yield from forfeit_looks(game)
    known = fitted_apart(game)
    if known is None:
        return
    fitted, looks = known
    yield from looks
    yield from worker_looks(fitted)
    yield from deal_looks(fitted)
    yield from void_looks(fitted)


def _without_repeats(lines: list[Line]) -> Iterator[Line]:
    """Leaves out that several give to an entry where each of them has a line by itself."""
    pairs = {(line.game, line.gaining, other) for line in lines if line.kind == Kind.PAIR for other in line.giving}
    for line in lines:
        if line.kind != Kind.GATHERED or not all((line.game, line.gaining, other) in pairs for other in line.giving):
            yield line
