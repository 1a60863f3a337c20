"""Entries of a ladder: `fudaba ladder entries`, `fudaba ladder enter` and `fudaba ladder leave`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli import _ladder_words as words
from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.naming import named_version
from fudaba.cli.output import as_dict, print_json, say, say_text
from fudaba.cli.paging import every_page

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import arena_pb2

__all__ = ["change_entry", "enter", "enter_ladder", "entries", "leave"]

_TIMEOUT_SECONDS: Final = 60.0
_ENTRY_STATES: Final = ("playing", "absent", "paused", "left", "withdrawn", "suspended", "disqualified")


@click.command()
@click.argument("name")
@click.option("--state", type=click.Choice(_ENTRY_STATES), help="List only entries in this state.")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def entries(name: str, state: str | None, connection: Connection, as_json: bool) -> None:
    """List the entries of a ladder's season, including those that have left.

    \b
    Example:
      fudaba ladder entries open --state playing
    """
    from fudaba.v1 import arena_pb2

    number = arena_pb2.EntryState.Value(f"ENTRY_STATE_{(state or 'unspecified').upper()}")
    request = arena_pb2.ListEntriesRequest(ladder=name, state=number)
    with connection.client() as client:
        found = [entry for page in every_page(client.arena.ListEntries, request) for entry in page.entries]
    if as_json:
        print_json([as_dict(entry) for entry in found])
        return
    say_text(words.entries_table(found))


@click.command()
@click.argument("name")
@click.argument("bot")
@click.option("--version", default="", metavar="LABEL", help="The version to enter.  [default: the bot's newest]")
@click.option("--game", "games", multiple=True, metavar="GAME", help="A game that the bot plays; repeatable.")
@click.option(
    "--anyway", is_flag=True, help="Enter it even if its check took longer for a decision than the clock gives."
)
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def enter(
    name: str, bot: str, version: str, games: tuple[str, ...], anyway: bool, connection: Connection, as_json: bool
) -> None:
    """Enter BOT, or BOT@VERSION, in a ladder. Needs its author's token, or the organiser's.

    If another version of the bot is entered, older or newer, this one takes its place. The earlier version stays ranked
    until the new one has played enough blocks.

    \b
    Examples:
      fudaba ladder enter open alice
      fudaba ladder enter open alice@2
    """
    enter_ladder(connection, name, named_version(bot, version), games, anyway=anyway, as_json=as_json)


@click.command()
@click.argument("name")
@click.argument("bot")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def leave(name: str, bot: str, connection: Connection, as_json: bool) -> None:
    """Take BOT out of a ladder. Needs its author's token, or the organiser's.

    Its results stay, without a rank.

    \b
    Example:
      fudaba ladder leave open alice
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.LeaveLadderRequest(ladder=name, bot=bot)
    change_entry(connection, as_json, lambda client: client.arena.LeaveLadder(request, timeout=_TIMEOUT_SECONDS).entry)


def enter_ladder(
    connection: Connection, name: str, bot: tuple[str, str], games: tuple[str, ...], *, anyway: bool, as_json: bool
) -> None:
    """Enters a bot with its version. Prints the entry, and the bot's pace against the ladder's clock."""
    from fudaba.v1 import arena_pb2

    request = arena_pb2.EnterLadderRequest(ladder=name, bot=bot[0], version=bot[1], games=games, anyway=anyway)

    def entered(client: Client) -> arena_pb2.Entry:
        answer = client.arena.EnterLadder(request, timeout=_TIMEOUT_SECONDS)
        if answer.HasField("pace"):
            say(words.pace(answer), err=True)
        if answer.warning:
            say(f"warning: {answer.warning}", err=True)
        return answer.entry

    change_entry(connection, as_json, entered)


def change_entry(connection: Connection, as_json: bool, call: Callable[[Client], arena_pb2.Entry]) -> None:
    """Changes an entry. Prints it after the call and, if it is absent, what it waits for."""
    with connection.client() as client:
        found = call(client)
    if as_json:
        print_json(as_dict(found))
        return
    word = words.entry_state(found)
    say(f"{found.bot}, version {found.version}, {'has left' if word == 'left' else f'is {word}'}")
    if word in {"absent", "suspended"}:
        say(*_until_here(found, connection), err=True)


def _until_here(found: arena_pb2.Entry, connection: Connection) -> list[str]:
    """Returns what an absent entry waits for."""
    from fudaba.v1 import arena_pb2

    if found.absent_because:
        return [f"it plays by itself when it can: {found.absent_because}"]
    if found.kind == arena_pb2.ENTRANT_KIND_SUBMITTED:
        return []
    name = f"{found.bot}@{found.version}"
    return [
        f"nothing is submitted as {name}, so it plays while you run it, with a token of its own:",
        f"  export FUDABA_TOKEN=$(fudaba bot token {name})",
        "then start its program, or for one in Python: fudaba bot run FILE.py:CLASS",
        "or submit a version that the arena runs, and enter that one:",
        f"  {connection.command('bot', 'submit', 'FOLDER', to='arena')}",
    ]
