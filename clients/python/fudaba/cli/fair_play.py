"""`fudaba ladder fairplay`: where a ladder's results help an entry more than honest play explains."""

from __future__ import annotations

from typing import Final

import click

from fudaba.cli import _fair_play_words as words
from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.output import as_dict, print_json, say, say_text
from fudaba_games.wording import counted

__all__ = ["fairplay"]

_TIMEOUT_SECONDS: Final = 600.0
"""A report on a million blocks takes minutes."""


@click.command()
@click.argument("name")
@click.option("--season", type=click.IntRange(min=0), default=0, help="Report on this season.  [default: the newest]")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the ids of up to 100 matches of each line.")
def fairplay(name: str, season: int, connection: Connection, as_json: bool) -> None:
    """Report where results help an entry more than honest play explains. Needs the organiser's token.

    Each line says who gains, by how much, and where to look: pairs and accounts that feed an entry, forfeits and void
    blocks that help somebody, workers and shared deals. Nothing is punished by itself. On a ladder that everybody plays
    honestly, chance alone shows a line in one ladder of twenty.

    \b
    Examples:
      fudaba ladder fairplay open
      fudaba ladder fairplay open --season 1 --json
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.GetFairPlayRequest(ladder=name, season=season)
    with connection.client() as client:
        report = client.arena.GetFairPlay(request, timeout=_TIMEOUT_SECONDS)
    if as_json:
        print_json(as_dict(report))
        return
    looked_at = f"{counted(report.comparisons, 'comparison')} in {counted(report.blocks, 'block')} that count"
    say(f"ladder {name}, season {report.season}: {counted(len(report.lines), 'line')}; {looked_at}")
    if not report.comparisons:
        say("too little was played to compare anything")
    say_text(words.fair_play_table(report.lines))
    say(*words.fair_play_sentences(report.lines), words.CAUTION)
