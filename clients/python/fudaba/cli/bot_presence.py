"""Shows which bots are connected: `fudaba bot presence`, `fudaba bot pause` and `fudaba bot resume`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.naming import named_version
from fudaba.cli.output import as_dict, moment, print_json, say, say_text, table
from fudaba.cli.paging import every_page

if TYPE_CHECKING:
    from fudaba.v1 import bots_pb2

__all__ = ["pause", "presence", "resume"]

_TIMEOUT_SECONDS: Final = 30


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def presence(names: tuple[str, ...], connection: Connection, as_json: bool) -> None:
    """Show which bots are connected, what they play, and how many matches wait for them. With a bot's own token it
    shows that bot, with an author's those of the account.

    \b
    Examples:
      fudaba bot presence
      fudaba bot presence mybot --json
    """
    from fudaba.v1 import bots_pb2

    request = bots_pb2.ListPresenceRequest(bots=names, page_size=1000)
    with connection.client() as client:
        found = [
            listed_presence
            for page in every_page(client.bots.ListPresence, request)
            for listed_presence in page.presences
        ]
    if as_json:
        print_json([as_dict(listed_presence) for listed_presence in found])
        return
    rows = []
    for bot_presence in found:
        state = ("connected" if bot_presence.connected else "away") + (", paused" if bot_presence.paused else "")
        since = moment(bot_presence.change_time) if bot_presence.HasField("change_time") else ""
        counts = [
            str(bot_presence.playing_matches),
            str(bot_presence.waiting_matches),
            str(bot_presence.capacity or "any"),
        ]
        rows.append([bot_presence.bot, bot_presence.version, state, since, *counts])
    heads = ("bot", "version", "state", "since (UTC)", "playing", "waiting", "capacity")
    say_text(table(heads, rows, "llllrrr") or "no bots yet")


@click.command()
@click.argument("name", default="")
@connection_options
@click.option("--version", default="", help="Act on this version only.  [default: all, or the token's own]")
@click.option("--json", "as_json", is_flag=True, help="Print the versions as JSON.")
def pause(name: str, connection: Connection, version: str, as_json: bool) -> None:
    """Let all versions of the bot NAME, or NAME@VERSION alone, begin no further matches; those in play go on.

    On ladders they are absent within seconds: submitted or run by you, they enter no further block, and play a block
    that has begun to its end. A version that is added later is not paused.

    With a bot's own token, leave NAME out: that pauses the token's version.

    \b
    Examples:
      fudaba bot pause mybot
      fudaba bot pause mybot@3
    """
    _set_paused(connection, name, version, as_json, paused=True)


@click.command()
@click.argument("name", default="")
@connection_options
@click.option("--version", default="", help="Act on this version only.  [default: all, or the token's own]")
@click.option("--json", "as_json", is_flag=True, help="Print the versions as JSON.")
def resume(name: str, connection: Connection, version: str, as_json: bool) -> None:
    """Let all versions of the bot NAME, or NAME@VERSION alone, begin matches again.

    An entry that was paused with `fudaba ladder pause` is resumed with `fudaba ladder resume`.

    \b
    Example:
      fudaba bot resume mybot
    """
    _set_paused(connection, name, version, as_json, paused=False)


def _set_paused(connection: Connection, name: str, version: str, as_json: bool, *, paused: bool) -> None:
    """Pauses or resumes one version or all versions of a bot, and names them."""
    from fudaba.v1 import bots_pb2

    named, version = named_version(name, version)
    with connection.client() as client:

        def change(bot: str, label: str) -> bots_pb2.Presence:
            if paused:
                return client.bots.PauseBot(
                    bots_pb2.PauseBotRequest(bot=bot, version=label), timeout=_TIMEOUT_SECONDS
                ).presence
            request = bots_pb2.ResumeBotRequest(bot=bot, version=label)
            return client.bots.ResumeBot(request, timeout=_TIMEOUT_SECONDS).presence

        if version or not named:
            found = [change(named, version)]
        else:
            asked = bots_pb2.ListPresenceRequest(bots=[named])
            known = client.bots.ListPresence(asked, timeout=_TIMEOUT_SECONDS).presences
            found = [
                found_presence
                if found_presence.paused is paused
                else change(found_presence.bot, found_presence.version)
                for found_presence in known
            ]
    if as_json:
        print_json([as_dict(found_presence) for found_presence in found])
        return
    labels = [found_presence.version for found_presence in found]
    versions = f"version {labels[0]}" if len(labels) == 1 else f"versions {', '.join(labels)}"
    state = "paused, on ladders too; what is being played goes on" if paused else "not paused"
    say(f"bot {found[0].bot}, {versions}, {'is' if len(labels) == 1 else 'are'} {state}")
