"""`fudaba bot casual`: which casual matches players may begin against a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.output import as_dict, print_json, say, say_text, table
from fudaba.cli.paging import every_page
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import bots_pb2

__all__ = ["casual"]

_TIMEOUT_SECONDS: Final = 30
_MAX_MATCHES: Final = 20


@click.command()
@click.argument("name", default="")
@connection_options
@click.option("--game", "games", metavar="GAME", multiple=True, help="Allow casual matches of GAME; can be repeated.")
@click.option("--at-once", type=click.IntRange(1, _MAX_MATCHES), metavar="N",
              help="With --game: allow N unfinished casual matches at once.  [default: 1]")  # fmt: skip
@click.option("--off", is_flag=True, help="Allow none any more; matches that have begun go on.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def casual(
    name: str, connection: Connection, games: tuple[str, ...], at_once: int | None, off: bool, as_json: bool
) -> None:
    """Let players begin casual matches against the bot NAME: unrated, from its page or with `fudaba match create`.

    Needs the token of the bot's author, the bot's own, or the organiser's. With a bot's own token, leave NAME out.
    --game replaces what was allowed before. A bot that is full or paused begins no match; rated matches wait while
    casual ones have the bot's places, see `fudaba bot run --capacity`.

    Without --game and --off, list the bots that players may meet, or NAME alone. That needs no token.

    \b
    Examples:
      fudaba bot casual mybot --game naga --game nerts --at-once 2
      fudaba bot casual mybot --off
      fudaba bot casual --json
    """
    if off and (games or at_once):
        raise click.UsageError("give --game, or --off")
    if at_once and not games:
        raise click.UsageError("--at-once goes with --game: name the games")
    with connection.client() as client:
        if games or off:
            _print_allowed(_allow(client, name, games, at_once or 1), as_json)
        else:
            _print_list(client, name, as_json)


def _allow(client: Client, name: str, games: tuple[str, ...], at_once: int) -> bots_pb2.Bot:
    """Sets what is allowed; nothing without games."""
    from fudaba.v1 import bots_pb2

    allowed = bots_pb2.CasualPlay(games=games, max_matches=at_once) if games else None
    request = bots_pb2.SetCasualPlayRequest(bot=name, casual_play=allowed)
    return client.bots.SetCasualPlay(request, timeout=_TIMEOUT_SECONDS).bot


def _print_allowed(bot: bots_pb2.Bot, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(bot))
    elif bot.HasField("casual_play"):
        most = counted(bot.casual_play.max_matches, "casual match", "casual matches")
        say(f"players may begin {most} at once against bot {bot.name}: {', '.join(bot.casual_play.games)}")
    else:
        say(f"players may begin no casual matches against bot {bot.name}; those that have begun go on")


def _print_list(client: Client, name: str, as_json: bool) -> None:
    from fudaba.v1 import bots_pb2

    request = bots_pb2.ListCasualBotsRequest(bot=name, page_size=1000)
    found = [listed_bot for page in every_page(client.bots.ListCasualBots, request) for listed_bot in page.bots]
    if as_json:
        print_json([as_dict(listed_bot) for listed_bot in found])
        return
    rows = [
        [
            listed_bot.bot,
            listed_bot.version,
            "present" if listed_bot.present else "away",
            str(listed_bot.casual_play.max_matches),
            ", ".join(listed_bot.casual_play.games),
            listed_bot.author,
        ]
        for listed_bot in found
    ]
    heads = ("bot", "version", "state", "at once", "games", "author")
    say_text(table(heads, rows, "lllrll") or "no bot takes casual matches")
