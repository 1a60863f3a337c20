"""Finds bots of a tournament whose names people could confuse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fudaba_arena.ladder.ladders import Ladder, Ladders
from fudaba_arena.tournament.definition import BotEntry
from fudaba_serving.names.likeness import likeness

__all__ = ["lookalikes", "marked"]


def lookalikes(bots: Iterable[BotEntry]) -> dict[str, str]:
    """Finds names that look alike. Returns for each bot the name of the first similar bot. Bots of one owner may look
    alike.

    Each bot of a pair is marked with the other's name, since nothing here shows which of them was known first.
    """
    owners = {bot.bot: bot.owner for bot in bots}
    groups: dict[str, list[str]] = {}
    for name in owners:
        groups.setdefault(likeness(name), []).append(name)
    found: dict[str, str] = {}
    for first, *others in groups.values():
        stranger = next((name for name in others if owners[name] != owners[first]), "")
        if stranger:
            found |= {name: stranger if owners[name] == owners[first] else first for name in (first, *others)}
    return found


def marked(ladders: Ladders, bots: Iterable[BotEntry]) -> Ladders:
    """Returns the ladders of these bots, with the similar name in each row that has one."""
    entered = list(bots)
    found = lookalikes(entered)
    if not found:
        return ladders
    of_rows = {bot.name: found.get(bot.bot, "") for bot in entered}

    def with_marks(ladder: Ladder) -> Ladder:
        return replace(ladder, rows=tuple(replace(row, looks_like=of_rows.get(row.bot, "")) for row in ladder.rows))

    games = {game: with_marks(ladder) for game, ladder in ladders.games.items()}
    only = next((games[game] for game, ladder in ladders.games.items() if ladder is ladders.overall), None)
    return replace(ladders, overall=only or with_marks(ladders.overall), games=games)
