"""Finds contradictions in a readable definition. It must not begin with any, or without anything to play for.

Only new definitions are checked. A begun tournament goes on by its file, whatever the date, and whatever this release
adds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from fudaba.toml_reading import TableReader, shown
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.formats import SWISS
from fudaba_arena.tournament.panel import measured_panels
from fudaba_arena.tournament.season import KEPT, ZERO_FIELD, ZERO_PANEL, ZEROS, Season

__all__ = ["LISTS", "note_contradictions"]

LISTS: Final = ("accounts", "challengers")
"""The keys of a ladder's file that list accounts."""
_ACCOUNT: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
"""The pattern of names that accounts of a service may have."""


def note_contradictions(top: TableReader, tournament: Tournament, now_ms: int) -> None:
    """Notes the mistakes of a definition that is to begin now, in milliseconds since 1970."""
    if tournament.season is not None:
        _note_season(top, tournament.season, now_ms)
        _note_panels(top, tournament)
    elif tournament.format.kind == SWISS:
        _note_rounds(top, tournament)
    limits, wall, move = top.table("limits"), tournament.limits.usual.wall, tournament.clock.move_ms / 1000
    if limits.has("wall") and wall < move:
        limits.wrong("wall", f"wall is {wall:g} s, and a single decision may take {move:g} s; write {move:g} or more")


def _note_rounds(top: TableReader, tournament: Tournament) -> None:
    """Notes rounds in which nobody could meet a new opponent, in any of the games."""
    most = max(_useful_rounds(sum(bot.plays(game.game) for bot in tournament.bots)) for game in tournament.games)
    if tournament.format.rounds > most > 0:
        top.wrong(
            "rounds",
            f"rounds is {tournament.format.rounds}, and after {most} everybody has met everybody; write {most} or"
            " less, and deals for longer blocks",
        )


def _useful_rounds(bots: int) -> int:
    """Returns the number of rounds after which every pair has met; for larger groups, fewer are enough."""
    return bots - 1 if bots % 2 == 0 else bots


def _note_season(top: TableReader, season: Season, now_ms: int) -> None:
    table = top.table("season")
    if season.ends is not None and season.ends_ms <= now_ms:
        now = datetime.fromtimestamp(now_ms / 1000, UTC)
        text = f"the season ends in the past: it is {now:%Y-%m-%dT%H:%M:%SZ} now; write a later date"
        table.wrong("ends", f"{text}, or end a season that goes on: fudaba ladder close")
    if 0 < season.final_blocks < season.provisional_blocks:
        text = (
            f"final_blocks is {season.final_blocks} and provisional_blocks {season.provisional_blocks}: who enters late"
            f" plays the final, and has no rank; write final_blocks = {season.provisional_blocks} or more, a smaller"
            " provisional_blocks, or final_blocks = 0 for no final"
        )
        if table.has("final_blocks"):
            table.wrong("final_blocks", text)
        else:
            top.wrong("provisional_blocks", text)
    limits = top.table("limits")
    for key in ("kept", "kept_files"):
        if season.memory != KEPT and limits.has(key):
            limits.wrong(key, f'{key} is for bots that remember; leave it out, or write memory = "{KEPT}"')
    for key, names in zip(LISTS, (season.accounts, season.challengers), strict=True):
        _note_names(top, key, names)


def _note_panels(top: TableReader, tournament: Tournament) -> None:
    """Notes games without a panel, where panels are to fix the zero of the ratings."""
    if tournament.season is None or top.one_of("zero", ZERO_FIELD, ZEROS, "choice of zero") != ZERO_PANEL:
        return
    for game in tournament.games:
        measured = measured_panels().get(game.game)
        if tournament.season.panel(game.game) is not None:
            continue
        if measured is None or measured.played.rules_version != game.rules_version:
            text = f"no panel was measured for the rules of {game.game}"
        else:
            played = measured.played
            text = (
                f"the panel of {game.game} was measured with {played.seats} seats, the default options and win_margin ="
                f" {played.win_margin:g}, and its strengths hold for these alone; write these"
            )
        top.wrong("zero", f'{text}, or zero = "{ZERO_FIELD}"')


def _note_names(top: TableReader, key: str, names: Sequence[str]) -> None:
    """Notes names that no account can have, and names listed twice."""
    for place, name in enumerate(names):
        if not _ACCOUNT.fullmatch(name):
            rule = "accounts have 1 to 40 of a-z, 0-9 and '-', beginning with a letter"
            top.wrong(key, f"{key} has {shown(name)}, and {rule}; write the account's name", place)
        elif name in names[:place]:
            top.wrong(key, f"{key} has {shown(name)} twice; write it once", place)
