"""Entries of a ladder: `fudaba ladder entries`, `awaited`, `enter` and `leave`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import click

from fudaba.cli import _ladder_words as words
from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.entry_options import entry_options
from fudaba.cli.naming import named_version
from fudaba.cli.output import as_dict, print_json, say, say_text, table
from fudaba.cli.paging import every_page

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import arena_pb2

__all__ = ["EntryWish", "awaited", "change_entry", "enter", "enter_ladder", "entries", "leave"]

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
@click.argument("name", metavar="LADDER")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def awaited(name: str, connection: Connection, as_json: bool) -> None:
    """List the submissions that enter LADDER once their checks have passed, and those that were left out, with the
    reason. Needs an author's token, for those of its account, or the organiser's, for all.

    \b
    Example:
      fudaba ladder awaited open
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.ListAwaitedEntriesRequest(ladder=name)
    with connection.client() as client:
        found = [entry for page in every_page(client.arena.ListAwaitedEntries, request) for entry in page.awaited]
    if as_json:
        print_json([as_dict(entry) for entry in found])
        return
    rows = [[entry.bot, entry.submission_id, words.awaited(entry)] for entry in found]
    say_text(table(("bot", "submission", "state"), rows, "lll") or "no submission waits to be entered")


@click.command()
@click.argument("name")
@click.argument("bot")
@entry_options
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def enter(
    name: str,
    bot: str,
    version: str,
    games: tuple[str, ...],
    anyway: bool,
    submission: str,
    connection: Connection,
    as_json: bool,
) -> None:
    """Enter BOT, or BOT@VERSION, in a ladder. Needs its author's token, or the organiser's.

    If another version of the bot is entered, older or newer, this one takes its place. The earlier version stays ranked
    until the new one has played enough blocks. With --submission, before the deadline, an upload that is complete
    before the deadline is entered even if its check passes afterwards.

    \b
    Examples:
      fudaba ladder enter open alice
      fudaba ladder enter open alice@2
    """
    wanted = EntryWish(*named_version(bot, version), games, anyway, submission)
    enter_ladder(connection, name, wanted, as_json=as_json)


@click.command()
@click.argument("name")
@click.argument("bot")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def leave(name: str, bot: str, connection: Connection, as_json: bool) -> None:
    """Take BOT out of a ladder. Needs its author's token, or the organiser's.

    Its results stay, without a rank. Requests to enter its submissions are withdrawn.

    \b
    Example:
      fudaba ladder leave open alice
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.LeaveLadderRequest(ladder=name, bot=bot)
    with connection.client() as client:
        answer = client.arena.LeaveLadder(request, timeout=_TIMEOUT_SECONDS)
    if answer.HasField("entry"):
        _say_entry(connection, as_json, answer.entry)
    elif as_json:
        print_json(as_dict(answer))
    else:
        say(f"no submission of {bot} will be entered any more")


@final
@dataclass(frozen=True, slots=True)
class EntryWish:
    """The bot that an author wants to enter, and how."""

    bot: str
    version: str = ""
    games: tuple[str, ...] = ()
    anyway: bool = False
    submission: str = ""


def enter_ladder(connection: Connection, name: str, wanted: EntryWish, *, as_json: bool) -> None:
    """Enters a bot. Prints the entry, and the bot's pace against the ladder's clock; or the submission that is to be
    entered.
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.EnterLadderRequest(
        ladder=name,
        bot=wanted.bot,
        version=wanted.version,
        games=wanted.games,
        anyway=wanted.anyway,
        submission_id=wanted.submission,
    )
    with connection.client() as client:
        answer = client.arena.EnterLadder(request, timeout=_TIMEOUT_SECONDS)
    if answer.HasField("pace"):
        say(words.pace(answer), err=True)
    if answer.warning:
        say(f"warning: {answer.warning}", err=True)
    if not answer.HasField("awaited"):
        _say_entry(connection, as_json, answer.entry)
    elif as_json:
        print_json(as_dict(answer.awaited))
    else:
        say(f"submission {wanted.submission} of {wanted.bot}: {words.awaited(answer.awaited)}")


def change_entry(connection: Connection, as_json: bool, call: Callable[[Client], arena_pb2.Entry]) -> None:
    """Changes an entry. Prints it after the call and, if it is absent, what it waits for."""
    with connection.client() as client:
        found = call(client)
    _say_entry(connection, as_json, found)


def _say_entry(connection: Connection, as_json: bool, found: arena_pb2.Entry) -> None:
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
