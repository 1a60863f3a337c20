"""`fudaba bot enter`."""

from __future__ import annotations

import click

from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.entry_options import entry_options
from fudaba.cli.naming import named_version

__all__ = ["enter"]


@click.command()
@click.argument("bot")
@click.argument("ladder")
@entry_options
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def enter(
    bot: str,
    ladder: str,
    version: str,
    games: tuple[str, ...],
    anyway: bool,
    submission: str,
    connection: Connection,
    as_json: bool,
) -> None:
    """Enter BOT, or BOT@VERSION, in LADDER. Needs its author's token, or the organiser's.

    If another version of the bot is entered, older or newer, this one takes its place. `fudaba ladder enter LADDER BOT`
    does the same. With --submission, before the deadline, an upload that is complete before the deadline is entered
    even if its check passes afterwards.

    \b
    Examples:
      fudaba bot enter careful open
      fudaba bot enter careful@3 open
      fudaba bot enter careful open --submission 4f8a2c91d03be765
    """
    from fudaba.cli.ladder_entries import EntryWish, enter_ladder

    wanted = EntryWish(*named_version(bot, version), games, anyway, submission)
    enter_ladder(connection, ladder, wanted, as_json=as_json)
