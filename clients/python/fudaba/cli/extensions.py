"""`fudaba ladder extend` and `extensions`: later deadlines of single accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.moments import ZONED
from fudaba.cli.output import as_dict, for_reader, print_json, say, say_text, table
from fudaba.cli.paging import every_page

if TYPE_CHECKING:
    from fudaba.zoned_time import ZonedTime

__all__ = ["extend", "extensions"]

_TIMEOUT_SECONDS: Final = 60.0


@click.command()
@click.argument("name", metavar="LADDER")
@click.argument("account")
@click.option("--until", type=ZONED, metavar="TIME", help="The end of the extension, with its time zone.")
@click.option("--withdraw", is_flag=True, help="End the extension now.")
@click.option("--reason", required=True, metavar="TEXT",
              help="The reason, which organisers and, of an extension, the account see.")  # fmt: skip
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print the extension as JSON.")
def extend(
    name: str,
    account: str,
    until: ZonedTime | None,
    withdraw: bool,
    reason: str,
    connection: Connection,
    as_json: bool,
) -> None:
    """Let ACCOUNT enter versions in LADDER until a TIME after its deadline. Needs the organiser's token.

    The others' versions are frozen at the deadline. In the final, the account's entries begin when the extension has
    ended, and the season does not end before. The same command with another TIME replaces the extension.

    \b
    Examples:
      fudaba ladder extend open alice --until "2026-12-04 18:00 Europe/Berlin" --reason "ill for a week"
      fudaba ladder extend open alice --withdraw --reason "she has handed in"
    """
    from fudaba.v1 import arena_pb2

    if withdraw == (until is not None):
        raise click.UsageError("give either --until or --withdraw")
    with connection.client() as client:
        if until is None:
            end = arena_pb2.WithdrawExtensionRequest(ladder=name, account=account, reason=reason)
            found = client.arena.WithdrawExtension(end, timeout=_TIMEOUT_SECONDS).extension
        else:
            request = arena_pb2.ExtendDeadlineRequest(
                ladder=name, account=account, until_zone=until.zone, reason=reason
            )
            request.until_time.FromMilliseconds(until.ms)
            found = client.arena.ExtendDeadline(request, timeout=_TIMEOUT_SECONDS).extension
    if as_json:
        print_json(as_dict(found))
    elif until is None:
        say(f"account {account} has no extension in {name} any more")
    else:
        say(f"account {account} may enter versions in {name} until {for_reader(found.until_time, found.until_zone)}")


@click.command()
@click.argument("name", metavar="LADDER")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def extensions(name: str, connection: Connection, as_json: bool) -> None:
    """List the extensions of a LADDER's deadline. Needs the organiser's token; an account's own shows its own.

    \b
    Example:
      fudaba ladder extensions open
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.ListExtensionsRequest(ladder=name)
    with connection.client() as client:
        found = [entry for page in every_page(client.arena.ListExtensions, request) for entry in page.extensions]
    if as_json:
        print_json([as_dict(extension) for extension in found])
        return
    rows = [
        [extension.account, for_reader(extension.until_time, extension.until_zone), extension.reason]
        for extension in found
    ]
    say_text(table(("account", "until", "reason"), rows, "lll") or "no extensions")
