"""`fudaba guest`."""

from __future__ import annotations

from typing import Final

import click

from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.output import as_dict, moment, print_json, say

__all__ = ["guest"]

_TIMEOUT: Final = 30


@click.group()
def guest() -> None:
    """Play for a day without an account."""


@guest.command()
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def create(connection: Connection, as_json: bool) -> None:
    """Create a guest and its token, where the service has guests. Needs no token.

    A guest plays for a day, in matches that count for no rating. Only the token goes to standard output; it is shown
    only once.

    \b
    Examples:
      fudaba guest create > guest.token
      export FUDABA_TOKEN=$(fudaba guest create)
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        made = client.accounts.CreateGuest(accounts_pb2.CreateGuestRequest(), timeout=_TIMEOUT)
    if as_json:
        print_json({"token": made.token, "info": as_dict(made.info)})
        return
    say(f"guest {made.info.bot}, until {moment(made.info.expire_time)} (UTC); its token, shown this once:", err=True)
    say(made.token)
