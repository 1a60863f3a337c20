"""`fudaba quota`."""

from __future__ import annotations

from typing import Final

import click

from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.output import as_dict, print_json, say, say_text, table

__all__ = ["quota"]

_TIMEOUT_SECONDS: Final = 30
_WORDS: Final = {
    "bots": "bots",
    "versions_per_day": "versions a day",
    "unfinished_matches": "unfinished matches",
    "streams": "streams at each replica",
    "matches_per_hour": "matches an hour",
    "records": "records",
}
"""The contract's names of quotas, with their names for people."""


@click.group()
def quota() -> None:
    """Show and change the limits of accounts."""


@quota.command()
@click.argument("account", required=False, default="")
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(account: str, connection: Connection, as_json: bool) -> None:
    """Show the limits of ACCOUNT, and how much of each it has used. Without ACCOUNT, authors see their own account's
    limits, and the organiser sees the defaults for accounts without limits of their own.

    \b
    Examples:
      fudaba quota show
      fudaba quota show ann --json
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        found = client.accounts.GetQuotas(accounts_pb2.GetQuotasRequest(account=account), timeout=_TIMEOUT_SECONDS)
    if as_json:
        print_json(as_dict(found))
        return
    has_used, were_set = found.HasField("used"), {field.name for field, _ in found.set_limits.ListFields()}
    rows = [
        [
            words,
            str(getattr(found.limits, name)),
            *([str(getattr(found.used, name))] if has_used else []),
            _origin(name in were_set, of_account=has_used),
        ]
        for name, words in _WORDS.items()
    ]
    head = ("quota", "limit", *(("used",) if has_used else ()), "set")
    say_text(table(head, rows, "lrr" if has_used else "lr"))


@quota.command("set")
@click.argument("account", required=False, default="")
@connection_options
@click.option(
    "--defaults", is_flag=True, help="Set the limits of all accounts that have none of their own, instead of ACCOUNT's."
)
@click.option("--bots", type=click.IntRange(1, 1_000_000), help="Bots that its authors register.")
@click.option("--versions-per-day", type=click.IntRange(1, 1_000_000), help="Versions that its authors add in a day.")
@click.option(
    "--unfinished-matches", type=click.IntRange(1, 1_000_000), help="Unfinished matches that its bots have created."
)
@click.option("--streams", type=click.IntRange(1, 1_000_000), help="Play streams of its bots at each replica.")
@click.option("--matches-per-hour", type=click.IntRange(1, 1_000_000), help="Matches that its bots create in an hour.")
@click.option(
    "--records",
    type=click.IntRange(1, 1_000_000),
    help="Matches that its bots have created and that are in play or kept with their records.",
)
@click.option("--reset", is_flag=True, help="Remove all limits that were set before.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def set_(
    account: str,
    connection: Connection,
    defaults: bool,
    bots: int | None,
    versions_per_day: int | None,
    unfinished_matches: int | None,
    streams: int | None,
    matches_per_hour: int | None,
    records: int | None,
    reset: bool,
    as_json: bool,
) -> None:
    """Change the limits of ACCOUNT. Needs the organiser's token.

    A new limit applies at once, at every replica, and removes nothing that exceeds it. Other limits stay as they are.

    \b
    Examples:
      fudaba quota set ann --bots 40 --versions-per-day 100
      fudaba quota set ann --reset
      fudaba quota set --defaults --streams 10
    """
    from fudaba.v1 import accounts_pb2

    if defaults == bool(account):
        raise click.UsageError("name the account, or give --defaults for all accounts without limits of their own")
    limits = accounts_pb2.Quotas(
        bots=bots,
        versions_per_day=versions_per_day,
        unfinished_matches=unfinished_matches,
        streams=streams,
        matches_per_hour=matches_per_hour,
        records=records,
    )
    if not (limits.ListFields() or reset):
        raise click.UsageError("there is nothing to change: give a quota, such as --bots 40, or --reset")
    with connection.client() as client:
        request = accounts_pb2.UpdateQuotasRequest(account=account, limits=limits, reset=reset)
        changed = client.accounts.UpdateQuotas(request, timeout=_TIMEOUT_SECONDS).limits
    if as_json:
        print_json(as_dict(changed))
        return
    quotas = ", ".join(f"{getattr(changed, name)} {words}" for name, words in _WORDS.items())
    say(f"{f'account {account}' if account else 'by default, an account'} may have {quotas}")


def _origin(was_set: bool, *, of_account: bool) -> str:
    """Returns where a limit comes from."""
    if not of_account:
        return "as the default" if was_set else "by fudaba serve"
    return "for this account" if was_set else "by default"
