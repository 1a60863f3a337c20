"""`fudaba bot show` and `fudaba bot assign`: a bot and its owner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.output import as_dict, moment, print_json, say, say_text, table

if TYPE_CHECKING:
    from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2

__all__ = ["alike", "assign", "lookalike_lines", "show"]

_TIMEOUT_SECONDS: Final = 30


def alike(named: bots_pb2.Bot | accounts_pb2.Account | arena_pb2.Standing | arena_pb2.Entry) -> str:
    """Returns the mark beside a name that looks like another owner's; empty for most names."""
    return f"looks like {named.looks_like}" if named.looks_like else ""


def lookalike_lines(looks_like: Mapping[str, str]) -> list[str]:
    """Returns the marks of a list's bots, by name, one per line."""
    return [f"{name} looks like {other}" for name, other in sorted(looks_like.items())]


@click.command()
@click.argument("name", required=False, default="")
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(name: str, connection: Connection, as_json: bool) -> None:
    """Show the owner and the versions of the bot NAME. With a bot's own token, leave NAME out.

    Needs the organiser's token, that of the bot's author, or the bot's own.

    \b
    Example:
      fudaba bot show mybot
    """
    from fudaba.v1 import bots_pb2

    with connection.client() as client:
        found = client.bots.GetBot(bots_pb2.GetBotRequest(bot=name), timeout=_TIMEOUT_SECONDS).bot
    if as_json:
        print_json(as_dict(found))
        return
    say(f"bot {found.name}", f"author: {found.author or '-'}", f"account: {found.account or '-'}")
    if found.looks_like:
        say(alike(found))
    rows = [[version.label, moment(version.create_time)] for version in found.versions]
    say_text(table(("version", "since (UTC)"), rows))


@click.command()
@click.argument("name")
@click.argument("account", required=False, default="")
@connection_options
@click.option("--nobody", is_flag=True, help="Take the bot from its account, and leave it without an account.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def assign(name: str, account: str, connection: Connection, nobody: bool, as_json: bool) -> None:
    """Give the bot NAME, with its tokens, to ACCOUNT. Needs the organiser's token.

    The bot keeps its results and ratings. From now on ACCOUNT is its author, and only ACCOUNT manages it.

    \b
    Examples:
      fudaba bot assign mybot ann
      fudaba bot assign mybot --nobody
    """
    from fudaba.v1 import accounts_pb2, bots_pb2

    if nobody == bool(account):
        raise click.UsageError("name the account that gets the bot, or give --nobody")
    with connection.client() as client:
        request = accounts_pb2.AssignBotRequest(bot=name, account=account)
        client.accounts.AssignBot(request, timeout=_TIMEOUT_SECONDS)
        found = client.bots.GetBot(bots_pb2.GetBotRequest(bot=name), timeout=_TIMEOUT_SECONDS).bot
    if as_json:
        print_json(as_dict(found))
    else:
        say(f"bot {name} belongs to {f'account {found.account}' if found.account else 'no account'}")
